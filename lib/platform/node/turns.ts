/**
 * Return a function that waits for a turn of the event loop that no other caller of it takes, first come,
 * first served. Sixty large bodies that arrive together are then parsed one per turn, and the small requests
 * of others are answered between them.
 */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
    return last
  }
}
