import { Redis } from '@upstash/redis'

/** A cache. Every failure is a miss, so nothing may depend on it. */
export interface CachePort {
  /** Return the stored JSON, or undefined. The caller checks its shape. */
  get(key: string): Promise<unknown>
  /** Store a value for some seconds, if Redis answers. */
  set(key: string, value: unknown, seconds: number): Promise<void>
  /** Delete a value, if Redis answers. */
  delete(key: string): Promise<void>
}

/**
 * Create a cache of JSON values in Redis. After a call that fails or takes longer than `timeoutMs`, all calls of the next 5 s are misses
 * and do not wait.
 */
export function redisCache(url: string, token: string, timeoutMs = 250, now: () => number = Date.now): CachePort {
  const clientOptions = {
    enableAutoPipelining: false,
    responseEncoding: false,
    readYourWrites: false,
    automaticDeserialization: false,
  } as const
  const redis = new Redis({
    url,
    token,
    retry: false,
    enableTelemetry: false,
    signal: () => AbortSignal.timeout(timeoutMs),
    ...clientOptions,
  })
  let unreachableUntil = 0
  const callUnlessUnreachable = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    if (unreachableUntil > now()) return undefined
    try {
      return await call()
    } catch {
      unreachableUntil = now() + 5000
      return undefined
    }
  }
  return {
    async get(key) {
      const text = await callUnlessUnreachable(() => redis.get<string>(`cache:${key}`))
      if (typeof text !== 'string') return undefined
      try {
        return JSON.parse(text)
      } catch {
        return undefined
      }
    },
    async set(key, value, seconds) {
      await callUnlessUnreachable(() => redis.set(`cache:${key}`, JSON.stringify(value), { ex: seconds }))
    },
    async delete(key) {
      await callUnlessUnreachable(() => redis.del(`cache:${key}`))
    },
  }
}
