// Longer than the statement timeout of the roles.
export const databaseTimeoutMs = 8000
// A statement that has no answer after this time is slow, or the database hangs. A probe of its own tells
// which of the two it is.
const probeAfterMs = 1500
/** How long the probe may take, in milliseconds. */
export const probeTimeoutMs = 1250

export const hungError = () =>
  new DOMException('The database does not answer, or the connection is lost', 'TimeoutError')

/**
 * Return the result of `work`. If it takes long, run `probe`; if that fails too, or `work` takes longer than
 * any statement may, call `onHung` and throw a TimeoutError. A slow statement thus keeps its whole statement
 * timeout, and a hung database is noticed within 3 s.
 */
export async function failWhenHung<T>(
  work: Promise<T>,
  probe: () => Promise<unknown>,
  onHung: () => void,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDone = false
  const hung = new Promise<never>((_, reject) => {
    const giveUp = () => {
      if (isDone) return
      reject(hungError())
      onHung()
    }
    const waitLonger = () => {
      if (!isDone) timer = setTimeout(giveUp, databaseTimeoutMs - probeAfterMs)
    }
    timer = setTimeout(() => void probe().then(waitLonger, giveUp), probeAfterMs)
  })
  return Promise.race([work, hung]).finally(() => {
    isDone = true
    clearTimeout(timer)
  })
}
