// @module-tag mechanism
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { createMemoryLimiter } from '#platform/node/memory-limiter.ts'
import { useClock } from '#test/support/clock.ts'
import { openLimiter, redisKinds, type TestRedis } from '#test/support/limiters.ts'
import { measureMs } from '#test/support/measure.ts'
import { type Limit, type Limiter, type LimitResult, parseRate } from '#vendors/cache/limiter.ts'
import { createRedisLimiter } from '#vendors/cache/redis-limiter.ts'

const rate = parseRate('5/minute')
const start = Date.parse('2026-11-21T09:30:00Z')
const countAllowed = (results: { allowed: boolean }[]) => results.filter(({ allowed }) => allowed).length

/**
 * Start a limiter and a clock that the test sets. Keys are unique, because a real Redis keeps those of
 * earlier runs.
 */
async function startLimiter(open: () => Promise<Limiter>) {
  const clock = useClock(start)
  const limiter = await open()
  const run = crypto.randomUUID()
  const countCall = (key = 'k', isStrict = false) => limiter.count(`${run}:${key}`, rate, isStrict)
  return { clock, limiter, run, countCall }
}

async function startRedisLimiter(kind: (typeof redisKinds)[number], timeoutMs?: number) {
  const redis: TestRedis = await kind.start()
  const started = await startLimiter(() => openLimiter(redis, timeoutMs))
  return { ...started, redis, openAnother: () => openLimiter(redis, timeoutMs) }
}

const limiters = [
  ...redisKinds.map((kind) => ({ name: kind.name, open: async () => openLimiter(await kind.start()) })),
  { name: 'this process', open: async () => createMemoryLimiter() },
]

describe.each(limiters)('a limiter that counts in $name', ({ open }) => {
  it('allows exactly the limit of calls in a window, and the next window starts at the exact millisecond', async () => {
    const { clock, countCall } = await startLimiter(open)
    for (let remaining = 4; remaining >= 0; remaining--)
      expect(await countCall()).toEqual({ allowed: true, limit: 5, remaining, resetSeconds: 60 })
    expect(await countCall()).toEqual({ allowed: false, limit: 5, remaining: 0, resetSeconds: 60 })
    clock.now = start + 59_999
    expect(await countCall()).toEqual({ allowed: false, limit: 5, remaining: 0, resetSeconds: 1 })
    clock.now = start + 60_000
    expect(countAllowed(await Promise.all(Array.from({ length: 7 }, () => countCall())))).toBe(5)
  })

  it('allows exactly 5 of 32 parallel calls', async () => {
    const { countCall } = await startLimiter(open)
    const results = await Promise.all(Array.from({ length: 32 }, () => countCall()))
    expect(countAllowed(results)).toBe(5)
    const remaining = results.filter(({ allowed }) => allowed).map((result) => result.remaining)
    expect(remaining.sort()).toEqual([0, 1, 2, 3, 4])
  })

  it('counts each key and each rate separately', async () => {
    const { countCall, limiter, run } = await startLimiter(open)
    for (let n = 0; n < 6; n++) await countCall('one')
    expect([(await countCall('one')).allowed, (await countCall('two')).remaining]).toEqual([false, 4])
    expect(await limiter.count(`${run}:three`, parseRate('2/hour'), false)).toEqual({
      allowed: true,
      limit: 2,
      remaining: 1,
      resetSeconds: 3600,
    })
  })

  it('allows a refused call after the seconds that it returned, and refuses it one second earlier', async () => {
    const { clock, limiter, run } = await startLimiter(open)
    let runCount = 0
    const waits = fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 12 })
    const isHonest = async (waitsMs: number[]) => {
      const key = `${run}:${++runCount}`
      clock.now = start
      let result: LimitResult = await limiter.count(key, rate, false)
      for (const wait of waitsMs) {
        clock.now += wait
        result = await limiter.count(key, rate, false)
      }
      while (result.allowed) result = await limiter.count(key, rate, false)
      const refusedAt = clock.now
      clock.now = refusedAt + (result.resetSeconds - 1) * 1000
      const early = await limiter.count(key, rate, false)
      clock.now = refusedAt + result.resetSeconds * 1000
      const late = await limiter.count(key, rate, false)
      return result.resetSeconds >= 1 && result.resetSeconds <= 60 && !early.allowed && late.allowed
    }
    const check = fc.assert(fc.asyncProperty(waits, isHonest), { numRuns: 25, endOnFailure: true })
    await expect(check).resolves.toBeUndefined()
  })
})

