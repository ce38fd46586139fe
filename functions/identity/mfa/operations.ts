import { TokenPair } from '#functions/identity/auth/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as mfa from './service.ts'

const readsSecrets = 'the tenant role cannot read second factors'
const ownFactors = { access: 'user', skipGuards: 'mfa', platform: readsSecrets } as const

export const mfaOperations = [
  operation({
    id: 'identity.mfa.get',
    route: 'GET /auth/mfa',
    summary: 'Get my second factors',
    description: 'Whether an authenticator app is set up, and what is left of the recovery codes.',
    ...ownFactors,
    limit: 'read',
    strictLimit: 'sign_in',
    returns: schemas.MfaState,
    handle: ({ ctx }) => mfa.getState(ctx),
  }),

  operation({
    id: 'identity.mfa.createTotp',
    route: 'POST /auth/mfa/totp',
    summary: 'Start setting up an authenticator app',
    description: 'Answers the secret to scan. It counts as a second factor once a code of it was confirmed.',
    ...ownFactors,
    stepUp: true,
    limit: '10/minute',
    strictLimit: 'sign_in',
    idempotent: false,
    returns: schemas.TotpSecret,
    errors: ['mfa_already_enabled'],
    handle: ({ ctx }) => mfa.createTotp(ctx),
  }),

  operation({
    id: 'identity.mfa.verifyTotp',
    route: 'POST /auth/mfa/totp/verify',
    summary: 'Switch on my authenticator app',
    description: 'The first second factor revokes my other sign-ins and returns recovery codes.',
    ...ownFactors,
    stepUp: true,
    limit: '10/minute',
    strictLimit: 'sign_in',
    idempotent: false,
    body: schemas.TotpCode,
    success: 200,
    returns: schemas.RecoveryCodes,
    errors: ['mfa_already_enabled', 'mfa_code_invalid', 'mfa_not_enabled'],
    handle: ({ ctx, body }) => mfa.verifyTotp(ctx, body.code),
  }),

  operation({
    id: 'identity.mfa.deleteTotp',
    route: 'DELETE /auth/mfa/totp',
    summary: 'Remove my authenticator app',
    description: 'The recovery codes go with the last second factor.',
    ...ownFactors,
    stepUp: true,
    limit: 'write',
    strictLimit: 'sign_in',
    errors: ['mfa_not_enabled'],
    handle: ({ ctx }) => mfa.deleteTotp(ctx),
  }),

  operation({
    id: 'identity.mfa.replaceRecoveryCodes',
    route: 'POST /auth/mfa/recovery-codes',
    summary: 'Replace my recovery codes',
    description: 'The old codes end at once. The new ones are shown only here.',
    ...ownFactors,
    stepUp: true,
    limit: '10/minute',
    strictLimit: 'sign_in',
    idempotent: false,
    success: 200,
    returns: schemas.RecoveryCodes,
    errors: ['mfa_not_enabled'],
    handle: ({ ctx }) => mfa.replaceRecoveryCodes(ctx),
  }),

  operation({
    id: 'identity.mfa.completeChallenge',
    route: 'POST /auth/mfa/challenge',
    summary: 'Sign in with a second factor',
    description: 'Ten wrong codes within 15 minutes lock it for 15 minutes: 429 `sign_in_locked`.',
    access: 'public',
    platform: 'the account is not known before sign-in',
    limit: '10/minute/ip',
    transport: { countsFailures: true },
    strictLimit: 'sign_in',
    body: schemas.Challenge,
    success: 200,
    returns: TokenPair,
    errors: ['mfa_code_invalid', 'mfa_token_invalid', 'passkey_invalid', 'sign_in_locked', 'sso_required'],
    handle: ({ ctx, body }) => mfa.completeChallenge(ctx, body),
  }),

  operation({
    id: 'identity.mfa.stepUp',
    route: 'POST /auth/mfa/step-up',
    summary: 'Verify my second factor again',
    description: 'Lifts `step_up_required` for 10 minutes.',
    access: 'user',
    skipGuards: 'all',
    platform: readsSecrets,
    limit: '10/minute',
    strictLimit: 'sign_in',
    idempotent: false,
    body: schemas.StepUp,
    success: 204,
    errors: ['mfa_code_invalid', 'mfa_not_enabled', 'passkey_invalid', 'sign_in_locked'],
    handle: ({ ctx, body }) => mfa.stepUp(ctx, body),
  }),
]
