import { describe, expect, it } from 'vitest'
import {
  insufficientScope,
  invalidRequest,
  limitReached,
  notFound,
  Problem,
  requireVersion,
  unknownId,
} from '#problem.ts'

describe('a version that a change is based on', () => {
  it.each([[undefined], [3]])('is the current one: %j', (expected) => {
    expect(() => requireVersion('script', { version: 3 }, expected)).not.toThrow()
  })
  it.each([2, 4])('is another one: %i', (expected) => {
    expect(() => requireVersion('script', { version: 3 }, expected)).toThrow(
      expect.objectContaining({
        kind: 'stale_version',
        message: 'Someone else changed this script. Reload it and apply your change again',
        body: expect.objectContaining({ current_version: 3 }),
      }),
    )
  })
})

describe('the body of a failure', () => {
  it.each([
    [new Problem('not_found', 'Gone'), 404, { detail: 'Gone' }],
    [
      new Problem('conflict', undefined, { facts: { a: 1 } }),
      409,
      { detail: 'The request conflicts with what is stored', a: 1 },
    ],
    [
      new Problem('already_claimed'),
      409,
      { detail: 'Another colleague has already claimed this', code: 'already_claimed' },
    ],
    [new Problem('invalid_signature', 'x', { facts: { a: 1 } }), 400, { error: 'invalid_signature' }],
  ])('of %s has its status %i', (problem, status, body) =>
    expect([problem.status, problem.body]).toEqual([status, body]),
  )
  it('of a 401 names the scheme, unless the caller sets a header', () => {
    expect(new Problem('unauthenticated').headers).toEqual({ 'www-authenticate': 'Bearer' })
    expect(
      new Problem('unauthenticated', undefined, { headers: { 'www-authenticate': 'x' } }).headers,
    ).toEqual({ 'www-authenticate': 'x' })
    expect(new Problem('forbidden').headers).toEqual({})
  })
})

describe('a failure of a rule', () => {
  const error = { loc: ['body', 'name'], msg: 'must be a text', type: 'invalid' }
  it.each<[Problem, string, number, string, object]>([
    [notFound('Team'), 'not_found', 404, 'Team not found', {}],
    [
      limitReached('branches', 5, 'Too many branches'),
      ...([
        'limit_reached',
        409,
        'Too many branches',
        { code: 'limit_reached', resource: 'branches', limit: 5 },
      ] as const),
    ],
    [
      insufficientScope('flows:write'),
      ...([
        'insufficient_scope',
        403,
        'This needs the scope flows:write',
        { required_scope: 'flows:write' },
      ] as const),
    ],
    [
      unknownId('team_id', 'team'),
      ...([
        'invalid',
        422,
        'The request is not valid',
        {
          errors: [{ loc: ['body', 'team_id'], msg: 'must be the id of an existing team', type: 'unknown' }],
        },
      ] as const),
    ],
    [
      invalidRequest(Array(50).fill(error)),
      'invalid',
      422,
      'The request is not valid',
      { errors: Array(50).fill(error) },
    ],
    [
      invalidRequest(Array(51).fill(error)),
      ...([
        'invalid',
        422,
        'The request is not valid; 50 of 51 errors are listed',
        { errors: Array(50).fill(error), error_count: 51 },
      ] as const),
    ],
  ])('is %s', (problem, kind, status, message, facts) => {
    expect([problem.kind, problem.status, problem.message, problem.body]).toEqual([
      kind,
      status,
      message,
      expect.objectContaining(facts),
    ])
  })
  it.each([
    [200, 200],
    [201, 200],
  ])('shortens a key of %i characters to %i', (length, shortened) => {
    const { body } = invalidRequest([{ loc: ['body', 'k'.repeat(length), 3], msg: 'm', type: 't' }])
    expect(body.errors).toEqual([{ loc: ['body', 'k'.repeat(shortened), 3], msg: 'm', type: 't' }])
  })
})
