import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CronError, checkCron, listCronWarnings } from '#rules/schedules/cron.ts'
import { getNextDueTime, getPendingDueTimes, iterateDueTimes } from '#rules/schedules/due-times.ts'
import { fromLocalTime } from '#rules/schedules/zoned-time.ts'
import { casesByDay } from '#test/support/night.ts'

/** Return the first `count` due times after `after`. */
const listDueTimes = (cron: string, timezone: string, after: string, count: number) => {
  const times = iterateDueTimes({ cron, timezone }, Date.parse(after))
  return Array.from({ length: count }, () => new Date(times.next().value).toISOString())
}
/** Return the message of the CronError, or null for a valid expression. */
const findError = (cron: string) => {
  try {
    checkCron(cron)
    return null
  } catch (error) {
    return error instanceof CronError ? error.message : error
  }
}

const shorten = (time: string) => time.replace(':00.000Z', 'Z')

const tooFrequentMessage = 'must have at least 5 minutes between two runs'

describe('checkCron', () => {
  it.each([
    '*/5 * * * *',
    '0 2 * * 7',
    '0 2 29 2 *',
    '0 0 31 2,4 MON',
    '5-50/15,59 1,2 1-7 jan-MAR sun-6',
    '0,58 0,23 1 1 *',
    '0\t2 * * *',
    '0 2 L * *',
    '0 2 1,l * *',
    '0 2 * * 2#2',
    '0 2 * * TUE#1,fri#L,7L,3',
    '*/60 * * * *',
    '0 2 * * 1-5/9',
  ])('accepts %j', (cron) => expect(findError(cron)).toBe(null))

  it('refuses runs that are less than 5 minutes apart', () =>
    expect(findError('* 2 * * *')).toBe(tooFrequentMessage))

  it.each([
    '',
    '@daily',
    '0 2 * *',
    '0 0 2 * * *',
    '0 2 L-3 * *',
    '0 2 1-L * *',
    '0 2 * * L',
    '0 2 * * 5#6',
    '0 2 * * 5#0',
    '0 2 * * 8#1',
    '0 2 * * #1',
    '0 2 * * 1-5#1',
    '0 2 15W * *',
    '0 2 ? * *',
    '60 * * * *',
    '-1 * * * *',
    '0 24 * * *',
    '0 2 0 * *',
    '0 2 32 * *',
    '0 2 * 13 *',
    '0 2 * * 8',
    '0 2 * * FRI-MON',
    '0 2 5-1 * *',
    '5/15 * * * *',
    '*/0 * * * *',
    '0 2 1-2-3 * *',
    '0 2 , * *',
    '0 2 1, * *',
    '0 2 1.5 * *',
    '0x1 2 * * *',
    '0 2 * constructor *',
    '0 2 * MONDAY *',
    '0 2 ٣ * *',
    `${'0,'.repeat(40)}0 2 * * x`,
  ])('refuses %j', (cron) => expect(findError(cron)).toEqual(expect.any(String)))
  it.each(['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '0 0 31 2-2 */1'])(
    'refuses %j, which matches no date',
    (cron) => expect(findError(cron)).toBe('must match at least one date'),
  )

  it('MNT-06 checks the interval over midnight only if the schedule matches two days in a row', () => {
    expect(findError('*/5 * * * *')).toBe(null)
    for (const cron of [
      '*/4 * * * *',
      '0,4 2 * * *',
      '0,58 0,23 * * *',
      '0,56 0,23 28,1 2,3 *',
      '1,57 0,23 * * 0,1',
    ])
      expect([cron, findError(cron)]).toEqual([cron, tooFrequentMessage])
    for (const cron of ['0,55 0,23 * * *', '0,58 0,23 1,3 * *', '1,57 0,23 * * 0,2'])
      expect([cron, findError(cron)]).toEqual([cron, null])
  })
})

describe('listCronWarnings', () => {
  it.each(['0 2 8-14 * 2', '0 2 1 * MON#1', '0 2 L * 5'])(
    'MNT-12 warns that %j runs on days that match either day field',
    (cron) =>
      expect(listCronWarnings(cron)).toEqual([
        expect.stringContaining('day of the month or the day of the week'),
      ]),
  )
  it.each(['0 2 31 * *', '0 2 29,30 * *'])('MNT-12 warns that %j skips months', (cron) =>
    expect(listCronWarnings(cron)).toEqual([expect.stringContaining('skips months without this day')]),
  )
  it.each(['0 2 * * 2#2', '0 2 L * *', '0 2 1,31 * *', '*/5 * * * *', '0 2 */2 * 1'])(
    'MNT-12 does not warn of %j',
    (cron) => expect(listCronWarnings(cron)).toEqual([]),
  )
})

describe('iterateDueTimes', () => {
  it.each([
    // Fixed times: a skipped one runs at the end of the gap, a repeated one the first time.
    ['30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', ['2027-03-28T01:00Z', '2027-03-29T00:30Z']],
    ['30 2 * * *', 'America/New_York', '2027-03-13T12:00Z', ['2027-03-14T07:00Z', '2027-03-15T06:30Z']],
    ['30 2 * * *', 'Europe/Berlin', '2027-10-30T12:00Z', ['2027-10-31T00:30Z', '2027-11-01T01:30Z']],
    ['30 1 * * *', 'America/New_York', '2027-11-06T12:00Z', ['2027-11-07T05:30Z', '2027-11-08T06:30Z']],
    [
      '0,30 1,2 * * *',
      'America/New_York',
      '2027-11-07T05:00Z',
      ['2027-11-07T05:30Z', '2027-11-07T07:00Z', '2027-11-07T07:30Z'],
    ],
    // The same, counted from within the second of the two hours.
    ['30 2 * * *', 'Europe/Berlin', '2027-10-31T01:10Z', ['2027-11-01T01:30Z']],
    // 02:00, 02:20 and 02:40 are skipped. They share one due time with 03:00.
    [
      '0,20,40 2,3 * * *',
      'Europe/Berlin',
      '2027-03-28T00:00Z',
      ['2027-03-28T01:00Z', '2027-03-28T01:20Z', '2027-03-28T01:40Z'],
    ],
    // Clocks that change by half an hour, at midnight, and by a whole day.
    ['15 2 * * *', 'Australia/Lord_Howe', '2027-10-02T00:00Z', ['2027-10-02T15:30Z', '2027-10-03T15:15Z']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2027-04-03T00:00Z', ['2027-04-03T14:45Z', '2027-04-04T15:15Z']],
    ['10 0 * * *', 'Africa/Cairo', '2027-04-29T12:00Z', ['2027-04-29T22:00Z', '2027-04-30T21:10Z']],
    ['0 12 30 12 *', 'Pacific/Apia', '2011-12-29T12:00Z', ['2011-12-30T10:00Z', '2012-12-29T22:00Z']],
    // No clock changes, leap days, and extensions.
    ['30 2 * * *', 'Asia/Kolkata', '2027-03-27T12:00Z', ['2027-03-27T21:00Z', '2027-03-28T21:00Z']],
    ['0 0 29 2 *', 'Europe/Berlin', '2027-01-01T00:00Z', ['2028-02-28T23:00Z', '2032-02-28T23:00Z']],
    ['0 12 29 2 *', 'UTC', '2096-03-01T00:00Z', ['2104-02-29T12:00Z']],
    ['0 0 L * *', 'America/New_York', '2028-02-01T12:00Z', ['2028-02-29T05:00Z', '2028-03-31T04:00Z']],
    ['0 2 * * 2#2', 'Europe/Berlin', '2027-03-01T00:00Z', ['2027-03-09T01:00Z', '2027-04-13T00:00Z']],
    ['0 2 * * 7L', 'Europe/Berlin', '2027-10-01T00:00Z', ['2027-10-31T00:00Z', '2027-11-28T01:00Z']],
    // Both day fields are limited: either matches. `*/2` does not limit, so both must match.
    [
      '0 9 13 * 5',
      'UTC',
      '2027-08-01T00:00Z',
      ['2027-08-06T09:00Z', '2027-08-13T09:00Z', '2027-08-20T09:00Z'],
    ],
    [
      '0 9 */2 * 1',
      'UTC',
      '2027-08-01T00:00Z',
      ['2027-08-09T09:00Z', '2027-08-23T09:00Z', '2027-09-13T09:00Z'],
    ],
    ['*/60 9 * * 1-5/9', 'UTC', '2027-08-01T00:00Z', ['2027-08-02T09:00Z', '2027-08-09T09:00Z']],
  ] as const)('MNT-07 runs %j in %s after %s at exact instants', (cron, timezone, after, expected) =>
    expect(listDueTimes(cron, timezone, after, expected.length).map(shorten)).toEqual(expected),
  )

  it.each([
    ['*/15 * * * *', 'America/New_York', '2027-11-07T05:15Z', 15, 9],
    ['*/15 * * * *', 'Europe/Berlin', '2027-10-31T00:30Z', 15, 9],
    ['30 * * * *', 'Europe/Berlin', '2027-10-30T22:30Z', 60, 4],
    ['*/10 1 * * *', 'America/New_York', '2027-11-07T05:00Z', 10, 11],
    ['*/10 * * * *', 'Australia/Lord_Howe', '2027-04-03T14:00Z', 10, 12],
    ['*/15 * * * *', 'Europe/Berlin', '2027-03-28T00:30Z', 15, 8],
    ['*/15 * * * *', 'Asia/Kolkata', '2027-11-07T05:15Z', 15, 9],
  ] as const)(
    'MNT-13 keeps the interval of %j in %s through a clock change',
    (cron, timezone, after, minutes, count) => {
      const first = Date.parse(after.replace('Z', ':00Z'))
      const expected = Array.from({ length: count }, (_, n) =>
        new Date(first + (n + 1) * minutes * 60_000).toISOString(),
      )
      expect(listDueTimes(cron, timezone, after, count)).toEqual(expected)
    },
  )

  it('MNT-07 loses no run of an interval in the hour that the clock skips', () =>
    expect(listDueTimes('*/15 2 * * *', 'Europe/Berlin', '2027-03-28T00:00Z', 2).map(shorten)).toEqual([
      '2027-03-28T01:00Z',
      '2027-03-29T00:00Z',
    ]))

  it('runs each day that matches once, at a fixed time, in every time zone and year', () => {
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kolkata',
      'Africa/Cairo',
    )
    const time = fc.tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 23 }))
    const day = fc.integer({ min: 1, max: 365 * 20 })
    fc.assert(
      fc.property(zone, time, day, (timezone, [minute, hour], days) => {
        const midnight = Date.UTC(2027, 0, days)
        const times = iterateDueTimes(
          { cron: `${minute} ${hour} * * *`, timezone },
          fromLocalTime(timezone, midnight) - 1,
        )
        for (let n = 0; n < 40; n++) {
          const localTime = midnight + (n * 24 * 60 + hour * 60 + minute) * 60_000
          expect(times.next().value).toBe(fromLocalTime(timezone, localTime))
        }
      }),
      { numRuns: casesByDay(100) },
    )
  })

  it('yields ascending times in time zones with clock changes', () => {
    const zone = fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'America/Sao_Paulo',
      'Africa/Casablanca',
    )
    fc.assert(
      fc.property(
        zone,
        fc.constantFrom('*/5 * * * *', '*/30 0-4 * * *'),
        fc.integer({ min: 0, max: 365 * 24 }),
        (timezone, cron, hours) => {
          const from = Date.parse('2027-01-01') + hours * 3_600_000
          const times = listDueTimes(cron, timezone, new Date(from).toISOString(), 60)
          expect([...new Set(times)].sort()).toEqual(times)
          expect(getNextDueTime({ cron, timezone }, from)).toBeGreaterThan(from)
        },
      ),
      { numRuns: casesByDay(300) },
    )
  })
})

