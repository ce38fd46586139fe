import { type Problem, staleVersion } from '#problem.ts'
import { ignoreMissingRow } from './required-row.ts'
import { toDatabaseProblem } from './sqlstate.ts'

const maxAttempts = 8
// Before each further attempt a random pause of up to this many milliseconds per attempt, so that concurrent
// writers do not collide again.
const pauseMs = 10

/**
 * Repeat a read and its conditional write until the write succeeds. `attempt` returns undefined, or a
 * statement of `requireRow` raises, when another request changed the row in between. After 8 attempts throw
 * the problem of `createConflict`, by default 409 `stale_version`. `resource` names the row, as in "session".
 */
export async function retryOnConflict<T>(
  resource: string,
  attempt: () => Promise<T | undefined>,
  createConflict: () => Promise<Problem> = async () => staleVersion(resource),
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    const result = await attempt().catch(ignoreMissingRow)
    if (result !== undefined) return result
    if (attempts === maxAttempts) throw await createConflict()
    await new Promise((resolve) => setTimeout(resolve, Math.random() * pauseMs * attempts))
  }
}

// Together shorter than the lease of an attempt, with the time-outs of four statements.
const defaultPausesMs = [200, 1000, 4000]

/**
 * Repeat `work` after each pause while it fails because the database is unavailable. `work` must be
 * idempotent.
 */
export async function retryWhileUnavailable<T>(
  work: () => Promise<T>,
  pausesMs: readonly number[] = defaultPausesMs,
): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await work()
    } catch (error) {
      if (toDatabaseProblem(error)?.kind !== 'unavailable') throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return work()
}
