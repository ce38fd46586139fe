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
  const redis = {
    evalsha: () => answer([4, Date.now() + 60_000, 5]),
    get: () => answer('"cached"'),
  } as unknown as RedisCommands
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

  it('WIR-49 a burst that keeps this process busy passes its limit neither while Redis is slow nor afterwards', async () => {
    const { redis, countCalls } = createSlowRedis(...Array.from({ length: 200 }, () => 2000))
    const limiter = createRedisLimiter(redis, 250)
    const burst = Promise.all(
      Array.from({ length: 200 }, () => limiter.count('key', parseRate('30/minute'), false)),
    )
    // Nothing else runs for two seconds, so every time-out fires late.
    vi.setSystemTime(Date.now() + 2000)
    const now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => now + 2000)
    await vi.advanceTimersByTimeAsync(2000)
    expect((await burst).filter(({ allowed }) => allowed)).toHaveLength(30)
    // Redis was not away: the next call asks it.
    await runAll([() => limiter.count('other', parseRate('30/minute'), false)])
    expect(countCalls()).toBe(201)
  })

  it('WIR-49 a call without an answer in time goes on from what Redis has allowed in this process', async () => {
    const { redis } = createSlowRedis(0, 0, 0, 300, 0)
    const limiter = createRedisLimiter(redis, 250)
    const count = () => limiter.count('key', parseRate('4/minute'), false)
    expect((await runAll([count, count, count, count])).map(({ remaining }) => remaining)).toEqual([
      4, 4, 4, 0,
    ])
  })

  it('the cache misses during a slow call and reads again after it', async () => {
    const { redis } = createSlowRedis(900, 300, 0)
    const cache = createRedisCache(redis, 250)
    const get = () => cache.get('key')
    expect(await runAll([get, get, get])).toEqual(['cached', undefined, 'cached'])
  })
})
