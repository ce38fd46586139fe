import { AnswerTooLongError, type FetchLimits } from './bounded-fetch.ts'

/**
 * The result of one send. `gone` means that a retry cannot help. `isRemoved`: the far side says that the
 * address no longer exists. `isPostponed`: it was called too often, so the call does not count as an attempt.
 * `error`, and the `note` on what a successful send left out, are shown to account admins, so they never
 * quote an address or a secret.
 */
export type SendResult =
  | { ok: true; status: number | null; note?: string }
  | {
      ok: false
      status: number | null
      error: string
      gone?: boolean
      isRemoved?: boolean
      isPostponed?: boolean
      retryAfterSeconds?: number
    }

export const sendTimeoutMs = 10_000

/** Limits of the answer to a send. The answers of the vendors are below 1 KB. */
export const sendLimits: FetchLimits = { timeoutMs: sendTimeoutMs, maxBytes: 64 * 1024 }

/** Turn an exception of a send into its result. `timeoutMs` is the time limit of the send. */
export function failedSend(error: unknown, timeoutMs = sendTimeoutMs): SendResult & { ok: false } {
  if (error instanceof AnswerTooLongError)
    return { ok: false, status: null, error: 'The answer was too long' }
  const isTimeout = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
  return {
    ok: false,
    status: null,
    error: isTimeout ? `No answer within ${timeoutMs / 1000} s` : 'The connection failed',
  }
}

const dayMs = 86_400_000

/** Limit how long another system asks to wait, in milliseconds, to a day. */
export const limitWait = (ms: number): number => Math.min(Math.max(Math.ceil(ms), 0), dayMs)

/**
 * Parse a Retry-After header, a number of seconds or a date, into milliseconds from 0 to a day. Return
 * undefined when it is neither: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function parseRetryAfterMs(header: string | null | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(text)) return limitWait(Number(text) * 1000)
  // `Date.parse` takes "-5" and "5, 10" for days.
  const date = /\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : limitWait(date - now)
}

/** Parse a Retry-After header into seconds from 1 to a day. Return undefined when it names no time ahead. */
export function parseRetryAfter(header: string | null): number | undefined {
  const ms = parseRetryAfterMs(header, Date.now())
  return ms ? Math.ceil(ms / 1000) : undefined
}

const createTimeoutError = (): Error => new DOMException('Took too long', 'TimeoutError')

/**
 * Reject with a TimeoutError, or another one, when `work` takes longer. For work without a time limit of its
 * own; it goes on.
 */
export async function withTimeout<T>(
  ms: number,
  work: Promise<T>,
  createError = createTimeoutError,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createError()), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
