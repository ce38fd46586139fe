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

/** Create a cache of JSON values in Redis. After a call that fails or takes longer than `timeoutMs`, the calls of the next 5 s are misses without waiting. */
export function redisCache(url: string, token: string, timeoutMs = 250, now: () => number = Date.now): CachePort {
  const plain = { enableAutoPipelining: false, responseEncoding: false, readYourWrites: false, automaticDeserialization: false } as const
  const redis = new Redis({ url, token, retry: false, enableTelemetry: false, signal: () => AbortSignal.timeout(timeoutMs), ...plain })
  let awayUntil = 0
  const callUnlessAway = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    if (awayUntil > now()) return undefined
    try {
      return await call()
    } catch {
      awayUntil = now() + 5000
      return undefined
    }
  }
  return {
    async get(key) {
      const text = await callUnlessAway(() => redis.get<string>(`cache:${key}`))
      if (typeof text !== 'string') return undefined
      try {
        return JSON.parse(text)
      } catch {
        return undefined
      }
    },
    async set(key, value, seconds) {
      await callUnlessAway(() => redis.set(`cache:${key}`, JSON.stringify(value), { ex: seconds }))
    },
    async delete(key) {
      await callUnlessAway(() => redis.del(`cache:${key}`))
    },
  }
}
