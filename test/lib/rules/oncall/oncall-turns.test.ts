import { describe, expect, it } from 'vitest'
import { Rotations, type Weekday } from '#rules/oncall/schema.ts'
import { findOnCall, type Override, type Roster } from '#rules/oncall/shifts.ts'
import { getTurn } from '#rules/oncall/turns.ts'

const at = (time: string) => Date.parse(`${time}Z`)
const toText = (time: number | undefined) =>
  time === undefined || !Number.isFinite(time) ? time : new Date(time).toISOString().slice(0, 16)
const everyone = () => true
const daily = (starts_on: string, members = ['ana', 'bo', 'cy']) => ({
  kind: 'daily' as const,
  members,
  handoff_time: '09:00',
  starts_on,
})
const weekly = (starts_on: string, handoff_day: Weekday) => ({
  ...daily(starts_on),
  kind: 'weekly' as const,
  handoff_day,
})

describe('getTurn', () => {
  it.each<[Weekday, string]>([
    ['wednesday', '2026-11-25T09:00'],
    ['thursday', '2026-11-19T09:00'],
    ['friday', '2026-11-20T09:00'],
    ['saturday', '2026-11-21T09:00'],
    ['sunday', '2026-11-22T09:00'],
    ['monday', '2026-11-23T09:00'],
    ['tuesday', '2026-11-24T09:00'],
  ])('ONC-02 the first turn of a rotation from a Wednesday to each %s ends at %s', (handoff_day, end) => {
    const plan = { timezone: 'UTC', rotations: [weekly('2026-11-18', handoff_day)] }
    const turn = getTurn(plan, at('2026-11-18T09:00'), everyone)
    expect([turn.userId, toText(turn.startsAt), toText(turn.endsAt)]).toEqual([
      'ana',
      '2026-11-18T09:00',
      end,
    ])
    expect(getTurn(plan, at(end), everyone).userId).toBe('bo')
  })

  it.each([
    ['2026-11-18T08:59:59.999', undefined],
    ['2026-11-18T09:00', 'ana 2026-11-18T09:00 2026-11-19T09:00'],
    ['2026-11-19T08:59:59.999', 'ana 2026-11-18T09:00 2026-11-19T09:00'],
    ['2026-11-19T09:00', 'bo 2026-11-19T09:00 2026-11-20T09:00'],
    ['2026-11-20T09:00', 'cy 2026-11-20T09:00 2026-11-21T09:00'],
    ['2026-11-21T09:00', 'ana 2026-11-21T09:00 2026-11-22T09:00'],
    ['2026-11-22T08:59', 'ana 2026-11-21T09:00 2026-11-22T09:00'],
    // The next rotation begins at 09:00 on the 23rd.
    ['2026-11-23T08:59', 'bo 2026-11-22T09:00 2026-11-23T09:00'],
    ['2026-11-23T09:00', 'dan 2026-11-23T09:00 2026-11-24T09:00'],
  ])('ONC-02 at %s is %s', (time, expected) => {
    const plan = { timezone: 'UTC', rotations: [daily('2026-11-18'), daily('2026-11-23', ['dan'])] }
    const turn = getTurn(plan, at(time), everyone)
    expect(turn.userId ? `${turn.userId} ${toText(turn.startsAt)} ${toText(turn.endsAt)}` : undefined).toBe(
      expected,
    )
  })

  it('ONC-02 a rotation that begins within a turn ends it', () => {
    const plan = {
      timezone: 'UTC',
      rotations: [weekly('2026-11-18', 'monday'), daily('2026-11-20', ['dan'])],
    }
    expect(toText(getTurn(plan, at('2026-11-18T09:00'), everyone)?.endsAt)).toBe('2026-11-20T09:00')
  })

  it.each<[string[], string | null]>([
    [['ana', 'bo', 'cy'], 'ana'],
    [['bo', 'cy'], 'bo'],
    [['cy'], 'cy'],
    [[], null],
  ])('ONC-02 the next of the available members %j has the turn: %s', (available, userId) => {
    const plan = { timezone: 'UTC', rotations: [daily('2026-11-18')] }
    expect(getTurn(plan, at('2026-11-18T10:00'), (id) => available.includes(id))?.userId).toBe(userId)
  })
})

