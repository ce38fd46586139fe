import { describe, expect, it } from 'vitest'
import { Problem, requireVersion } from '../../lib/problem.ts'

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
    [new Problem('conflict', undefined, { facts: { a: 1 } }), 409, { detail: 'The request conflicts with what is stored', a: 1 }],
    [new Problem('already_claimed'), 409, { detail: 'Another colleague has already claimed this', code: 'already_claimed' }],
    [new Problem('invalid_signature', 'x', { facts: { a: 1 } }), 400, { error: 'invalid_signature' }],
  ])('of %s has its status %i', (problem, status, body) => expect([problem.status, problem.body]).toEqual([status, body]))
  it('of a 401 names the scheme, unless the caller sets a header', () => {
    expect(new Problem('unauthenticated').headers).toEqual({ 'www-authenticate': 'Bearer' })
    expect(new Problem('unauthenticated', undefined, { headers: { 'www-authenticate': 'x' } }).headers).toEqual({ 'www-authenticate': 'x' })
    expect(new Problem('forbidden').headers).toEqual({})
  })
})
