/**
 * Wait until all of `works` have ended, so that a failure stops none of the others. Then throw the first
 * failure, if any.
 */
export async function settleAll(works: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(works)
  const failure = results.find((result) => result.status === 'rejected')
  if (failure) throw failure.reason
}

/**
 * Do `work` for one item after the other. A failure stops none of the others, and the first one is thrown at
 * the end.
 */
export async function settleInTurn<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = []
  for await (const item of items) await work(item).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