describe('findOnCall', () => {
  const override = (id: string, userId: string, startsAt: string, endsAt: string): Override => ({
    ...{ id, userId, startsAt: at(startsAt), endsAt: at(endsAt) },
  })
  const find = (overrides: Override[], time: string, fields: Partial<Roster> = {}) => {
    const shift = findOnCall(
      { timezone: 'UTC', rotations: [daily('2026-11-18')], overrides, isAvailable: everyone, ...fields },
      at(time),
    )
    return shift && `${shift.userId} ${toText(shift.startsAt)} ${toText(shift.endsAt)} ${shift.overrideId}`
  }

  it.each<[string, Override[], string]>([
    ['none', [], 'ana 2026-11-18T12:00 2026-11-19T09:00 null'],
    [
      'one that begins later',
      [override('o', 'dan', '2026-11-18T15:00', '2026-11-18T16:00')],
      'ana 2026-11-18T12:00 2026-11-18T15:00 null',
    ],
    [
      'one that has ended',
      [override('o', 'dan', '2026-11-18T10:00', '2026-11-18T12:00')],
      'ana 2026-11-18T12:00 2026-11-19T09:00 null',
    ],
    [
      'one that begins now',
      [override('o', 'dan', '2026-11-18T12:00', '2026-11-18T13:00')],
      'dan 2026-11-18T12:00 2026-11-18T13:00 o',
    ],
    [
      'two at the same time',
      [
        override('o', 'dan', '2026-11-18T11:00', '2026-11-18T13:00'),
        override('p', 'eve', '2026-11-18T11:00', '2026-11-18T14:00'),
      ],
      'eve 2026-11-18T12:00 2026-11-18T14:00 p',
    ],
    [
      'a newer one that begins later',
      [
        override('o', 'dan', '2026-11-18T11:00', '2026-11-18T15:00'),
        override('p', 'eve', '2026-11-18T14:00', '2026-11-18T16:00'),
      ],
      'dan 2026-11-18T12:00 2026-11-18T14:00 o',
    ],
    [
      'an older one that begins later',
      [
        override('o', 'eve', '2026-11-18T14:00', '2026-11-18T16:00'),
        override('p', 'dan', '2026-11-18T11:00', '2026-11-18T15:00'),
      ],
      'dan 2026-11-18T12:00 2026-11-18T15:00 p',
    ],
    [
      'one of a user who is away',
      [
        override('o', 'away', '2026-11-18T11:00', '2026-11-18T15:00'),
        override('p', 'away', '2026-11-18T14:00', '2026-11-18T16:00'),
      ],
      'ana 2026-11-18T12:00 2026-11-19T09:00 null',
    ],
  ])('ONC-03 with overrides (%s) returns who is on call and until when', (_, overrides, expected) => {
    expect(find(overrides, '2026-11-18T12:00', { isAvailable: (id) => id !== 'away' })).toBe(expected)
  })

  it('ONC-02 returns null before the first rotation and while nobody is available', () => {
    expect(find([], '2026-11-18T08:59')).toBeNull()
    expect(find([], '2026-11-18T12:00', { isAvailable: () => false })).toBeNull()
  })
})

it.each([
  [['2026-11-18'], true],
  [['2026-11-18', '2026-11-19'], true],
  [['2026-11-18', '2026-11-18'], false],
  [['2026-11-19', '2026-11-18'], false],
  [['2026-11-18', '2026-11-20', '2026-11-19'], false],
  [['1999-12-31'], false],
  [['2000-01-01'], true],
  [['2099-12-31'], true],
  [['2100-01-01'], false],
  [Array.from({ length: 10 }, (_, n) => `2026-11-${n + 10}`), true],
  [Array.from({ length: 11 }, (_, n) => `2026-11-${n + 10}`), false],
])('ONC-02 rotations that start on %j are valid: %s', (days, isValid) => {
  const member = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d10'
  expect(Rotations.safeParse(days.map((day) => daily(day, [member]))).success).toBe(isValid)
})
