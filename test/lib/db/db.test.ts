import fc from 'fast-check'
import { base64url } from 'jose'
import { describe, expect, it } from 'vitest'
import { toIsoTime } from '#db/database.ts'
import { latestVersionFirst, newestFirst, PageQuery, readCursor, toPage } from '#db/page.ts'

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
    const date = fc.date({
      min: new Date('1970-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(date, fc.integer({ min: 0, max: 999 }), (moment, micros) => {
        const digits = `${moment.toISOString().slice(20, 23)}${String(micros).padStart(3, '0')}`.replace(
          /0+$/,
          '',
        )
        // PostgreSQL writes no trailing zeros in a fraction.
        const text = `${moment.toISOString().slice(0, 19).replace('T', ' ')}${digits && `.${digits}`}+00`
        expect(toIsoTime(text)).toBe(moment.toISOString())
      }),
    )
  })
})

it('toPage drops the row after the limit, and says how the next page starts', () => {
  const [one, two, three] = [{ version: 3 }, { version: 2 }, { version: 1 }]
  const page = { skip: 4, limit: 2 }
  const { items, next } = toPage([one, two, three], page, latestVersionFirst)
  expect(items).toEqual([one, two])
  expect(readCursor(latestVersionFirst, (next as { after: string }).after)).toEqual([2])
  expect(toPage([one, two, three], page, null).next).toEqual({ skip: 6 })
  expect([toPage([one, two], page, latestVersionFirst).next, toPage([], page, null).next]).toEqual([
    null,
    null,
  ])
})

it.each([
  ['no base64url', '%%%'],
  ['no JSON', base64url.encode('{')],
  ['no UTF-8', base64url.encode(new Uint8Array([0x22, 0xff, 0x22]))],
  ['a text', base64url.encode('"a"')],
  ['too few keys', base64url.encode('[]')],
  ['too many keys', base64url.encode('["2026-01-01T00:00:00Z","01a216d0-0686-7392-aee1-48bdde4aff6c",1]')],
  ['no time', base64url.encode('["today","01a216d0-0686-7392-aee1-48bdde4aff6c"]')],
  ['no id', base64url.encode('["2026-01-01T00:00:00Z","1"]')],
  ['a text that cannot be stored', base64url.encode('["\\u0000","01a216d0-0686-7392-aee1-48bdde4aff6c"]')],
])('WIR-67 refuses a cursor that is %s', (_, after) => {
  expect(() => readCursor(newestFirst, after)).toThrow(expect.objectContaining({ status: 422 }))
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
