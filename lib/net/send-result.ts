/** How an attempt to reach someone outside ended. `error` is shown to the account's admins: it never quotes an address or a secret. */
export type Sent =
  | { ok: true; status: number | null }
  | { ok: false; status: number | null; error: string; gone?: boolean; retryAfterSeconds?: number }

export const attemptMs = 10_000

/** What an exception means for the log. */
export function failed(error: unknown): Sent {
  const late = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
  return { ok: false, status: null, error: late ? `No answer within ${attemptMs / 1000} s` : 'The connection failed' }
}

/** Seconds of a Retry-After header: a number or a date; undefined when it says neither. */
export function retryAfter(header: string | null): number | undefined {
  if (!header) return undefined
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(Math.min(seconds, 86_400)) : undefined
}

/** Rejects with a TimeoutError when `work` takes longer: for clients that know no limit of their own. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException('Took too long', 'TimeoutError')), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
