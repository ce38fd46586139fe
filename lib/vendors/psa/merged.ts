/** The most merges that are followed, one after the other. */
const maxMerges = 5

/**
 * Return the id of the ticket that a ticket was merged into, through up to five merges. Return its own id if it was not merged, or if the merges
 * are a loop. `readMergedInto` reads the target of one merge; its errors are passed on.
 */
export async function findSurvivor(readMergedInto: (ticketId: string) => Promise<string | null>, ticketId: string): Promise<string> {
  const passed = new Set([ticketId])
  let survivor = ticketId
  for (let merges = 0; merges < maxMerges; merges++) {
    const target = await readMergedInto(survivor)
    if (target === null) return survivor
    if (passed.has(target)) return ticketId
    passed.add(target)
    survivor = target
  }
  return survivor
}
