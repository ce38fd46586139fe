import { parseJson } from '#rules/text/json.ts'
import { withTimeout } from '#vendors/net/send-result.ts'
import { createAvailability, firstCallFactor } from './availability.ts'
import type { CachePort } from './cache.ts'
import type { RedisCommands } from './redis-commands.ts'

/**
 * Create a cache in Redis. A call may take `timeoutMs`, and four times as long if it opens a connection.
 * After two failures in a row, all calls of the next 5 s are misses and do not wait.
 */
export function createRedisCache(redis: RedisCommands, timeoutMs = 250): CachePort {
  const availability = createAvailability()
  const callUnlessUnreachable = async (call: () => Promise<unknown>): Promise<unknown> => {
    if (!availability.isAvailable()) return undefined
    try {
      const result = await withTimeout(
        availability.needsConnection() ? timeoutMs * firstCallFactor : timeoutMs,
        call(),
      )
      availability.recordSuccess()
      return result
    } catch {
      availability.recordFailure()
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
