import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as signIns from './service.ts'

export const signInOperations = [
  operation({
    id: 'identity.signIns.list',
    method: 'get',
    path: '/auth/me/sessions',
    summary: 'List my sign-ins',
    description: 'Last used first.',
    access: 'user',
    skipGuards: 'account',
    limit: 'read',
    strictLimit: 'sign_in',
    success: 200,
    returns: z.array(schemas.SignIn),
    handle: ({ ctx }) => signIns.list(ctx),
  }),

  operation({
    id: 'identity.signIns.revoke',
    method: 'delete',
    path: '/auth/me/sessions/{family_id}',
    summary: 'Revoke one of my sign-ins',
    description: 'Its refresh token ends, so that this device has to sign in again.',
    access: 'user',
    skipGuards: 'account',
    limit: 'write',
    strictLimit: 'sign_in',
    params: schemas.FamilyId,
    success: 204,
    handle: ({ ctx, params }) => signIns.revoke(ctx, params.family_id),
  }),

  operation({
    id: 'identity.signIns.revokeAll',
    method: 'delete',
    path: '/auth/me/sessions',
    summary: 'Sign out everywhere',
    description:
      'Revokes all my sign-ins, this one too, my device tokens, and a change of my e-mail address that is not confirmed yet.',
    access: 'user',
    skipGuards: 'account',
    platform: 'the tenant role cannot change device tokens',
    limit: 'write',
    strictLimit: 'sign_in',
    success: 204,
    handle: ({ ctx }) => signIns.revokeAll(ctx),
  }),
]
