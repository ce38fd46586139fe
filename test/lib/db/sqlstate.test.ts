import { NeonDbError } from '@neondatabase/serverless'
import { describe, expect, it } from 'vitest'
import {
  findDetail,
  getSqlState,
  getViolatedConstraint,
  throwNameTaken,
  throwUnknownId,
  toDatabaseProblem,
} from '#db/sqlstate.ts'
import type { Problem } from '#problem.ts'

const sqlError = (code: string, more: object = {}) => Object.assign(new Error('secret'), { code, ...more })
const catchError = (call: () => unknown): unknown => {
  try {
    return call()
  } catch (error) {
    return error
  }
}

describe('an error of the database', () => {
  it.each([
    [{ code: '23505' }, '23505'],
    [{ code: 'ECONNRESET', cause: { code: '57P01' } }, '57P01'],
    [{ code: 23505 }, undefined],
    [{ cause: null }, undefined],
    ['23505', undefined],
    [null, undefined],
  ])('%j has the SQLSTATE %j', (error, state) => expect(getSqlState(error)).toBe(state))
  it.each([
    [{ constraint: 'users_email' }, 'users_email'],
    [{ constraint: 7 }, undefined],
    [{}, undefined],
    ['users_email', undefined],
    [null, undefined],
  ])('%j violates the constraint %j', (error, constraint) =>
    expect(getViolatedConstraint(error)).toBe(constraint),
  )
  it.each([
    [{ detail: 'd' }, 'd'],
    [{ detail: 7, cause: { detail: 'c' } }, 'c'],
    [{}, undefined],
    ['d', undefined],
    [null, undefined],
  ])('%j has the detail %j', (error, detail) => expect(findDetail(error)).toBe(detail))
  it.each([
    [
      sqlError('SF4LR', { detail: '{"resource":"api_keys","used":5,"limit":5}' }),
      {
        message: 'The account has reached its limit of 5 api keys',
        body: { resource: 'api_keys', used: 5, limit: 5 },
      },
    ],
    [
      sqlError('SF4LR', { detail: 'no JSON' }),
      { message: 'The limit is reached', body: { code: 'limit_reached' } },
    ],
    [sqlError('SF4LR'), { message: 'The limit is reached', body: { code: 'limit_reached' } }],
    [
      sqlError('SF4KS', { detail: 'flows:write' }),
      { kind: 'insufficient_scope', body: { required_scope: 'flows:write' } },
    ],
    [sqlError('SF4KS'), { body: { required_scope: '' } }],
    [sqlError('53300'), { kind: 'unavailable', headers: { 'retry-after': '5' } }],
    [sqlError('08006'), { kind: 'unavailable', headers: { 'retry-after': '5' } }],
    [sqlError('22P02'), { kind: 'invalid', headers: {} }],
    [sqlError('42P01'), { kind: 'internal', headers: {} }],
    [Object.assign(new Error('x'), { name: 'NeonDbError' }), { kind: 'unavailable' }],
    [Object.assign(new Error('x'), { name: 'TimeoutError' }), { kind: 'unavailable' }],
    [new Error('Connection terminated unexpectedly'), { kind: 'unavailable' }],
    [{ type: 'error' }, { kind: 'unavailable' }],
  ])('%j is answered', (error, expected) => expect(toDatabaseProblem(error)).toMatchObject(expected))
  it.each([[new Error('x')], [{ type: 'close' }], [{}], [null], ['timeout']])('%j is none', (error) =>
    expect(toDatabaseProblem(error)).toBeUndefined(),
  )

  it('is 409 name_taken for a unique violation only', () => {
    expect(catchError(() => throwNameTaken('A category')(sqlError('23505')))).toMatchObject({
      kind: 'name_taken',
      message: 'A category with this name already exists',
    })
    const other = sqlError('23503')
    expect(catchError(() => throwNameTaken('A category')(other))).toBe(other)
  })
  it.each([
    ['23503', 'fk_team', '', 422],
    ['23503', 'fk_team', 'team', 422],
    ['23503', 'fk_user', 'team', undefined],
    ['23503', undefined, 'team', undefined],
    ['23505', 'fk_team', 'team', undefined],
  ])('%s of %s is a 422 for the constraint %j: %s', (code, constraint, expected, status) => {
    const error = catchError(() =>
      throwUnknownId('team_id', 'team', expected)(sqlError(code, { constraint })),
    )
    expect((error as Problem).status).toBe(status)
  })
})

const createError = (fields: object) =>
  Object.assign(new Error('row (dana@northwind.example) refused'), fields)

describe('toDatabaseProblem', () => {
  it.each([
    ['Control plane request failed', 503],
    ["Couldn't connect to compute node", 503],
    ['cache lookup failed for type 1', 500],
  ])('OBS-14 an internal error is %s: %i', (message, status) => {
    expect(toDatabaseProblem(Object.assign(new Error(message), { code: 'XX000' }))).toMatchObject({ status })
  })
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
    expect(toDatabaseProblem(createError({ code: 'SF401' }))?.headers).toEqual({
      'www-authenticate': 'Bearer',
    })
  })

  it.each([
    ["the driver's error without a SQLSTATE", new NeonDbError('Server error (HTTP status 503): ')],
    ['a WebSocket that closed', new Error('Connection terminated unexpectedly')],
    ["workerd's error for a lost connection", new Error('Network connection lost.')],
    [
      'a query after the connection broke',
      new Error('Client has encountered a connection error and is not queryable'),
    ],
    ['a query after the connection was closed', new Error('Client was closed and is not queryable')],
    ['a connection that took too long', new Error('timeout expired')],
    ['a query that took too long', new Error('Query read timeout')],
    [
      'the event of a WebSocket that failed',
      Object.assign(new Event('error'), { message: 'Received network error' }),
    ],
  ])('maps %s to 503 with a Retry-After', (_, error) => {
    expect(toDatabaseProblem(error)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  })

  it('returns undefined for an error that is not from the database', () => {
    for (const error of [
      new TypeError('x is not a function'),
      createError({ code: 'ECONNRESET' }),
      'text',
      null,
      undefined,
      {},
    ]) {
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
