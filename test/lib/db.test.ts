import { NeonDbError } from '@neondatabase/serverless'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isoTime } from '../../lib/db/client.ts'
import { toPage } from '../../lib/db/page.ts'
import { databaseProblem, sqlState, violatedConstraint } from '../../lib/db/sqlstate.ts'

describe('isoTime', () => {
  it.each([
    ['2026-11-21 09:30:00+00', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21 09:30:00.1+00', '2026-11-21T09:30:00.100Z'],
    ['2026-11-21 09:30:00.12+00', '2026-11-21T09:30:00.120Z'],
    ['2026-11-21 09:30:00.123+00', '2026-11-21T09:30:00.123Z'],
    ['2026-11-21 09:30:00.123456+00', '2026-11-21T09:30:00.123Z'],
    ['2026-11-21 09:30:00.000001+00', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21 09:30:00.999999+00', '2026-11-21T09:30:00.999Z'],
  ])('WIR-26 %s is %s', (text, time) => expect(isoTime(text)).toBe(time))

  it('WIR-26 is the same moment as JavaScript reads, cut to milliseconds', () => {
    const date = fc.date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
    fc.assert(
      fc.property(date, fc.integer({ min: 0, max: 999 }), (moment, micros) => {
        const digits = `${moment.toISOString().slice(20, 23)}${String(micros).padStart(3, '0')}`.replace(/0+$/, '')
        // PostgreSQL writes no zero at the end of a fraction.
        const text = `${moment.toISOString().slice(0, 19).replace('T', ' ')}${digits && `.${digits}`}+00`
        expect(isoTime(text)).toBe(moment.toISOString())
      }),
    )
  })
})

const failing = (fields: object) => Object.assign(new Error('row (dana@northwind.example) refused'), fields)

describe('problemOf', () => {
  it.each([
    ['SF401', 401, {}],
    ['SF403', 403, {}],
    ['SF4EV', 403, { code: 'email_not_verified' }],
    ['SF4SL', 403, { code: 'subscription_lapsed' }],
    ['SF4PW', 403, { code: 'password_change_required' }],
    ['23505', 409, {}],
    ['23503', 409, {}],
    ['23514', 422, {}],
    ['22P02', 422, {}],
    ['22021', 422, {}],
    ['40001', 503, {}],
    ['40P01', 503, {}],
    ['55P03', 503, {}],
    ['57014', 503, {}],
    ['53300', 503, {}],
    ['42601', 500, {}],
    ['42501', 500, {}],
    ['XX000', 500, {}],
  ])('%s becomes %i and says nothing of the row', (code, status, more) => {
    const problem = databaseProblem(failing({ code }))
    expect(problem).toMatchObject({ status, body: more })
    expect(JSON.stringify(problem?.body)).not.toContain('northwind')
  })

  it('401 asks for a bearer token', () => {
    expect(databaseProblem(failing({ code: 'SF401' }))?.headers).toEqual({ 'www-authenticate': 'Bearer' })
  })

  it.each([
    ["the driver's error without a SQLSTATE", new NeonDbError('Server error (HTTP status 503): ')],
    ['a WebSocket that closed', new Error('Connection terminated unexpectedly')],
    ["workerd's word for it", new Error('Network connection lost.')],
  ])('%s is 503 and worth a retry', (_, error) => {
    expect(databaseProblem(error)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  })

  it('what the database did not say is none of its problems', () => {
    for (const error of [new TypeError('x is not a function'), failing({ code: 'ECONNRESET' }), 'text', null, undefined, {}]) {
      expect([error, databaseProblem(error)]).toEqual([error, undefined])
    }
  })

  it('finds the SQLSTATE of a cause, and the constraint of an error', () => {
    expect(sqlState(new Error('outer', { cause: failing({ code: '23505' }) }))).toBe('23505')
    expect(sqlState(new Error('outer', { cause: new Error('inner') }))).toBeUndefined()
    expect(violatedConstraint(failing({ constraint: 'users_email' }))).toBe('users_email')
    expect(violatedConstraint(new Error('x'))).toBeUndefined()
  })
})

it('of limit + 1 rows one only says that more follow', () => {
  expect(toPage([1, 2, 3], 2)).toEqual({ items: [1, 2], more: true })
  expect(toPage([1, 2], 2)).toEqual({ items: [1, 2], more: false })
  expect(toPage([], 2)).toEqual({ items: [], more: false })
})
