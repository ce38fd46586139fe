/**
 * Return a function that loads a value on the first call and returns it on later calls. Calls share the
 * loaded value, but never a promise: in Workers, the promise of a request whose client has disconnected may
 * never settle, and other requests would wait for it forever.
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
