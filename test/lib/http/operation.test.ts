import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  isStaffOperation,
  listFailures,
  redirect,
  requiresToken,
  stream,
  takesIdempotencyKey,
} from '#http/operation.ts'
import { createStubOperation } from '#test/support/stub-operation.ts'

describe('the failures of an operation', () => {
  const always = ['internal', 'unavailable', 'rate_limited', 'invalid', 'unauthenticated']
  const guards = [
    'password_change_required',
    'email_not_verified',
    'subscription_lapsed',
    'mfa_setup_required',
  ]
  it.each<[object, string[]]>([
    [{}, [...always, ...guards]],
    [{ access: 'public', limit: 'none' }, ['internal', 'unavailable', 'invalid']],
    [{ access: 'public' }, ['internal', 'unavailable', 'rate_limited', 'invalid']],
    [
      { access: 'signed', limit: 'none', method: 'post' },
      ['internal', 'unavailable', 'invalid_signature', 'too_large', 'unsupported_media', 'invalid'],
    ],
    [{ limit: 'none' }, [...always, ...guards]],
    [{ access: 'admin' }, [...always, ...guards, 'forbidden']],
    [{ skipGuards: 'account' }, [...always, 'password_change_required', 'mfa_setup_required']],
    [{ skipGuards: 'mfa' }, [...always, 'password_change_required']],
    [{ skipGuards: 'all' }, always],
    [{ params: z.object({}) }, [...always, ...guards, 'not_found']],
    [
      { stepUp: true, feature: 'kb_import', errors: ['conflict'] },
      [...always, ...guards, 'step_up_required', 'feature_disabled', 'conflict'],
    ],
    [{ method: 'post' }, [...always, ...guards, 'too_large', 'unsupported_media', 'idempotency_key_in_use']],
    [
      { method: 'post', idempotent: false, background: true },
      [...always, ...guards, 'too_large', 'unsupported_media', 'limit_reached'],
    ],
    [{ method: 'patch' }, [...always, ...guards, 'too_large', 'unsupported_media']],
  ])('with %j are derived from its declaration', (changes, failures) => {
    expect(listFailures(createStubOperation(changes)).toSorted()).toEqual(failures.toSorted())
  })
})

it.each<[object, boolean, boolean, boolean]>([
  [{}, true, false, false],
  [{ method: 'post' }, true, true, false],
  [{ method: 'post', idempotent: false }, true, false, false],
  [{ method: 'post', idempotent: 'leased' }, true, true, false],
  [{ method: 'put' }, true, false, false],
  [{ method: 'post', access: 'public' }, false, false, false],
  [{ method: 'post', access: 'signed' }, false, false, false],
  [{ access: 'super_admin', platform: 'why' }, true, false, true],
  [{ access: 'super_admin' }, true, false, false],
  [{ access: 'admin', platform: 'why' }, true, false, false],
])(
  'an operation with %j needs a token: %s, takes a key: %s, and is of staff: %s',
  (changes, token, takesKey, isStaff) => {
    const op = createStubOperation(changes)
    expect([requiresToken(op), takesIdempotencyKey(op), isStaffOperation(op)]).toEqual([
      token,
      takesKey,
      isStaff,
    ])
  },
)

it('a stream and a redirect store no answer under a key', () => {
  expect(
    stream({ ...createStubOperation({}), route: 'GET /a', produces: ['text/csv'] } as never),
  ).toMatchObject({
    success: 200,
    idempotent: false,
  })
  expect(redirect({ ...createStubOperation({}), route: 'GET /a' } as never)).toMatchObject({
    success: 307,
    idempotent: false,
  })
})
