import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findDuty } from '#rules/oncall/hours.ts'
import { type Hours, type Rotation, Rotations, weekdays } from '#rules/oncall/schema.ts'
import { findOnCall, listShifts, type Roster } from '#rules/oncall/shifts.ts'
import { casesByDay } from '#test/support/night.ts'

const workdays: Hours['days'] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']
const business: Hours[] = [{ days: workdays, from: '09:00', to: '17:00' }]
const nights: Hours[] = [{ days: workdays, from: '17:00', to: '09:00' }]
const weekends: Hours[] = [{ days: ['saturday', 'sunday'], from: '00:00', to: '00:00' }]
const rotation = (member: string, fields: Partial<Rotation>): Rotation =>
  ({
    kind: 'daily',
    members: [member],
    handoff_time: '09:00',
    starts_on: '2020-01-01',
    ...fields,
  }) as Rotation
const createRoster = (timezone: string, rotations: Rotation[], fields: Partial<Roster> = {}): Roster => ({
  timezone,
  rotations,
  overrides: [],
  isAvailable: () => true,
  ...fields,
})
const toText = (instant: number) => new Date(instant).toISOString().slice(0, 16)
const describeShifts = (roster: Roster, from: string, to: string) =>
  listShifts(roster, Date.parse(`${from}Z`), Date.parse(`${to}Z`)).map(
    ({ userId, startsAt, endsAt }) => `${userId} ${toText(startsAt)} ${toText(endsAt)}`,
  )

