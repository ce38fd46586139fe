type AsyncMethod = (...parameters: never[]) => Promise<unknown>
type AsyncKey<P> = { [K in keyof P]: P[K] extends AsyncMethod ? K : never }[keyof P]

/**
 * Create a port whose client is loaded by the first call, because most requests do not need it. Only async
 * methods can wait for it, so `ready` has the other members, and methods that need no client.
 */
export function lazyPort<P extends object>(
  load: () => Promise<P>,
  ready: Omit<P, AsyncKey<P>> & Partial<P>,
): P {
  let port: P | undefined
  const createMethod = (key: PropertyKey) => {
    return async (...parameters: never[]) => {
      port ??= await load()
      return (port as Record<PropertyKey, AsyncMethod>)[key]?.(...parameters)
    }
  }
  const get = (members: P, key: PropertyKey) => {
    if (key in members) return Reflect.get(members, key)
    // A promise looks for `then` in the value it gets.
    return key === 'then' ? undefined : createMethod(key)
  }
  return new Proxy(ready as P, { get })
}
