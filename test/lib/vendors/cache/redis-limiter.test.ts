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
  })
  it('WIR-49 allows as many calls as the limit while Redis is away, and half as many strict ones', async () => {
    const limiter = createRedisLimiter(redis(() => Promise.reject(new Error('away'))))
    expect(await limiter.count('a', rate, false)).toEqual({
      allowed: true,
      limit: 4,
      remaining: 3,
      resetSeconds: 60,
    })
    const countAllowed = async (key: string, isStrict: boolean) => {
      const results = []
      for (let n = 0; n < 6; n++) results.push((await limiter.count(key, rate, isStrict)).allowed)
      return results.filter(Boolean).length
    }
    expect([await countAllowed('a', false), await countAllowed('strict', true)]).toEqual([3, 2])
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
    ['OK', true],
    ['ok', false],
    [null, false],
  ])('RES-01 is ready only if Redis stores a key: %j is %s', async (answer, isReady) => {
    const pinged = createRedisLimiter(redis(async () => answer))
      .ping()
      .then(
        () => true,
        () => false,
      )
    expect(await pinged).toBe(isReady)
  })

  it.each([
    "OOM command not allowed when used memory > 'maxmemory'.",
    "READONLY You can't write against a read only replica.",
    'Command failed: ERR max requests limit exceeded. Limit: 10000, Usage: 10000., command was: ["evalsha"]',
    'WRONGTYPE Operation against a key holding the wrong kind of value',
  ])('RES-02 counts a call that Redis refuses in this process, and says so once: %s', async (message) => {
    const lines: Record<string, unknown>[] = []
    const refused = redis(() => Promise.reject(new Error(message)))
    const limiter = createRedisLimiter(refused, 250, (line) => lines.push(line))
    const allowed = []
    for (let n = 0; n < 6; n++) allowed.push((await limiter.count('a', rate, false)).allowed)
    const strict = []
    for (let n = 0; n < 3; n++) strict.push((await limiter.count('strict', rate, true)).allowed)
    expect([allowed, strict]).toEqual([
      [true, true, true, true, false, false],
      [true, true, false],
    ])
    expect(lines).toEqual([
      expect.objectContaining({ level: 'error', redis: 'refused', code: /[A-Z]{3,}/.exec(message)?.[0] }),
    ])
  })

  it('RES-02 deletes a key of another type, and another key stays exact', async () => {
    const deleted: string[] = []
    const evaluate = async (_: string, [key = '']: string[]) => {
      if (key.endsWith(':poisoned'))
        throw new Error('WRONGTYPE Operation against a key holding the wrong kind of value')
      return [3, Date.now() + 60_000, 3]
    }
    const commands = {
      ...redis(async () => 'OK'),
      evalsha: evaluate,
      eval: evaluate,
      delete: async (key: string) => void deleted.push(key),
    }
    const limiter = createRedisLimiter(commands)
    for (let n = 0; n < 5; n++) await limiter.count('poisoned', rate, false)
    expect((await limiter.count('other', rate, false)).remaining).toBe(3)
    expect(new Set(deleted)).toEqual(new Set(['limit:bucket1:4/60000:poisoned']))
  })

  it.each(['LOADING Redis is loading the dataset in memory', 'connect ECONNREFUSED'])(
    'RES-02 takes %s for Redis being away',
    async (message) => {
      const limiter = createRedisLimiter(redis(() => Promise.reject(new Error(message))))
      const allowed = []
      for (let n = 0; n < 3; n++) allowed.push((await limiter.count('a', rate, true)).allowed)
      expect(allowed).toEqual([true, true, false])
    },
  )
})
