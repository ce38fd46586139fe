import pg from 'pg'
import { describeFailure } from './failure.ts'

/** Bounds of the retries, in milliseconds where a name ends in `Ms`. */
export interface RetrySettings {
  maxAttempts: number
  /** No attempt starts later than this after the first one. */
  maxTotalMs: number
  /** Mean pause between two attempts. Each pause is between half and one and a half times as long. */
  pauseMs: number
  report(line: string): void
}

// lock_not_available and deadlock_detected: https://www.postgresql.org/docs/18/errcodes-appendix.html
const lockErrors: ReadonlySet<string | undefined> = new Set(['55P03', '40P01'])

/**
 * Repeat `work` while it fails because another transaction holds a lock. `work` must leave nothing behind
 * when it fails.
 */
export async function retryWhileLocked<T>(
  name: string,
  settings: RetrySettings,
  work: () => Promise<T>,
): Promise<T> {
  const { maxAttempts, maxTotalMs, pauseMs, report } = settings
  const end = performance.now() + maxTotalMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !lockErrors.has(error.code)) throw error
      const jitteredMs = pauseMs * (0.5 + Math.random())
      if (attempt >= maxAttempts || performance.now() + jitteredMs > end)
        throw new Error(
          `another transaction held a lock in each of ${attempt} attempts (${describeFailure(error)})`,
          { cause: error },
        )
      report(`${name}: waits for a lock, attempt ${attempt} of ${maxAttempts}`)
      await pause(jitteredMs)
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
