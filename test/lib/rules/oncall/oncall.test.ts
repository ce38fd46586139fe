import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Rotation } from '#rules/oncall/schema.ts'
import { Rotations } from '#rules/oncall/schema.ts'
import { findOnCall, listShifts, type Roster } from '#rules/oncall/shifts.ts'

const hour = 3_600_000
const day = 24 * hour
const everyone = () => true
const daily = (starts_on: string, handoff_time: string, members = ['ana', 'bo']): Rotation => ({
  kind: 'daily',
  members,
  handoff_time,
  starts_on,
})
const weekly = (starts_on: string, handoff_time: string, members = ['ana', 'bo']): Rotation => ({
  kind: 'weekly',
  handoff_day: 'monday',
  members,
  handoff_time,
  starts_on,
})
const createRoster = (timezone: string, rotations: Rotation[], rest: Partial<Roster> = {}): Roster => ({
  timezone,
  rotations,
  overrides: [],
  isAvailable: everyone,
  ...rest,
})
/** Return the shifts as `user start`, in UTC. */
const describeShifts = (roster: Roster, from: string, to: string) =>
  listShifts(roster, Date.parse(from), Date.parse(to)).map(
    ({ userId, startsAt, overrideId }) =>
      `${userId} ${new Date(startsAt).toISOString().slice(0, 16)}${overrideId ? ` ${overrideId}` : ''}`,
  )

describe('ONC-02 the local time of a handoff', () => {
  it.each<[string, string, Rotation, string, string[]]>([
    [
      'stays the same in Berlin in spring',
      'Europe/Berlin',
      weekly('2026-03-16', '09:00'),
      '2026-03-17',
      ['03-23T08:00', '03-30T07:00'],
    ],
    [
      'stays the same in Berlin in autumn',
      'Europe/Berlin',
      weekly('2026-10-12', '09:00'),
      '2026-10-13',
      ['10-19T07:00', '10-26T08:00'],
    ],
    [
      'is the end of the gap in Berlin',
      'Europe/Berlin',
      daily('2026-03-01', '02:30'),
      '2026-03-28T12:00',
      ['03-29T01:00', '03-30T00:30'],
    ],
    [
      'is the first of two in Berlin',
      'Europe/Berlin',
      daily('2026-10-01', '02:30'),
      '2026-10-24T12:00',
      ['10-25T00:30', '10-26T01:30'],
    ],
    [
      'is the end of the gap in New York',
      'America/New_York',
      daily('2026-03-01', '02:30'),
      '2026-03-07T12:00',
      ['03-08T07:00', '03-09T06:30'],
    ],
    [
      'is the first of two in New York',
      'America/New_York',
      daily('2026-10-01', '01:30'),
      '2026-10-31T12:00',
      ['11-01T05:30', '11-02T06:30'],
    ],
    [
      'is the end of half an hour on Lord Howe',
      'Australia/Lord_Howe',
      daily('2026-09-01', '02:15'),
      '2026-10-03',
      ['10-03T15:30', '10-04T15:15'],
    ],
    [
      'is the first of two on Lord Howe',
      'Australia/Lord_Howe',
      daily('2026-03-01', '01:45'),
      '2026-04-04',
      ['04-04T14:45', '04-05T15:15'],
    ],
  ])('%s', (_, timezone, rotation, from, handoffs) => {
    const roster = createRoster(timezone, [rotation])
    const shifts = listShifts(
      roster,
      Date.parse(`${from.padEnd(16, 'T00:00')}Z`),
      Date.parse('2027-01-01T00:00Z'),
    )
    expect(shifts.slice(1, 3).map(({ startsAt }) => new Date(startsAt).toISOString().slice(5, 16))).toEqual(
      handoffs,
    )
  })
})

describe('who is on call', () => {
  it('ONC-01 is each member in turn, and the first turn of a weekly rotation ends on the handoff day', () => {
    const roster = createRoster('UTC', [weekly('2026-01-01', '08:00', ['ana', 'bo', 'cy'])])
    expect(describeShifts(roster, '2025-12-01', '2026-01-20')).toEqual([
      'ana 2026-01-01T08:00',
      'bo 2026-01-05T08:00',
      'cy 2026-01-12T08:00',
      'ana 2026-01-19T08:00',
    ])
  })

  it('ONC-03 is decided by the rotation that began last', () => {
    const roster = createRoster('UTC', [
      daily('2026-01-01', '00:00', ['ana']),
      daily('2026-01-03', '12:00', ['bo']),
    ])
    expect(describeShifts(roster, '2026-01-02', '2026-01-05')).toEqual([
      'ana 2026-01-02T00:00',
      'ana 2026-01-03T00:00',
      'bo 2026-01-03T12:00',
      'bo 2026-01-04T12:00',
    ])
  })

  it('ONC-04 is decided by the override that was created last', () => {
    const override = (id: string, userId: string, start: string, end: string) => ({
      id,
      userId,
      startsAt: Date.parse(`2026-01-${start}:00Z`),
      endsAt: Date.parse(`2026-01-${end}:00Z`),
    })
    const overrides = [override('first', 'cy', '01T06', '01T18'), override('second', 'di', '01T10', '01T12')]
    const roster = createRoster('UTC', [daily('2026-01-01', '00:00')], { overrides })
    expect(describeShifts(roster, '2026-01-01', '2026-01-02')).toEqual([
      'ana 2026-01-01T00:00',
      'cy 2026-01-01T06:00 first',
      'di 2026-01-01T10:00 second',
      'cy 2026-01-01T12:00 first',
      'ana 2026-01-01T18:00',
    ])
    expect(
      describeShifts({ ...roster, isAvailable: (id) => id !== 'cy' }, '2026-01-01', '2026-01-02'),
    ).toEqual(['ana 2026-01-01T00:00', 'di 2026-01-01T10:00 second', 'ana 2026-01-01T12:00'])
  })

  it('ONC-05 is the next member of the rotation while a member is not available', () => {
    const roster = createRoster('UTC', [daily('2026-01-01', '00:00', ['ana', 'bo', 'cy'])], {
      isAvailable: (id) => id !== 'bo',
    })
    expect(describeShifts(roster, '2026-01-01', '2026-01-04').map((shift) => shift.split(' ')[0])).toEqual([
      'ana',
      'cy',
      'cy',
    ])
    expect(findOnCall({ ...roster, isAvailable: () => false }, Date.parse('2026-01-02'))).toBeNull()
  })
})

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'UTC',
]
const twoDigits = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'))
const Time = fc.tuple(twoDigits(23), twoDigits(59)).map(([hours, minutes]) => `${hours}:${minutes}`)
const Members = fc.uniqueArray(fc.constantFrom('ana', 'bo', 'cy', 'di'), { minLength: 1 })
const start = Date.parse('2026-01-01')
const Begin = fc
  .integer({ min: 0, max: 300 })
  .map((days) => new Date(start + days * day).toISOString().slice(0, 10))
