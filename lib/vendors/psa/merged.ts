/** The most merges that are followed, one after the other. */
const maxMerges = 5

/**
 * Return the ticket that `ticket` was merged into, through up to five merges. Return `ticket` if it was not
 * merged, or if the merges are a loop. `read` reads a ticket by its id; its errors are passed on.
 */
export async function findSurvivor<T>(
  ticket: T,
  read: (ticketId: string) => Promise<T>,
  getMergedInto: (ticket: T) => string | null,
): Promise<T> {
  const passedIds = new Set<string>()
  let survivor = ticket
  for (let merges = 0; merges < maxMerges; merges++) {
    const target = getMergedInto(survivor)
    if (target === null) return survivor
    if (passedIds.has(target)) return ticket
    passedIds.add(target)
    survivor = await read(target)
  }
  return survivor
}