/** The times in `window` that count against a call at `at`, given the allowed calls before it. */
type CountedCalls = (allowed: number[], at: number) => number

/**
 * Windows follow each other without a gap while each has a call. Redis deletes a key one window after its
 * last call, so that the next window starts at the next call. (A real Redis does not follow the clock of a
 * test.)
 */
const inConsecutiveWindows =
  (hasExpiry: boolean): CountedCalls =>
  (allowed, at) => {
    let windowStart = Number.NEGATIVE_INFINITY
    let count = 0
    let last = Number.NEGATIVE_INFINITY
    for (const time of [...allowed, at]) {
      if (hasExpiry ? time >= last + 60_000 : last === Number.NEGATIVE_INFINITY)
        [windowStart, count] = [time, 0]
      else if (time >= windowStart + 60_000)
        [windowStart, count] = [windowStart + Math.floor((time - windowStart) / 60_000) * 60_000, 0]
      ;[last, count] = [time, count + 1]
    }
    return count - 1
  }
const inTheMinuteBefore: CountedCalls = (allowed, at) => allowed.filter((time) => time > at - 60_000).length

it.each([
  ...redisKinds.map((kind) => ({
    name: kind.name,
    open: async () => openLimiter(await kind.start()),
    model: inConsecutiveWindows(kind.hasClock),
  })),
  { name: 'this process', open: async () => createMemoryLimiter(), model: inTheMinuteBefore },
])(
  'a call at a random time that is counted in $name is allowed exactly if its window has room',
  async ({ open, model }) => {
    const { clock, limiter, run } = await startLimiter(open)
    let runCount = 0
    const waits = fc.array(
      fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.constantFrom(0, 1, 20_000, 59_999, 60_000, 60_001)),
      {
        maxLength: 25,
        size: 'max',
      },
    )
    const agreesWithModel = async (waitsMs: number[]) => {
      const key = `${run}:${++runCount}`
      const allowedTimes: number[] = []
      clock.now = start
      for (const wait of waitsMs) {
        clock.now += wait
        const { allowed } = await limiter.count(key, rate, false)
        if (allowed !== model(allowedTimes, clock.now) < 5) return false
        if (allowed) allowedTimes.push(clock.now)
      }
      return true
    }
    const check = fc.assert(fc.asyncProperty(waits, agreesWithModel), { numRuns: 25, endOnFailure: true })
    await expect(check).resolves.toBeUndefined()
  },
)

