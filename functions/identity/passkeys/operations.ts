import * as z from 'zod'
import { TokenPair } from '#functions/identity/auth/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as passkeys from './service.ts'

const ownFactors = {
  access: 'user',
  skipGuards: 'mfa',
  platform: 'the tenant role cannot read second factors',
} as const
const beforeSignIn = 'the account is not known before sign-in'

export const passkeyOperations = [
  operation({
    id: 'identity.passkeys.list',
    route: 'GET /auth/passkeys',
    summary: 'List my passkeys',
    description: 'With their names, and when each was used last.',
    ...ownFactors,
    limit: 'read',
    strictLimit: 'sign_in',
    returns: z.array(schemas.Passkey),
    handle: ({ ctx }) => passkeys.list(ctx),
  }),

  operation({
    id: 'identity.passkeys.startRegistration',
    route: 'POST /auth/passkeys/register/options',
    summary: 'Start adding a passkey',
    description: 'Answers the options for `navigator.credentials.create`. They are valid for a few minutes.',
    ...ownFactors,
    stepUp: true,
    limit: '10/minute',
    strictLimit: 'sign_in',
    idempotent: false,
    success: 200,
    returns: schemas.Options,
    errors: ['limit_reached'],
    handle: ({ ctx }) => passkeys.startRegistration(ctx),
  }),

  operation({
    id: 'identity.passkeys.finishRegistration',
    route: 'POST /auth/passkeys/register/verify',
    summary: 'Add a passkey',
    description: 'The first second factor revokes my other sign-ins.',
    ...ownFactors,
    stepUp: true,
    limit: '10/minute',
    strictLimit: 'sign_in',
    idempotent: false,
    body: schemas.RegistrationBody,
    returns: schemas.Registered,
    errors: ['passkey_invalid'],
    handle: ({ ctx, body }) => passkeys.finishRegistration(ctx, body),
  }),

  operation({
    id: 'identity.passkeys.rename',
    route: 'PATCH /auth/passkeys/{passkey_id}',
    summary: 'Rename a passkey',
    description: 'The name helps me to tell my passkeys apart; it has no other effect.',
    ...ownFactors,
    limit: 'write',
    strictLimit: 'sign_in',
    params: schemas.PasskeyId,
    body: schemas.PasskeyName,
    returns: schemas.Passkey,
    handle: ({ ctx, params, body }) => passkeys.rename(ctx, params.passkey_id, body.name),
  }),

  operation({
    id: 'identity.passkeys.delete',
    route: 'DELETE /auth/passkeys/{passkey_id}',
    summary: 'Delete a passkey',
    description: 'Refused with 409 while it is my last way to sign in.',
    ...ownFactors,
    stepUp: true,
    limit: 'write',
    strictLimit: 'sign_in',
    params: schemas.PasskeyId,
    errors: ['last_sign_in_method'],
    handle: ({ ctx, params }) => passkeys.remove(ctx, params.passkey_id),
  }),

  operation({
    id: 'identity.passkeys.startSignIn',
    route: 'POST /auth/passkeys/sign-in/options',
    summary: 'Start a sign-in with a passkey',
    description: 'Also for a challenge and a step-up.',
    access: 'public',
    platform: beforeSignIn,
    limit: 'public',
    strictLimit: 'sign_in',
    success: 200,
    returns: schemas.Options,
    handle: ({ ctx }) => passkeys.startSignIn(ctx),
  }),

  operation({
    id: 'identity.passkeys.signIn',
    route: 'POST /auth/passkeys/sign-in/verify',
    summary: 'Sign in with a passkey',
    description:
      'The second half of signing in with a passkey: sends what the browser signed, answers the tokens.',
    access: 'public',
    platform: beforeSignIn,
    limit: '10/minute/ip',
    transport: { countsFailures: true },
    strictLimit: 'sign_in',
    body: schemas.SignInBody,
    success: 200,
    returns: TokenPair,
    errors: ['passkey_invalid', 'sso_required'],
    handle: ({ ctx, body }) => passkeys.signIn(ctx, body.passkey),
  }),
]
