import { describe, expect, it } from 'vitest'
import { parseRate } from '../../lib/cache/limiter.ts'
import type { RedisCommands } from '../../lib/cache/redis-commands.ts'
import { createRedisLimiter } from '../../lib/cache/redis-limiter.ts'

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
    for (let n = 0; n < 3; n++) strict.push((await limiter.count('a', rate, true)).allowed)
    expect(strict).toEqual([true, true, false])
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