describe('ONC-29 hours of a rotation', () => {
  it.each([
    // The clock is set forward on Sunday the 14th, and back on Sunday the 7th.
    [
      'America/New_York',
      business,
      '2027-03-12T12:00',
      '2027-03-15T16:00',
      ['2027-03-12T14:00 2027-03-12T22:00', '2027-03-15T13:00 2027-03-15T21:00'],
    ],
    [
      'America/New_York',
      nights,
      '2027-11-05T12:00',
      '2027-11-08T12:00',
      ['2027-11-04T21:00 2027-11-05T13:00', '2027-11-05T21:00 2027-11-06T13:00'],
    ],
    // A weekend with a clock change has 47 or 49 hours.
    [
      'Europe/Berlin',
      weekends,
      '2027-03-26T23:00',
      '2027-03-28T21:59',
      ['2027-03-26T23:00 2027-03-28T22:00'],
    ],
    [
      'Europe/Berlin',
      weekends,
      '2027-10-29T22:00',
      '2027-10-31T22:59',
      ['2027-10-29T22:00 2027-10-31T23:00'],
    ],
    // 02:15 is skipped, and 01:45 comes twice.
    [
      'Australia/Lord_Howe',
      [{ days: ['sunday'], from: '02:15', to: '03:00' }],
      '2027-10-02T12:00',
      '2027-10-02T15:45',
      ['2027-10-02T15:30 2027-10-02T16:00'],
    ],
    [
      'Australia/Lord_Howe',
      [{ days: ['sunday'], from: '01:45', to: '03:00' }],
      '2027-04-03T12:00',
      '2027-04-03T15:45',
      ['2027-04-03T14:45 2027-04-03T16:30'],
    ],
    ['Asia/Kolkata', business, '2027-03-15T00:00', '2027-03-15T04:00', ['2027-03-15T03:30 2027-03-15T11:30']],
  ] as const)('are exact over clock changes in %s', (timezone, hours, from, to, expected) => {
    const duties: string[] = []
    for (let instant = Date.parse(`${from}Z`); instant <= Date.parse(`${to}Z`); ) {
      const { isOnDuty, endsAt } = findDuty(hours as Hours[], timezone, instant)
      let start = instant
      while (isOnDuty && findDuty(hours as Hours[], timezone, start - 60_000).isOnDuty) start -= 60_000
      if (isOnDuty) duties.push(`${toText(start)} ${toText(endsAt)}`)
      instant = endsAt
    }
    expect(duties).toEqual(expected)
  })

  it('leave nobody on call outside of them, and end the shift', () =>
    expect(
      describeShifts(
        createRoster('UTC', [rotation('ana', { hours: business })]),
        '2027-01-01T00:00',
        '2027-01-05T00:00',
      ),
    ).toEqual(['ana 2027-01-01T09:00 2027-01-01T17:00', 'ana 2027-01-04T09:00 2027-01-04T17:00']))

  it('of several layers give the highest with somebody on duty', () => {
    const rotations = [
      rotation('base', {}),
      rotation('night', { layer: 2, hours: nights }),
      rotation('weekend', { layer: 3, hours: weekends }),
    ]
    expect(describeShifts(createRoster('UTC', rotations), '2027-01-01T08:00', '2027-01-04T18:00')).toEqual([
      'night 2027-01-01T08:00 2027-01-01T09:00',
      'base 2027-01-01T09:00 2027-01-01T17:00',
      'night 2027-01-01T17:00 2027-01-02T00:00',
      'weekend 2027-01-02T00:00 2027-01-02T09:00',
      'weekend 2027-01-02T09:00 2027-01-03T09:00',
      'weekend 2027-01-03T09:00 2027-01-04T00:00',
      'base 2027-01-04T00:00 2027-01-04T09:00',
      'base 2027-01-04T09:00 2027-01-04T17:00',
      'night 2027-01-04T17:00 2027-01-04T18:00',
    ])
  })

  it('follow the time zone of the member on call', () => {
    const zones: Record<string, string> = { ana: 'Asia/Tokyo', bo: 'Europe/Berlin' }
    const rotations = [
      rotation('ana', { hours: business, hours_zone: 'member' }),
      rotation('bo', { layer: 2, hours: business, hours_zone: 'member' }),
    ]
    const roster = createRoster('UTC', rotations, { getTimezone: (id) => zones[id] ?? 'UTC' })
    expect(describeShifts(roster, '2027-06-01T00:00', '2027-06-02T00:00').map((shift) => shift)).toEqual([
      'ana 2027-06-01T00:00 2027-06-01T07:00',
      'bo 2027-06-01T07:00 2027-06-01T09:00',
      'bo 2027-06-01T09:00 2027-06-01T15:00',
    ])
  })

  it('agree at every instant with the shifts that are listed, without overlap', () => {
    const time = fc
      .integer({ min: 0, max: 95 })
      .map((n) => `${String(Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}`)
    const hours = fc.array(
      fc.record({
        days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
        from: time,
        to: time,
      }),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kolkata',
    )
    const start = fc.integer({ min: 0, max: 365 * 24 }).map((n) => Date.UTC(2027, 0, 1) + n * 3_600_000)
    fc.assert(
      fc.property(zone, hours, hours, start, (timezone, low, high, from) => {
        const roster = createRoster(timezone, [
          rotation('ana', { hours: low }),
          rotation('bo', { layer: 2, hours: high }),
        ])
        const shifts = listShifts(roster, from, from + 4 * 86_400_000)
        for (let instant = from; instant < from + 4 * 86_400_000; instant += 15 * 60_000) {
          const expected = findDuty(high, timezone, instant).isOnDuty
            ? 'bo'
            : findDuty(low, timezone, instant).isOnDuty
              ? 'ana'
              : undefined
          const listed = shifts
            .filter(({ startsAt, endsAt }) => startsAt <= instant && instant < endsAt)
            .map(({ userId }) => userId)
          expect(listed).toEqual(expected === undefined ? [] : [expected])
          expect(findOnCall(roster, instant)?.userId).toBe(expected)
        }
      }),
      { numRuns: casesByDay(40) },
    )
  })

  it('ONC-06 allows the same first day in different layers only', () => {
    const isValid = (...rotations: Rotation[]) =>
      Rotations.safeParse(rotations.map((each) => ({ ...each, members: [crypto.randomUUID()] }))).success
    expect(isValid(rotation('a', {}), rotation('b', { layer: 2, hours: nights }))).toBe(true)
    expect(isValid(rotation('a', { layer: 1 }), rotation('b', {}))).toBe(false)
    expect(isValid(rotation('a', { hours: [] }))).toBe(false)
  })
})
