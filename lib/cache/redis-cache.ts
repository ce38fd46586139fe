import { withTimeout } from '../net/send-result.ts'
import { parseJson } from '../text/json.ts'
import type { CachePort } from './cache.ts'
import type { RedisCommands } from './redis-commands.ts'

const unreachableMs = 5000

/**
 * Create a cache in Redis. After a call that fails or takes longer than `timeoutMs`, all calls of the next 5 s are misses and do not wait.
 */
export function createRedisCache(redis: RedisCommands, timeoutMs = 250): CachePort {
  let unreachableUntil = 0
  const callUnlessUnreachable = async (call: () => Promise<unknown>): Promise<unknown> => {
    if (unreachableUntil > Date.now()) return undefined
    try {
      return await withTimeout(timeoutMs, call())
    } catch {
      unreachableUntil = Date.now() + unreachableMs
      return undefined
    }
  }
  return {
    async get(key) {
      const text = await callUnlessUnreachable(() => redis.get(`cache:${key}`))
      return typeof text === 'string' ? parseJson(text) : undefined
    },
    async set(key, value, seconds) {
      await callUnlessUnreachable(() => redis.set(`cache:${key}`, JSON.stringify(value), seconds))
    },
    async delete(key) {
      await callUnlessUnreachable(() => redis.delete(`cache:${key}`))
    },
  }
}