const RotationArbitrary = fc
  .record({
    kind: fc.constantFrom('daily', 'weekly'),
    members: Members,
    handoff_time: Time,
    starts_on: Begin,
  })
  .map(({ kind, members, handoff_time, starts_on }) =>
    kind === 'daily' ? daily(starts_on, handoff_time, members) : weekly(starts_on, handoff_time, members),
  )
const RotationList = fc
  .uniqueArray(RotationArbitrary, { minLength: 1, maxLength: 3, selector: ({ starts_on }) => starts_on })
  .map((rotations) => rotations.toSorted((a, b) => (a.starts_on < b.starts_on ? -1 : 1)))
const Overrides = fc.array(
  fc.tuple(
    fc.constantFrom('ana', 'zoe'),
    fc.integer({ min: 0, max: 9000 }),
    fc.integer({ min: 1, max: 300 }),
  ),
  {
    maxLength: 5,
  },
)

it('ONC-01 the shifts of rotations and overrides have no gap and no overlap, and agree with who is on call at each instant', () => {
  const property = fc.property(
    fc.constantFrom(...zones),
    RotationList,
    Overrides,
    fc.integer({ min: 0, max: 400 * 24 }),
    (timezone, rotations, overrides, hours) => {
      const roster = createRoster(timezone, rotations, {
        overrides: overrides.map(([userId, from, length], n) => ({
          id: `o${n}`,
          userId,
          startsAt: start + from * hour,
          endsAt: start + (from + length) * hour,
        })),
      })
      const from = start + 310 * day
      const to = from + 40 * day
      const shifts = listShifts(roster, from, to)
      expect([shifts[0]?.startsAt, shifts.at(-1)?.endsAt]).toEqual([from, to])
      for (const [n, shift] of shifts.entries()) {
        expect(shift.endsAt).toBeGreaterThan(shift.startsAt)
        if (n > 0) expect(shift.startsAt).toBe(shifts[n - 1]?.endsAt)
      }
      const instant = from + (hours % (40 * 24)) * hour
      const shift = shifts.find(({ startsAt, endsAt }) => startsAt <= instant && instant < endsAt)
      expect(findOnCall(roster, instant)).toMatchObject({
        userId: shift?.userId,
        overrideId: shift?.overrideId,
      })
    },
  )
  fc.assert(property, { numRuns: 60 })
})

it('ONC-06 refuses unsorted rotations, repeated members and days that do not exist', () => {
  const isValid = (...rotations: unknown[]) => Rotations.safeParse(rotations).success
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
  expect(isValid(daily('2026-01-01', '09:00', [first]), daily('2026-01-02', '09:00', [second]))).toBe(true)
  expect(isValid(daily('2026-01-02', '09:00', [first]), daily('2026-01-01', '09:00', [second]))).toBe(false)
  expect(isValid(daily('2026-01-01', '09:00', [first]), daily('2026-01-01', '10:00', [second]))).toBe(false)
  expect(isValid(daily('2026-01-01', '09:00', [first, first]))).toBe(false)
  expect(isValid(daily('2026-02-30', '09:00', [first]))).toBe(false)
  expect(isValid(daily('2026-01-01', '24:00', [first]))).toBe(false)
})

it('ONC-04 an override without a rotation applies from its start until before its end', () => {
  const [from, to] = [Date.parse('2026-01-02'), Date.parse('2026-01-03')]
  const overrides = [{ id: 'o', userId: 'cy', startsAt: from, endsAt: to }]
  const roster = createRoster('UTC', [], { overrides })
  expect([findOnCall(roster, from - 1), findOnCall(roster, to)]).toEqual([null, null])
  for (const instant of [from, to - 1])
    expect(findOnCall(roster, instant)).toEqual({
      userId: 'cy',
      startsAt: instant,
      endsAt: to,
      overrideId: 'o',
    })
  expect(listShifts(roster, from - day, to + day)).toEqual([
    { userId: 'cy', startsAt: from, endsAt: to, overrideId: 'o' },
  ])
})

it('ONC-01 a rotation begins at its first handoff time, and a week after it if this is the handoff day', () => {
  const roster = createRoster('UTC', [weekly('2026-01-05', '08:00')])
  const first = Date.parse('2026-01-05T08:00Z')
  expect(findOnCall(roster, first - 1)).toBe(null)
  expect(findOnCall(roster, first)).toEqual({
    userId: 'ana',
    startsAt: first,
    endsAt: first + 7 * day,
    overrideId: null,
  })
  expect(findOnCall(roster, first + 7 * day)?.userId).toBe('bo')
})
