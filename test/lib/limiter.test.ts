import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLimiter, parseRate } from '../../lib/cache/limiter.ts'
import { secrets, startTestServer } from '../local/test-server.ts'

const rate = parseRate('5/minute')
const start = Date.parse('2026-11-21T09:30:00Z')

/**
 * Start a local Redis that counts its calls, and create a limiter with a clock that the test sets. The default time-out is long, because the
 * machine may be busy.
 */
async function createTestLimiter(timeoutMs = 10_000) {
  const calls = { count: 0 }
  const local = await startTestServer({
    rawHandler: ({ url }) => {
      if (url?.startsWith('/redis')) calls.count++
      return false
    },
  })
  const clock = { now: start }
  const createIsolate = () => createLimiter(`${local.origin}/redis`, secrets.redisToken, timeoutMs, () => clock.now)
  const limiter = createIsolate()
  const countCall = (key = 'k', isStrict = false) => limiter.count(key, rate, isStrict)
  return { ...local, calls, clock, createIsolate, limiter, countCall }
}

const countAllowed = (verdicts: { allowed: boolean }[]) => verdicts.filter(({ allowed }) => allowed).length

it('allows exactly the limit of calls per window, and a new window starts at the exact millisecond', async () => {
  const { clock, countCall, createIsolate } = await createTestLimiter()
  for (let remaining = 4; remaining >= 0; remaining--) {
    expect(await countCall()).toEqual({ allowed: true, limit: 5, remaining, resetSeconds: 60 })
  }
  expect(await countCall()).toEqual({ allowed: false, limit: 5, remaining: 0, resetSeconds: 60 })
  clock.now = start + 59_999
  // Another isolate does not remember the refusal and calls Redis.
  for (const verdict of [await countCall(), await createIsolate().count('k', rate, false)]) {
    expect(verdict).toEqual({ allowed: false, limit: 5, remaining: 0, resetSeconds: 1 })
  }
  clock.now = start + 60_000
  const nextWindow = await Promise.all(Array.from({ length: 7 }, () => countCall()))
  expect(countAllowed(nextWindow)).toBe(5)
})

it('returns as resetSeconds how many seconds remain until the oldest call leaves the window', async () => {
  const { clock, countCall } = await createTestLimiter()
  await countCall()
  clock.now = start + 20_500
  expect(await countCall()).toMatchObject({ remaining: 3, resetSeconds: 40 })
  clock.now = start + 60_000
  expect(await countCall()).toMatchObject({ remaining: 3, resetSeconds: 21 })
})

it('allows a call at a random time exactly if fewer calls than the limit were allowed in the minute before', async () => {
  const { clock, createIsolate } = await createTestLimiter()
  let runCount = 0
  const randomWaits = fc.array(fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.constantFrom(0, 1, 20_000, 59_999, 60_000, 60_001)), {
    maxLength: 25,
    size: 'max',
  })
  const agreesWithModel = async (waits: number[]) => {
    const key = `run-${++runCount}`
    const limiter = createIsolate()
    const allowedTimes: number[] = []
    clock.now = start
    for (const wait of waits) {
      clock.now += wait
      const callsInWindow = allowedTimes.filter((time) => time > clock.now - 60_000).length
      const { allowed } = await limiter.count(key, rate, false)
      if (allowed !== callsInWindow < 5) return false
      if (allowed) allowedTimes.push(clock.now)
    }
    return true
  }
  const check = fc.assert(fc.asyncProperty(randomWaits, agreesWithModel), { numRuns: 25, endOnFailure: true })
  await expect(check).resolves.toBeUndefined()
})

it('counts concurrent calls of several isolates once each', async () => {
  const { createIsolate } = await createTestLimiter()
  const isolates = [createIsolate(), createIsolate(), createIsolate()]
  const verdicts = await Promise.all(Array.from({ length: 40 }, (_, n) => isolates[n % 3]?.count('k', rate, false)))
  expect(countAllowed(verdicts as { allowed: boolean }[])).toBe(5)
  expect(
    verdicts
      .filter((verdict) => verdict?.allowed)
      .map((verdict) => verdict?.remaining)
      .sort(),
  ).toEqual([0, 1, 2, 3, 4])
})

