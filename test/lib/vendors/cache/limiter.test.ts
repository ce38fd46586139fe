import { describe, expect, it } from 'vitest'
import { createMemoryLimiter } from '#platform/node/memory-limiter.ts'
import { parseRate } from '#vendors/cache/limiter.ts'
import { createLocalCounter } from '#vendors/cache/local-counter.ts'

it.each([
  ['30/minute', { max: 30, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['5/hour/ip', { max: 5, windowMs: 3_600_000, unit: 'hour', perAddress: true }],
  ['read', { max: 240, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['write', { max: 120, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['ai', { max: 20, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['public', { max: 120, windowMs: 60_000, unit: 'minute', perAddress: true }],
] as const)('parses the rate %s', (limit, parsed) => expect(parseRate(limit)).toEqual(parsed))

const perMinute = parseRate('2/minute')
const perHour = parseRate('2/hour')

it('a full counter forgets the key that was used least recently, and keeps the others', () => {
  const count = createLocalCounter(3, 100)
  for (const key of ['a', 'a', 'b', 'b', 'c', 'c', 'a']) count(key, 2, perMinute, 1000)
  expect(count('d', 2, perMinute, 1000).remaining).toBe(1)
  expect(['a', 'c', 'd'].map((key) => count(key, 2, perMinute, 1000).remaining)).toEqual([0, 0, 0])
  expect(count('b', 2, perMinute, 1000).remaining).toBe(1)
})

it('a full counter forgets a key whose window has ended before one that still counts', () => {
  const count = createLocalCounter(2, 100)
  for (const key of ['login', 'login', 'read', 'read'])
    count(key, 2, key === 'login' ? perHour : perMinute, 1000)
  count('another', 2, perMinute, 61_001)
  expect(count('login', 2, perHour, 61_001).allowed).toBe(false)
})

it.each([
  [60_999, 'a key that still counts'],
  [61_000, 'the key whose window has ended'],
])('a full counter at %i ms forgets %s', (at, forgotten) => {
  const count = createLocalCounter(2, 100)
  for (const key of ['old', 'ended']) count(key, 2, key === 'old' ? perHour : perMinute, 1000)
  count('another', 2, perMinute, at)
  expect(count('old', 2, perHour, at).remaining).toBe(forgotten === 'a key that still counts' ? 1 : 0)
})

it.each([
  [49, 0],
  [50, 1],
])(
  'a full counter looks behind %i keys that still count for one whose window has ended',
  (others, remaining) => {
    const count = createLocalCounter(others + 1, 1000)
    count('first', 2, perHour, 1000)
    for (let n = 1; n < others; n++) count(`key ${n}`, 2, perHour, 1000)
    count('ended', 2, perMinute, 1000)
    count('another', 2, perHour, 61_000)
    expect(count('first', 2, perHour, 61_000).remaining).toBe(remaining)
  },
)

it('a counter stores at most its limit of calls', () => {
  const count = createLocalCounter(100, 4)
  const keys = ['a', 'b', 'c', 'd', 'e']
  for (const key of keys) count(key, 10, perMinute, 1000)
  expect(count('b', 10, perMinute, 1000).remaining).toBe(8)
  expect(count('a', 10, perMinute, 1000).remaining).toBe(9)
})

it.each([
  ['read', { max: 240, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['write', { max: 120, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['ai', { max: 20, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['public', { max: 120, windowMs: 60_000, unit: 'minute', perAddress: true }],
  ['5/hour/ip', { max: 5, windowMs: 3_600_000, unit: 'hour', perAddress: true }],
  ['5/hour', { max: 5, windowMs: 3_600_000, unit: 'hour', perAddress: false }],
] as const)('parseRate reads %s', (limit, rate) => expect(parseRate(limit)).toEqual(rate))

describe('a counter in this process', () => {
  const rate = parseRate('2/minute')
  it('says how many calls remain and when the next one is allowed', () => {
    const count = createLocalCounter()
    expect(count('a', 2, rate, 0)).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 60 })
    expect(count('a', 2, rate, 30_500)).toEqual({ allowed: true, limit: 2, remaining: 0, resetSeconds: 30 })
    expect(count('a', 2, rate, 59_999)).toEqual({ allowed: false, limit: 2, remaining: 0, resetSeconds: 1 })
    expect(count('a', 2, rate, 60_000)).toMatchObject({ allowed: true, remaining: 0, resetSeconds: 31 })
    expect(count('b', 0, rate, 0)).toEqual({ allowed: false, limit: 0, remaining: 0, resetSeconds: 60 })
  })
})

it('the limiter of one process counts each key by itself, and always answers a ping', async () => {
  const limiter = createMemoryLimiter()
  const rate = { max: 1, windowMs: 60_000, unit: 'minute', perAddress: false }
  const allowed = []
  for (const key of ['a', 'a', 'b']) allowed.push((await limiter.count(key, rate, false)).allowed)
  expect(allowed).toEqual([true, false, true])
  await expect(limiter.ping()).resolves.toBeUndefined()
})
