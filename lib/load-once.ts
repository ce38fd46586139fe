/**
 * Return a function that loads a value by its first call and returns it to all later ones. Only the loaded value is shared. Calls before it
 * is there load their own: in Workers, work of a request whose client has left never settles, and whoever awaited it would wait forever.
 * https://developers.cloudflare.com/workers/observability/errors/#cannot-perform-io-on-behalf-of-a-different-request
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: { value: T } | undefined
  return async () => {
    if (loaded) return loaded.value
    const value = await load()
    loaded ??= { value }
    return loaded.value
  }
}
