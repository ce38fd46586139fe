import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as signIns from './service.ts'

export const signInOperations = [
  operation({
    id: 'identity.signIns.list',
    route: 'GET /auth/me/sessions',
    summary: 'List my sign-ins',
    description: 'Last used first.',
    access: 'user',
    skipGuards: 'account',
    limit: 'read',
    strictLimit: 'sign_in',
    returns: z.array(schemas.SignIn),
    handle: ({ ctx }) => signIns.list(ctx),
  }),

  operation({
    id: 'identity.signIns.revoke',
    route: 'DELETE /auth/me/sessions/{family_id}',
    summary: 'Revoke one of my sign-ins',
    description: 'Its refresh token ends, so that this device has to sign in again.',
    access: 'user',
    skipGuards: 'account',
    limit: 'write',
    strictLimit: 'sign_in',
    params: schemas.FamilyId,
    handle: ({ ctx, params }) => signIns.revoke(ctx, params.family_id),
  }),

  operation({
    id: 'identity.signIns.revokeAll',
    route: 'DELETE /auth/me/sessions',
    summary: 'Sign out everywhere',
    description:
      'Revokes all my sign-ins, this one too, my device tokens, and a change of my e-mail address that is not confirmed yet.',
    access: 'user',
    skipGuards: 'account',
    platform: 'the tenant role cannot change device tokens',
    limit: 'write',
    strictLimit: 'sign_in',
    handle: ({ ctx }) => signIns.revokeAll(ctx),
  }),
]
