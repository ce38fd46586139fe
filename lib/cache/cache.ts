import { Redis } from '@upstash/redis'

/** Copies of what others know. Whatever goes wrong with it is a miss: nothing may depend on it. */
export interface CachePort {
  /** The JSON that was put there, or undefined. Whoever reads it checks its shape. */
  get(key: string): Promise<unknown>
  /** Keeps it for so many seconds, or does not. */
  set(key: string, value: unknown, seconds: number): Promise<void>
  /** Forgets it, or does not. */
  drop(key: string): Promise<void>
}

/** JSON in Redis. One call that fails or takes longer than `timeoutMs` spares the others of the next seconds the wait. */
export function redisCache(url: string, token: string, timeoutMs = 250, now: () => number = Date.now): CachePort {
  const plain = { enableAutoPipelining: false, responseEncoding: false, readYourWrites: false, automaticDeserialization: false } as const
  const redis = new Redis({ url, token, retry: false, enableTelemetry: false, signal: () => AbortSignal.timeout(timeoutMs), ...plain })
  let awayUntil = 0
  const tried = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
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
      const text = await tried(() => redis.get<string>(`cache:${key}`))
      if (typeof text !== 'string') return undefined
      try {
        return JSON.parse(text)
      } catch {
        return undefined
      }
    },
    async set(key, value, seconds) {
      await tried(() => redis.set(`cache:${key}`, JSON.stringify(value), { ex: seconds }))
    },
    async drop(key) {
      await tried(() => redis.del(`cache:${key}`))
    },
  }
}
