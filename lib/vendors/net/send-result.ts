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

/**
 * Parse a Retry-After header, a number or a date, into seconds (at most one day). Return undefined when it is
 * neither.
 */
export function parseRetryAfter(header: string | null): number | undefined {
  if (!header) return undefined
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(Math.min(seconds, 86_400)) : undefined
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
