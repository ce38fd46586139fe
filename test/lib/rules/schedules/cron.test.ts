import { Cron } from 'croner'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CronError, listCronWarnings, parseCron } from '#rules/schedules/cron.ts'
import { getNextDueTime, getPendingDueTimes, iterateDueTimes } from '#rules/schedules/due-times.ts'

/** Return the first `count` due times after `after`. */
const listDueTimes = (cron: string, timezone: string, after: string, count: number) => {
  const times = iterateDueTimes({ cron, timezone }, Date.parse(after))
  return Array.from({ length: count }, () => new Date(times.next().value).toISOString())
}
/** Return the message of the CronError, or null for a valid expression. */
const findError = (cron: string) => {
  try {
    parseCron(cron)
    return null
  } catch (error) {
    return error instanceof CronError ? error.message : error
  }
}

const tooFrequentMessage = 'must have at least 5 minutes between two runs'

describe('parseCron', () => {
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
  ])('accepts %j', (cron) => expect(findError(cron)).toBe(null))

  it('refuses runs that are less than 5 minutes apart', () => expect(findError('* 2 * * *')).toBe(tooFrequentMessage))

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
  it.each(['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '0 0 31 2-2 */1'])('refuses %j, which matches no date', (cron) =>
    expect(findError(cron)).toBe('must match at least one date'),
  )

  it('MNT-06 checks the interval over midnight only if the schedule matches two days in a row', () => {
    expect(findError('*/5 * * * *')).toBe(null)
    for (const cron of ['*/4 * * * *', '0,4 2 * * *', '0,58 0,23 * * *', '0,56 0,23 28,1 2,3 *', '1,57 0,23 * * 0,1'])
      expect([cron, findError(cron)]).toEqual([cron, tooFrequentMessage])
    for (const cron of ['0,55 0,23 * * *', '0,58 0,23 1,3 * *', '1,57 0,23 * * 0,2']) expect([cron, findError(cron)]).toEqual([cron, null])
  })
})

describe('listCronWarnings', () => {
  it.each(['0 2 8-14 * 2', '0 2 1 * MON#1', '0 2 L * 5'])('MNT-12 warns that %j runs on days that match either day field', (cron) =>
    expect(listCronWarnings(cron)).toEqual([expect.stringContaining('day of the month or the day of the week')]),
  )
  it.each(['0 2 31 * *', '0 2 29,30 * *'])('MNT-12 warns that %j skips months', (cron) =>
    expect(listCronWarnings(cron)).toEqual([expect.stringContaining('skips months without this day')]),
  )
  it.each(['0 2 * * 2#2', '0 2 L * *', '0 2 1,31 * *', '*/5 * * * *', '0 2 */2 * 1'])('MNT-12 does not warn of %j', (cron) =>
    expect(listCronWarnings(cron)).toEqual([]),
  )
})

describe('iterateDueTimes', () => {
  it('MNT-07 runs a skipped local time when the gap ends, and a repeated one only the first time', () => {
    expect(listDueTimes('30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00:00Z', 2)).toEqual([
      '2027-03-28T01:00:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ])
    expect(listDueTimes('30 2 * * *', 'America/New_York', '2027-03-13T12:00:00Z', 2)).toEqual([
      '2027-03-14T07:00:00.000Z',
      '2027-03-15T06:30:00.000Z',
    ])
    expect(listDueTimes('30 2 * * *', 'Europe/Berlin', '2027-10-30T12:00:00Z', 2)).toEqual([
      '2027-10-31T00:30:00.000Z',
      '2027-11-01T01:30:00.000Z',
    ])
    expect(listDueTimes('30 1 * * *', 'America/New_York', '2027-11-06T12:00:00Z', 2)).toEqual([
      '2027-11-07T05:30:00.000Z',
      '2027-11-08T06:30:00.000Z',
    ])
    // 02:00, 02:20 and 02:40 are skipped. They share one due time with 03:00, which is 01:00Z.
    expect(listDueTimes('0,20,40 2,3 * * *', 'Europe/Berlin', '2027-03-28T00:00:00Z', 3).map((time) => time.slice(11, 16))).toEqual([
      '01:00',
      '01:20',
      '01:40',
    ])
    // Nothing is due when the hour occurs for the second time.
    expect(listDueTimes('*/15 * * * *', 'Europe/Berlin', '2027-10-31T01:10:00Z', 1)).toEqual(['2027-10-31T02:00:00.000Z'])
  })

  it('supports clock changes by half an hour, at midnight, and by a whole day', () => {
    expect(listDueTimes('15 2 * * *', 'Australia/Lord_Howe', '2027-10-02T00:00:00Z', 1)).toEqual(['2027-10-02T15:30:00.000Z'])
    expect(listDueTimes('45 1 * * *', 'Australia/Lord_Howe', '2027-04-03T00:00:00Z', 1)).toEqual(['2027-04-03T14:45:00.000Z'])
    expect(listDueTimes('10 0 * * *', 'Africa/Cairo', '2027-04-29T12:00:00Z', 1)).toEqual(['2027-04-29T22:00:00.000Z'])
    expect(listDueTimes('0 12 30 12 *', 'Pacific/Apia', '2011-12-29T12:00:00Z', 1)).toEqual(['2011-12-30T10:00:00.000Z'])
  })

  it('agrees with croner in time zones without clock changes', () => {
    const randomField = (min: number, max: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min, max }).map(String),
        fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map((range) => range.sort((a, b) => a - b).join('-')),
        fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }).map((values) => values.join(',')),
      )
    const randomCron = fc
      .tuple(
        fc.constantFrom('0', '5,35', '*/20', '10-40/15'),
        randomField(0, 23),
        fc.oneof(randomField(1, 28), fc.constantFrom('L', '3,L')),
        randomField(1, 12),
        fc.oneof(randomField(0, 7), fc.constantFrom('2#2', 'FRI#L', '1#1,3', '0#4,6#1')),
      )
      .map((fields) => fields.join(' '))
    const zone = fc.constantFrom('UTC', 'Asia/Kathmandu', 'Asia/Tokyo', 'America/Phoenix')
    const start = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2050-01-01') })
    fc.assert(
      fc.property(randomCron, zone, start, (cron, timezone, from) => {
        expect(getNextDueTime({ cron, timezone }, from)).toBe(new Cron(cron, { timezone }).nextRun(new Date(from))?.getTime())
      }),
      { numRuns: 300 },
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
      { numRuns: 300 },
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
    expect(getPendingDueTimes(schedule, parseTime('01:07'))).toEqual({ due: [parseTime('01:07')], next: parseTime('02:30') })
    expect(getPendingDueTimes(schedule, parseTime('03:00'))).toEqual({
      due: [parseTime('01:07'), parseTime('02:30'), parseTime('03:00')],
      next: parseTime('03:30'),
    })
    expect(getPendingDueTimes({ ...schedule, next_run_at: null }, parseTime('03:00')).due).toEqual([])
  })

  it('returns at most 10,000 due times, and the one after them', () => {
    const schedule = { cron: '0 * * * *', timezone: 'UTC', next_run_at: '2027-01-01T00:00:00Z', timed_since: '2026-01-01T00:00:00Z' }
    const [first, hour] = [Date.parse(schedule.next_run_at), 3_600_000]
    expect(getPendingDueTimes(schedule, first + 9999 * hour)).toMatchObject({ due: { length: 10_000 }, next: first + 10_000 * hour })
    const { due, next } = getPendingDueTimes(schedule, first + 20_000 * hour)
    expect([due.length, due[0], due.at(-1), next]).toEqual([10_000, first, first + 9999 * hour, first + 10_000 * hour])
  })
})
