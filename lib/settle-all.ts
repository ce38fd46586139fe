/** Wait until all of `works` have ended, so that a failure stops none of the others. Then throw the first failure, if any. */
export async function settleAll(works: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(works)
  const failure = results.find((result) => result.status === 'rejected')
  if (failure) throw failure.reason
}