describe('getPendingDueTimes', () => {
  it('after a change of the timing, returns next_run_at and then the due times of the new timing after timed_since', () => {
    const parseTime = (time: string) => Date.parse(`2027-01-01T${time}:00Z`)
    const schedule = {
      cron: '*/30 * * * *',
      timezone: 'UTC',
      next_run_at: '2027-01-01T01:07:00.000Z',
      timed_since: '2027-01-01T02:10:00.000Z',
    }
    expect(getPendingDueTimes(schedule, parseTime('01:06'))).toEqual({ due: [], next: parseTime('01:07') })
    expect(getPendingDueTimes(schedule, parseTime('01:07'))).toEqual({
      due: [parseTime('01:07')],
      next: parseTime('02:30'),
    })
    expect(getPendingDueTimes(schedule, parseTime('03:00'))).toEqual({
      due: [parseTime('01:07'), parseTime('02:30'), parseTime('03:00')],
      next: parseTime('03:30'),
    })
    expect(getPendingDueTimes({ ...schedule, next_run_at: null }, parseTime('03:00')).due).toEqual([])
  })

  it('returns at most 10,000 due times, and the one after them', () => {
    const schedule = {
      cron: '0 * * * *',
      timezone: 'UTC',
      next_run_at: '2027-01-01T00:00:00Z',
      timed_since: '2026-01-01T00:00:00Z',
    }
    const [first, hour] = [Date.parse(schedule.next_run_at), 3_600_000]
    expect(getPendingDueTimes(schedule, first + 9999 * hour)).toMatchObject({
      due: { length: 10_000 },
      next: first + 10_000 * hour,
    })
    const { due, next } = getPendingDueTimes(schedule, first + 20_000 * hour)
    expect([due.length, due[0], due.at(-1), next]).toEqual([
      10_000,
      first,
      first + 9999 * hour,
      first + 10_000 * hour,
    ])
  })
})
