import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAvailability } from '#vendors/cache/availability.ts'
import { parseRate } from '#vendors/cache/limiter.ts'
import { createRedisCache } from '#vendors/cache/redis-cache.ts'
import type { RedisCommands } from '#vendors/cache/redis-commands.ts'
import { createRedisLimiter } from '#vendors/cache/redis-limiter.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Create a Redis that answers each call after the next of `delays`, in milliseconds. */
function createSlowRedis(...delays: number[]) {
  let calls = 0
  const answer = async (value: unknown) => {
    const delay = delays[calls++] ?? 0
    await new Promise((resolve) => setTimeout(resolve, delay))
    return value
  }
  const redis = { evalsha: () => answer([4, Date.now() + 60_000, 5]), get: () => answer('"cached"') } as unknown as RedisCommands
  return { redis, countCalls: () => calls }
}

/** Run calls one after the other while the clock moves. */
async function runAll<T>(calls: (() => Promise<T>)[]): Promise<T[]> {
  const run = (async () => {
    const results: T[] = []
    for (const call of calls) results.push(await call())
    return results
  })()
  await vi.advanceTimersByTimeAsync(60_000)
  return run
}

describe('the availability of Redis', () => {
  it('pauses calls for 5 s after two failures in a row, not after one', () => {
    const availability = createAvailability()
    availability.recordFailure()
    const afterOne = availability.isAvailable()
    availability.recordFailure()
    const afterTwo = availability.isAvailable()
    vi.advanceTimersByTime(5000)
    expect([afterOne, afterTwo, availability.isAvailable()]).toEqual([true, false, true])
  })

  it('expects to open a connection before the first success and 30 s after the last one', () => {
    const availability = createAvailability()
    const expectations = [availability.needsConnection()]
    availability.recordSuccess()
    for (const ms of [0, 29_999, 1]) {
      vi.advanceTimersByTime(ms)
      expectations.push(availability.needsConnection())
    }
    expect(expectations).toEqual([true, false, false, true])
  })

  it('starts to count failures again after a success', () => {
    const availability = createAvailability()
    availability.recordFailure()
    availability.recordSuccess()
    availability.recordFailure()
    expect(availability.isAvailable()).toBe(true)
  })

  it('the limiter waits four times as long for a call that opens a connection, and again after 30 s without a call', async () => {
    const { redis } = createSlowRedis(900, 0, 900)
    const limiter = createRedisLimiter(redis, 250)
    const count = () => limiter.count('key', parseRate('5/minute'), true)
    const [first] = await runAll([count])
    vi.advanceTimersByTime(30_000)
    const [second] = await runAll([count])
    // The count of this process allows two calls.
    expect([first?.limit, second?.limit]).toEqual([5, 5])
  })

  it('the limiter asks Redis again after one slow call', async () => {
    const { redis, countCalls } = createSlowRedis(0, 300, 0)
    const limiter = createRedisLimiter(redis, 250)
    const count = () => limiter.count('key', parseRate('5/minute'), true)
    expect((await runAll([count, count, count])).map(({ limit }) => limit)).toEqual([5, 2, 5])
    expect(countCalls()).toBe(3)
  })

  it('the cache misses during a slow call and reads again after it', async () => {
    const { redis } = createSlowRedis(900, 300, 0)
    const cache = createRedisCache(redis, 250)
    const get = () => cache.get('key')
    expect(await runAll([get, get, get])).toEqual(['cached', undefined, 'cached'])
  })
})
