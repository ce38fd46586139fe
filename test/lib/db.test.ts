import { NeonDbError } from '@neondatabase/serverless'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toIsoTime } from '../../lib/db/database.ts'
import { toPage } from '../../lib/db/page.ts'
import { getSqlState, getViolatedConstraint, toDatabaseProblem } from '../../lib/db/sqlstate.ts'

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

const createError = (fields: object) => Object.assign(new Error('row (dana@northwind.example) refused'), fields)

describe('toDatabaseProblem', () => {
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
    ['57P01', 503, {}],
    ['57P02', 503, {}],
    ['57P03', 503, {}],
    ['25P03', 503, {}],
    ['53300', 503, {}],
    ['53200', 503, {}],
    ['08006', 503, {}],
    ['42601', 500, {}],
    ['42501', 500, {}],
    ['XX000', 500, {}],
  ])('maps %s to %i and reveals nothing of the row', (code, status, body) => {
    const problem = toDatabaseProblem(createError({ code }))
    expect(problem).toMatchObject({ status, body, headers: status === 503 ? { 'retry-after': '5' } : {} })
    expect(JSON.stringify(problem?.body)).not.toContain('northwind')
  })

  it('adds www-authenticate: Bearer to a 401', () => {
    expect(toDatabaseProblem(createError({ code: 'SF401' }))?.headers).toEqual({ 'www-authenticate': 'Bearer' })
  })

  it.each([
    ["the driver's error without a SQLSTATE", new NeonDbError('Server error (HTTP status 503): ')],
    ['a WebSocket that closed', new Error('Connection terminated unexpectedly')],
    ["workerd's error for a lost connection", new Error('Network connection lost.')],
    ['a query after the connection broke', new Error('Client has encountered a connection error and is not queryable')],
    ['a query after the connection was closed', new Error('Client was closed and is not queryable')],
    ['a connection that took too long', new Error('timeout expired')],
    ['a query that took too long', new Error('Query read timeout')],
    ['the event of a WebSocket that failed', Object.assign(new Event('error'), { message: 'Received network error' })],
  ])('maps %s to 503 with a Retry-After', (_, error) => {
    expect(toDatabaseProblem(error)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  })

  it('returns undefined for an error that is not from the database', () => {
    for (const error of [new TypeError('x is not a function'), createError({ code: 'ECONNRESET' }), 'text', null, undefined, {}]) {
      expect([error, toDatabaseProblem(error)]).toEqual([error, undefined])
    }
  })

  it('finds the SQLSTATE of a cause, and the constraint of an error', () => {
    expect(getSqlState(new Error('outer', { cause: createError({ code: '23505' }) }))).toBe('23505')
    expect(getSqlState(new Error('outer', { cause: new Error('inner') }))).toBeUndefined()
    expect(getViolatedConstraint(createError({ constraint: 'users_email' }))).toBe('users_email')
    expect(getViolatedConstraint(new Error('x'))).toBeUndefined()
  })
})

it('toPage drops the row after the limit and reports it as hasMore', () => {
  expect(toPage([1, 2, 3], 2)).toEqual({ items: [1, 2], hasMore: true })
  expect(toPage([1, 2], 2)).toEqual({ items: [1, 2], hasMore: false })
  expect(toPage([], 2)).toEqual({ items: [], hasMore: false })
})