it('counts each key separately', async () => {
  const { countCall } = await createTestLimiter()
  for (let n = 0; n < 6; n++) await countCall('one')
  expect([(await countCall('one')).allowed, (await countCall('two')).remaining]).toEqual([false, 4])
})

it('refuses a caller over the limit without calling Redis again, until the window has room', async () => {
  const { clock, countCall, calls } = await createTestLimiter()
  for (let n = 0; n < 6; n++) await countCall()
  const callsBefore = calls.count
  for (let n = 0; n < 20; n++) expect((await countCall()).allowed).toBe(false)
  expect(calls.count).toBe(callsBefore)
  clock.now = start + 60_000
  expect([(await countCall()).allowed, calls.count]).toEqual([true, callsBefore + 1])
})

it.each(['down', 'hang', 'error', 'garbage', 'slow', 'rate_limit', 'client_error', 'redirect'] as const)(
  'waits at most 300 ms for Redis during the fault %s, then allows all calls that are not strict and half the limit of strict calls',
  async (mode) => {
    const { faults, countCall, clock, calls } = await createTestLimiter(250)
    await countCall('warm')
    faults.set({ service: 'redis', mode })
    const waits: number[] = []
    for (let n = 0; n < 3; n++) {
      clock.now += 5001
      const startedAt = performance.now()
      expect(await countCall()).toEqual({ allowed: true, limit: 5, remaining: 4, resetSeconds: 60 })
      waits.push(performance.now() - startedAt)
    }
    expect(Math.min(...waits)).toBeLessThan(300)
    const callsBefore = calls.count
    const strictResults = await Promise.all(Array.from({ length: 5 }, () => countCall('s', true)))
    expect(strictResults.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
      [false, 0],
    ])
    expect(countAllowed(await Promise.all(Array.from({ length: 20 }, () => countCall())))).toBe(20)
    expect(calls.count).toBe(callsBefore)
    clock.now += 60_001
    expect((await countCall('s', true)).allowed).toBe(true)
  },
)

it('calls Redis again 5 seconds after a failure', async () => {
  const { faults, countCall, clock, calls } = await createTestLimiter()
  await countCall('warm')
  faults.set({ service: 'redis', mode: 'down' })
  await countCall()
  faults.clear()
  clock.now = start + 4999
  const callsBefore = calls.count
  expect([(await countCall()).remaining, calls.count]).toEqual([4, callsBefore])
  clock.now = start + 5001
  expect([(await countCall()).remaining, (await countCall()).remaining, calls.count]).toEqual([4, 3, callsBefore + 2])
})

it('allows at least one strict call without Redis', async () => {
  const { faults, limiter } = await createTestLimiter()
  faults.set({ service: 'redis', mode: 'down' })
  const onePerHour = parseRate('1/hour/ip')
  expect([(await limiter.count('k', onePerHour, true)).allowed, (await limiter.count('k', onePerHour, true)).allowed]).toEqual([
    true,
    false,
  ])
})

it.each(['down', 'hang', 'error', 'garbage', 'rate_limit', 'redirect'] as const)('ping rejects during the Redis fault %s', async (mode) => {
  const { faults, limiter } = await createTestLimiter(1000)
  await limiter.ping()
  faults.set({ service: 'redis', mode })
  await expect(limiter.ping()).rejects.toThrow()
})

it.each([
  ['30/minute', { max: 30, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['5/hour/ip', { max: 5, windowMs: 3_600_000, unit: 'hour', perAddress: true }],
  ['read', { max: 240, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['write', { max: 120, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['ai', { max: 20, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['public', { max: 120, windowMs: 60_000, unit: 'minute', perAddress: true }],
] as const)('parses the rate %s', (limit, parsed) => expect(parseRate(limit)).toEqual(parsed))
