import { describe, expect, it } from 'vitest'
import { parseRate } from '#vendors/cache/limiter.ts'
import type { RedisCommands } from '#vendors/cache/redis-commands.ts'
import { createRedisLimiter } from '#vendors/cache/redis-limiter.ts'

describe('the limiter in Redis', () => {
  const rate = parseRate('4/minute')
  const redis = (answer: () => Promise<unknown>): RedisCommands => ({
    evalsha: answer,
    eval: answer,
    get: answer,
    set: answer,
    delete: answer,
    ping: answer,
  })
  it('allows calls while Redis is away, and strict ones up to half of the limit', async () => {
    const limiter = createRedisLimiter(redis(() => Promise.reject(new Error('away'))))
    expect(await limiter.count('a', rate, false)).toEqual({ allowed: true, limit: 4, remaining: 3, resetSeconds: 60 })
    const strict = []
    for (let n = 0; n < 3; n++) strict.push((await limiter.count('strict', rate, true)).allowed)
    expect(strict).toEqual([true, true, false])
  })
  it.each([
    ['three numbers', [3, Date.now() + 60_000, 4], 3],
    ['two numbers', [4, Date.now() + 60_000], 1],
    ['four numbers', [4, Date.now() + 60_000, 3, 3], 1],
    ['a text among numbers', [4, 'soon', 3], 1],
    ['no list', { length: 3 }, 1],
    ['nothing', null, 1],
  ])('takes only three numbers for a count: %s', async (_, reply, remaining) => {
    const limiter = createRedisLimiter(redis(async () => reply))
    // Without a count of Redis, a strict limit is half of it, in this process.
    expect((await limiter.count('a', rate, true)).remaining).toBe(remaining)
  })
  it.each([
    ['PONG', true],
    ['pong', false],
    [null, false],
  ])('takes the answer %j to a ping for an answer: %s', async (answer, isAnswer) => {
    const pinged = createRedisLimiter(redis(async () => answer))
      .ping()
      .then(
        () => true,
        () => false,
      )
    expect(await pinged).toBe(isAnswer)
  })
})
