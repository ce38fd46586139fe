import { Cron } from 'croner'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadCron, parseCron } from '../../lib/schedules/cron.ts'
import { dueAfter, nextDue, waitingOf } from '../../lib/schedules/due.ts'

const first = (cron: string, timezone: string, after: string, count: number) => {
  const times = dueAfter({ cron, timezone }, Date.parse(after))
  return Array.from({ length: count }, () => new Date(times.next().value).toISOString())
}
const fault = (cron: string) => {
  try {
    parseCron(cron)
    return null
  } catch (error) {
    return error instanceof BadCron ? error.message : error
  }
}

describe('five fields', () => {
  it.each([
    '* 2 * * *',
    '*/5 * * * *',
    '0 2 * * 7',
    '0 2 29 2 *',
    '0 0 31 2,4 MON',
    '5-50/15,59 1,2 1-7 jan-MAR sun-6',
    '0,58 0,23 1 1 *',
    '0\t2 * * *',
  ])('takes %j unless it is too often', (cron) => expect(fault(cron)).toBe(cron === '* 2 * * *' ? 'Must be 5 minutes apart or more' : null))

  it.each([
    '',
    '@daily',
    '0 2 * *',
    '0 0 2 * * *',
    '0 2 L * *',
    '0 2 15W * *',
    '0 2 * * 5#1',
    '0 2 ? * *',
    '60 * * * *',
    '-1 * * * *',
    '0 24 * * *',
  ])('refuses %j', (cron) => expect(fault(cron)).toEqual(expect.any(String)))
  it.each([
    '0 2 0 * *',
    '0 2 32 * *',
    '0 2 * 13 *',
    '0 2 * * 8',
    '0 2 * * FRI-MON',
    '0 2 5-1 * *',
    '5/15 * * * *',
    '*/0 * * * *',
    '0 2 1-2-3 * *',
  ])('refuses %j too', (cron) => expect(fault(cron)).toEqual(expect.any(String)))
  it.each([
    '0 2 , * *',
    '0 2 1, * *',
    '0 2 1.5 * *',
    '0x1 2 * * *',
    '0 2 * constructor *',
    '0 2 * MONDAY *',
    '0 2 ٣ * *',
    `${'0,'.repeat(40)}0 2 * * x`,
  ])('refuses %j as well', (cron) => expect(fault(cron)).toEqual(expect.any(String)))

  it.each(['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '0 0 31 2-2 */1'])('knows that %j never comes', (cron) =>
    expect(fault(cron)).toBe('This time never comes'),
  )

  it('MNT-06 counts the minutes over midnight where two days follow each other, and nowhere else', () => {
    expect(fault('*/5 * * * *')).toBe(null)
    for (const cron of ['*/4 * * * *', '0,4 2 * * *', '0,58 0,23 * * *', '0,56 0,23 28,1 2,3 *', '1,57 0,23 * * 0,1'])
      expect([cron, fault(cron)]).toEqual([cron, 'Must be 5 minutes apart or more'])
    for (const cron of ['0,55 0,23 * * *', '0,58 0,23 1,3 * *', '1,57 0,23 * * 0,2']) expect([cron, fault(cron)]).toEqual([cron, null])
  })
})

describe('due times', () => {
  it('MNT-07 skips no run in the gap, and repeats none when an hour comes twice', () => {
    expect(first('30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00:00Z', 2)).toEqual([
      '2027-03-28T01:00:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ])
    expect(first('30 2 * * *', 'America/New_York', '2027-03-13T12:00:00Z', 2)).toEqual([
      '2027-03-14T07:00:00.000Z',
      '2027-03-15T06:30:00.000Z',
    ])
    expect(first('30 2 * * *', 'Europe/Berlin', '2027-10-30T12:00:00Z', 2)).toEqual([
      '2027-10-31T00:30:00.000Z',
      '2027-11-01T01:30:00.000Z',
    ])
    expect(first('30 1 * * *', 'America/New_York', '2027-11-06T12:00:00Z', 2)).toEqual([
      '2027-11-07T05:30:00.000Z',
      '2027-11-08T06:30:00.000Z',
    ])
    // Three times of the gap are one.
    expect(first('0,20,40 2,3 * * *', 'Europe/Berlin', '2027-03-28T00:00:00Z', 3).map((time) => time.slice(11, 16))).toEqual([
      '01:00',
      '01:20',
      '01:40',
    ])
    // From within the repeated hour its second pass is over.
    expect(first('*/15 * * * *', 'Europe/Berlin', '2027-10-31T01:10:00Z', 1)).toEqual(['2027-10-31T02:00:00.000Z'])
  })

  it('knows zones that change by half an hour, at midnight, or by a whole day', () => {
    expect(first('15 2 * * *', 'Australia/Lord_Howe', '2027-10-02T00:00:00Z', 1)).toEqual(['2027-10-02T15:30:00.000Z'])
    expect(first('45 1 * * *', 'Australia/Lord_Howe', '2027-04-03T00:00:00Z', 1)).toEqual(['2027-04-03T14:45:00.000Z'])
    expect(first('10 0 * * *', 'Africa/Cairo', '2027-04-29T12:00:00Z', 1)).toEqual(['2027-04-29T22:00:00.000Z'])
    expect(first('0 12 30 12 *', 'Pacific/Apia', '2011-12-29T12:00:00Z', 1)).toEqual(['2011-12-30T10:00:00.000Z'])
  })

  it('agrees with another reader of cron where no clock changes', () => {
    const list = (least: number, most: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min: least, max: most }).map(String),
        fc
          .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
          .map((two) => two.sort((a, b) => a - b).join('-')),
        fc.uniqueArray(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 4 }).map((some) => some.join(',')),
      )
    const cron = fc
      .tuple(fc.constantFrom('0', '5,35', '*/20', '10-40/15'), list(0, 23), list(1, 28), list(1, 12), list(0, 7))
      .map((all) => all.join(' '))
    const zone = fc.constantFrom('UTC', 'Asia/Kathmandu', 'Asia/Tokyo', 'America/Phoenix')
    const start = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2050-01-01') })
    fc.assert(
      fc.property(cron, zone, start, (text, timezone, from) => {
        expect(nextDue({ cron: text, timezone }, from)).toBe(new Cron(text, { timezone }).nextRun(new Date(from))?.getTime())
      }),
      { numRuns: 300 },
    )
  })

  it('rise, whatever the clock does', () => {
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
        (timezone, text, hours) => {
          const from = Date.parse('2027-01-01') + hours * 3_600_000
          const times = first(text, timezone, new Date(from).toISOString(), 60)
          expect([...new Set(times)].sort()).toEqual(times)
          expect(nextDue({ cron: text, timezone }, from)).toBeGreaterThan(from)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('that waited since before a change of time are counted by the new time from the change on alone', () => {
    const at = (time: string) => Date.parse(`2027-01-01T${time}:00Z`)
    const stored = {
      cron: '*/30 * * * *',
      timezone: 'UTC',
      next_run_at: '2027-01-01T01:07:00.000Z',
      timed_since: '2027-01-01T02:10:00.000Z',
    }
    expect(waitingOf(stored, at('01:06'))).toEqual({ due: [], next: at('01:07') })
    expect(waitingOf(stored, at('03:00'))).toEqual({ due: [at('01:07'), at('02:30'), at('03:00')], next: at('03:30') })
    expect(waitingOf({ ...stored, next_run_at: null }, at('03:00')).due).toEqual([])
  })
})