describe.each(redisKinds)('a limiter of several processes that counts in $name', (kind) => {
  it('counts concurrent calls of several processes once each', async () => {
    const { limiter, openAnother, run } = await startRedisLimiter(kind)
    const processes = [limiter, await openAnother(), await openAnother()] as const
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, n) => (processes[n % 3] as Limiter).count(run, rate, false)),
    )
    expect(countAllowed(results)).toBe(5)
    const remaining = results.filter(({ allowed }) => allowed).map((result) => result.remaining)
    expect(remaining.sort()).toEqual([0, 1, 2, 3, 4])
  })

  it('refuses a caller over the limit without calling Redis again, until the window ends', async () => {
    const { clock, countCall, redis } = await startRedisLimiter(kind)
    for (let n = 0; n < 6; n++) await countCall()
    const callsBefore = redis.countCalls()
    for (let n = 0; n < 20; n++) expect((await countCall()).allowed).toBe(false)
    expect(redis.countCalls()).toBe(callsBefore)
    clock.now = start + 60_000
    expect([(await countCall()).allowed, redis.countCalls()]).toEqual([true, callsBefore + 1])
  })

  it('calls Redis once per counted call, after the first call has sent the script', async () => {
    const { countCall, redis } = await startRedisLimiter(kind)
    await countCall('first')
    const callsBefore = redis.countCalls()
    for (let n = 0; n < 10; n++) await countCall(`key ${n}`)
    expect(redis.countCalls()).toBe(callsBefore + 10)
  })

  it('still refuses a caller over the limit while Redis is away', async () => {
    const { countCall, redis } = await startRedisLimiter(kind)
    for (let n = 0; n < 6; n++) await countCall()
    redis.setFault('down')
    expect([(await countCall('other')).allowed, (await countCall()).allowed]).toEqual([true, false])
  })

  // An error that Redis itself answers is no time away: test/lib/vendors/cache/redis-limiter.test.ts.
  it.each(kind.faults.filter((fault) => fault !== 'error' || kind.name === 'Redis over REST'))(
    'waits at most 300 ms for Redis during the fault %s, then allows the limit of calls, and half of it if they are strict',
    { retry: 2 },
    async (fault) => {
      const { redis, countCall, clock } = await startRedisLimiter(kind, 250)
      await countCall('warm')
      redis.setFault(fault)
      const waits: number[] = []
      for (let n = 0; n < 4; n++) {
        // The first two failures start the pause.
        if (n > 1) clock.now += 5001
        waits.push(await measureMs(() => countCall(`other ${n}`)))
      }
      expect(Math.min(...waits)).toBeLessThan(300)
      const callsBefore = redis.countCalls()
      const strictResults = await Promise.all(Array.from({ length: 5 }, () => countCall('s', true)))
      expect(strictResults.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
        [true, 1],
        [true, 0],
        [false, 0],
        [false, 0],
        [false, 0],
      ])
      expect(countAllowed(await Promise.all(Array.from({ length: 20 }, () => countCall('burst'))))).toBe(5)
      if (kind.name === 'Redis over REST') expect(redis.countCalls()).toBe(callsBefore)
      clock.now += 60_001
      expect((await countCall('s', true)).allowed).toBe(true)
    },
  )

  it('calls Redis again 5 seconds after two failures', async () => {
    const { redis, countCall, clock } = await startRedisLimiter(kind)
    await countCall('warm')
    redis.setFault('down')
    await countCall()
    await countCall()
    await redis.clearFault()
    clock.now = start + 4999
    const callsBefore = redis.countCalls()
    expect([(await countCall()).remaining, redis.countCalls()]).toEqual([2, callsBefore])
    clock.now = start + 5001
    // For one window the calls that were counted without Redis still count.
    expect([(await countCall()).remaining, (await countCall()).remaining, redis.countCalls()]).toEqual([
      1,
      0,
      callsBefore + 2,
    ])
  })

  it('allows at least one strict call without Redis', async () => {
    const { redis, limiter, run } = await startRedisLimiter(kind)
    redis.setFault('down')
    const onePerHour = parseRate('1/hour/ip')
    const results = [await limiter.count(run, onePerHour, true), await limiter.count(run, onePerHour, true)]
    expect(results.map(({ allowed }) => allowed)).toEqual([true, false])
  })

  it.each(kind.faults.filter((fault) => fault !== 'slow' && fault !== 'client_error'))(
    'rejects a ping during the fault %s',
    async (fault) => {
      const { redis, limiter } = await startRedisLimiter(kind, 1000)
      await limiter.ping()
      redis.setFault(fault)
      await expect(limiter.ping()).rejects.toThrow()
    },
  )
})

/** The limits that operations declare, each once. */
const declaredLimits = [
  ...new Map(
    operations.flatMap(({ limit, strictLimit }) =>
      limit === 'none' ? [] : [[`${limit} ${strictLimit !== undefined}`, { limit, strictLimit }] as const],
    ),
  ).values(),
]

