import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toIsoTime } from '#db/database.ts'
import { PageQuery, toPage } from '#db/page.ts'

describe('toIsoTime', () => {
  it.each([
    ['2026-11-21 09:30:00+00', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21 09:30:00.1+00', '2026-11-21T09:30:00.100Z'],
    ['2026-11-21 09:30:00.12+00', '2026-11-21T09:30:00.120Z'],
    ['2026-11-21 09:30:00.123+00', '2026-11-21T09:30:00.123Z'],
    ['2026-11-21 09:30:00.123456+00', '2026-11-21T09:30:00.123Z'],
    ['2026-11-21 09:30:00.000001+00', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21 09:30:00.999999+00', '2026-11-21T09:30:00.999Z'],
  ])('WIR-26 converts %s to %s', (text, time) => expect(toIsoTime(text)).toBe(time))

  it('WIR-26 truncates microseconds to milliseconds', () => {
    const date = fc.date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
    fc.assert(
      fc.property(date, fc.integer({ min: 0, max: 999 }), (moment, micros) => {
        const digits = `${moment.toISOString().slice(20, 23)}${String(micros).padStart(3, '0')}`.replace(/0+$/, '')
        // PostgreSQL writes no trailing zeros in a fraction.
        const text = `${moment.toISOString().slice(0, 19).replace('T', ' ')}${digits && `.${digits}`}+00`
        expect(toIsoTime(text)).toBe(moment.toISOString())
      }),
    )
  })
})

it('toPage drops the row after the limit and reports it as hasMore', () => {
  expect(toPage([1, 2, 3], 2)).toEqual({ items: [1, 2], hasMore: true })
  expect(toPage([1, 2], 2)).toEqual({ items: [1, 2], hasMore: false })
  expect(toPage([], 2)).toEqual({ items: [], hasMore: false })
})

it.each([
  [{}, { skip: 0, limit: 50 }],
  [
    { skip: '2147483647', limit: '100' },
    { skip: 2_147_483_647, limit: 100 },
  ],
  [{ limit: '1' }, { skip: 0, limit: 1 }],
  [{ skip: '2147483648' }, undefined],
  [{ skip: '-1' }, undefined],
  [{ limit: '0' }, undefined],
  [{ limit: '101' }, undefined],
  [{ page: '1' }, undefined],
])('reads the page %j', (query, page) => expect(PageQuery.safeParse(query).data).toEqual(page))
