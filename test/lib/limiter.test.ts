import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLimiter, parseRate } from '../../lib/cache/limiter.ts'
import { secrets, startTestServer } from '../local/test-server.ts'

const rate = parseRate('5/minute')
const start = Date.parse('2026-11-21T09:30:00Z')

/** Redis' stand-in with a count of the calls it gets, and a limiter whose clock the test moves, patient on a busy machine. */
async function limited(patienceMs = 10_000) {
  const calls = { count: 0 }
  const local = await startTestServer({
    rawHandler: ({ url }) => {
      if (url?.startsWith('/redis')) calls.count++
      return false
    },
  })
  const clock = { now: start }
  const isolate = () => createLimiter(`${local.origin}/redis`, secrets.redisToken, patienceMs, () => clock.now)
  const limiter = isolate()
  const take = (key = 'k', strict = false) => limiter.count(key, rate, strict)
  return { ...local, calls, clock, isolate, limiter, take }
}

const allowedOf = (verdicts: { allowed: boolean }[]) => verdicts.filter(({ allowed }) => allowed).length

it('a window holds exactly n calls, to the millisecond at its borders', async () => {
  const { clock, take, isolate } = await limited()
  for (let remaining = 4; remaining >= 0; remaining--) {
    expect(await take()).toEqual({ allowed: true, limit: 5, remaining, resetSeconds: 60 })
  }
  expect(await take()).toEqual({ allowed: false, limit: 5, remaining: 0, resetSeconds: 60 })
  clock.now = start + 59_999
  // Another isolate has no memory of the refusal and asks Redis.
  for (const verdict of [await take(), await isolate().count('k', rate, false)]) {
    expect(verdict).toEqual({ allowed: false, limit: 5, remaining: 0, resetSeconds: 1 })
  }
  clock.now = start + 60_000
  const again = await Promise.all(Array.from({ length: 7 }, () => take()))
  expect(allowedOf(again)).toBe(5)
})

it('the reset is the second in which the oldest call falls out of the window', async () => {
  const { clock, take } = await limited()
  await take()
  clock.now = start + 20_500
  expect(await take()).toMatchObject({ remaining: 3, resetSeconds: 40 })
  clock.now = start + 60_000
  expect(await take()).toMatchObject({ remaining: 3, resetSeconds: 21 })
})

it('whenever the calls come, no minute ever holds more than n, and none is refused without need', async () => {
  const { clock, isolate } = await limited()
  let run = 0
  const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.constantFrom(0, 1, 20_000, 59_999, 60_000, 60_001)), {
    maxLength: 25,
    size: 'max',
  })
  const sameAsModel = async (waits: number[]) => {
    const key = `run-${++run}`
    const limiter = isolate()
    const taken: number[] = []
    clock.now = start
    for (const wait of waits) {
      clock.now += wait
      const inWindow = taken.filter((at) => at > clock.now - 60_000).length
      const { allowed } = await limiter.count(key, rate, false)
      if (allowed !== inWindow < 5) return false
      if (allowed) taken.push(clock.now)
    }
    return true
  }
  const check = fc.assert(fc.asyncProperty(gaps, sameAsModel), { numRuns: 25, endOnFailure: true })
  await expect(check).resolves.toBeUndefined()
})

it('many calls at once through several isolates are counted once each', async () => {
  const { isolate } = await limited()
  const isolates = [isolate(), isolate(), isolate()]
  const verdicts = await Promise.all(Array.from({ length: 40 }, (_, n) => isolates[n % 3]?.count('k', rate, false)))
  expect(allowedOf(verdicts as { allowed: boolean }[])).toBe(5)
  expect(
    verdicts
      .filter((verdict) => verdict?.allowed)
      .map((verdict) => verdict?.remaining)
      .sort(),
  ).toEqual([0, 1, 2, 3, 4])
})

it("one caller's limit is not another's", async () => {
  const { take } = await limited()
  for (let n = 0; n < 6; n++) await take('one')
  expect([(await take('one')).allowed, (await take('two')).remaining]).toEqual([false, 4])
})

it('who is known to be over is refused without another call to Redis, until a place is free', async () => {
  const { clock, take, calls } = await limited()
  for (let n = 0; n < 6; n++) await take()
  const before = calls.count
  for (let n = 0; n < 20; n++) expect((await take()).allowed).toBe(false)
  expect(calls.count).toBe(before)
  clock.now = start + 60_000
  expect([(await take()).allowed, calls.count]).toEqual([true, before + 1])
})

it.each(['down', 'hang', 'error', 'garbage', 'slow', 'rate_limit', 'client_error', 'redirect'] as const)(
  'with Redis on %s a caller waits 300 ms at most, once: most routes are open, strict ones count half here',
  async (mode) => {
    const { faults, take, clock, calls } = await limited(250)
    await take('warm')
    faults.set({ service: 'redis', mode })
    const waits: number[] = []
    for (let n = 0; n < 3; n++) {
      clock.now += 5001
      const before = performance.now()
      expect(await take()).toEqual({ allowed: true, limit: 5, remaining: 4, resetSeconds: 60 })
      waits.push(performance.now() - before)
    }
    expect(Math.min(...waits)).toBeLessThan(300)
    const asked = calls.count
    const strict = await Promise.all(Array.from({ length: 5 }, () => take('s', true)))
    expect(strict.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
      [false, 0],
    ])
    expect(allowedOf(await Promise.all(Array.from({ length: 20 }, () => take())))).toBe(20)
    expect(calls.count).toBe(asked)
    clock.now += 60_001
    expect((await take('s', true)).allowed).toBe(true)
  },
)

it('asks Redis again 5 seconds after it was away', async () => {
  const { faults, take, clock, calls } = await limited()
  await take('warm')
  faults.set({ service: 'redis', mode: 'down' })
  await take()
  faults.clear()
  clock.now = start + 4999
  const before = calls.count
  expect([(await take()).remaining, calls.count]).toEqual([4, before])
  clock.now = start + 5001
  expect([(await take()).remaining, (await take()).remaining, calls.count]).toEqual([4, 3, before + 2])
})

it('a strict route lets at least one call through, however small its limit', async () => {
  const { faults, limiter } = await limited()
  faults.set({ service: 'redis', mode: 'down' })
  const once = parseRate('1/hour/ip')
  expect([(await limiter.count('k', once, true)).allowed, (await limiter.count('k', once, true)).allowed]).toEqual([true, false])
})

it.each(['down', 'hang', 'error', 'garbage', 'rate_limit', 'redirect'] as const)('ping fails with Redis on %s', async (mode) => {
  const { faults, limiter } = await limited(1000)
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
] as const)('the rate %s means what the contract says', (limit, parsed) => expect(parseRate(limit)).toEqual(parsed))
