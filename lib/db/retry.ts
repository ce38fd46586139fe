import { type Problem, staleVersion } from '../problem.ts'

const maxAttempts = 5

/**
 * Repeat a read and its conditional write until the write succeeds. `attempt` returns undefined when another request changed the row in
 * between. After 5 attempts throw the problem of `createConflict`, by default 409 `stale_version`. `resource` names the row, as in "session".
 */
export async function retryOnConflict<T>(
  resource: string,
  attempt: () => Promise<T | undefined>,
  createConflict: () => Promise<Problem> = async () => staleVersion(resource),
): Promise<T> {
  for (let attempts = 0; attempts < maxAttempts; attempts++) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw await createConflict()
}