it.each(redisKinds)(
  'WIR-49 no limit that an operation declares lets more through than its number, while $name is slow, away, full and back',
  async (kind) => {
    const redis = await kind.start()
    const limiter = await openLimiter(redis, 50)
    const states = ['slow', 'down', 'error', undefined]
    const allowed = new Map<string, number>()
    for (const state of states) {
      if (state) redis.setFault(state)
      else await redis.clearFault()
      const bursts = declaredLimits.map(async ({ limit, strictLimit }, n) => {
        const declared = parseRate(limit)
        const burst = Array.from({ length: Math.min(200, declared.max + 5) }, () =>
          limiter.count(`${n}`, declared, strictLimit !== undefined),
        )
        const name = `${limit} ${strictLimit ?? ''}`
        allowed.set(name, (allowed.get(name) ?? 0) + countAllowed(await Promise.all(burst)))
      })
      await Promise.all(bursts)
    }
    expect(declaredLimits.length).toBeGreaterThan(10)
    const tooMany = declaredLimits
      .map(({ limit, strictLimit }) => `${limit} ${strictLimit ?? ''}`)
      .filter((name) => (allowed.get(name) ?? 0) > parseRate(name.split(' ')[0] as Limit).max)
    expect(tooMany).toEqual([])
  },
)

it('a request over REST that failed is not sent again, because it may have been counted', async () => {
  const [kind] = redisKinds
  const { redis, countCall } = await startRedisLimiter(kind)
  await countCall('warm')
  redis.setFault('down')
  const callsBefore = redis.countCalls()
  await countCall()
  expect(redis.countCalls()).toBe(callsBefore + 1)
})

/** A Redis whose scripts return `reply`. */
function createLimiterOf(reply: (key: string) => unknown) {
  const calls: string[] = []
  const evalsha = async (_hash: string, [key = '']: string[]) => {
    calls.push(key)
    return reply(key)
  }
  const commands = {
    evalsha,
    eval: evalsha,
    get: evalsha,
    set: evalsha,
    delete: evalsha,
    ping: async () => 'PONG',
  }
  return { limiter: createRedisLimiter(commands as never), calls }
}

it.each([
  ['a text', 'OK'],
  ['nothing', null],
  ['too few numbers', [1, 2]],
  ['texts', ['a', 'b', 'c']],
  ['no number', [Number.NaN, 1, 1]],
])('a reply of Redis with %s counts as a failure, not as a refusal', async (_, reply) => {
  useClock(start)
  const { limiter } = createLimiterOf(() => reply)
  expect(await limiter.count('k', rate, false)).toEqual({
    allowed: true,
    limit: 5,
    remaining: 4,
    resetSeconds: 60,
  })
  expect((await limiter.count('k', rate, false)).allowed).toBe(true)
})

it('a wrong clock of another process blocks a key for one window at most', async () => {
  const clock = useClock(start)
  const { limiter, calls } = createLimiterOf(() => [-1, start + 86_400_000, 5])
  expect(await limiter.count('k', rate, false)).toEqual({
    allowed: false,
    limit: 5,
    remaining: 0,
    resetSeconds: 60,
  })
  clock.now = start + 60_000
  await limiter.count('k', rate, false)
  expect(calls).toHaveLength(2)
})

it('at most 5,000 blocked keys are remembered, and a new one forgets only the oldest', async () => {
  useClock(start)
  const { limiter, calls } = createLimiterOf(() => [-1, start + 60_000, 5])
  for (let n = 0; n <= 5000; n++) await limiter.count(`${n}`, rate, false)
  expect(calls).toHaveLength(5001)
  for (let n = 500; n <= 5000; n++) await limiter.count(`${n}`, rate, false)
  expect(calls).toHaveLength(5001)
  for (let n = 0; n < 500; n++) await limiter.count(`${n}`, rate, false)
  expect(calls).toHaveLength(5501)
})
