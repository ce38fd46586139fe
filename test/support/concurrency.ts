/** The default number of calls that run at the same time. */
export const concurrentCallers = 32

/**
 * Call `call` concurrently for the callers 0 to `count` - 1. Return the results in the order of the callers.
 */
export function runConcurrently<T>(
  call: (caller: number) => Promise<T>,
  count = concurrentCallers,
): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, caller) => call(caller)))
}

/** Count the responses by status, for example `{200: 1, 401: 31}`. */
export function countByStatus(responses: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
