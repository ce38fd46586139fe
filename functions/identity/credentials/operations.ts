import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as credentials from './service.ts'

const beforeSignIn = 'people follow the link in an e-mail before they sign in'
const readsSecrets = 'the tenant role cannot read passwords and tokens'

export const credentialOperations = [
  operation({
    id: 'identity.credentials.changePassword',
    route: 'POST /auth/change-password',
    summary: 'Change my password',
    description:
      'Revokes every other sign-in of the user, and a change of the e-mail address that is not confirmed yet.',
    access: 'user',
    skipGuards: 'all',
    stepUp: true,
    platform: readsSecrets,
    limit: '5/minute',
    strictLimit: 'sign_in',
    idempotent: false,
    body: schemas.ChangePassword,
    success: 204,
    errors: ['no_password', 'stale_version', 'wrong_password'],
    handle: ({ ctx, body }) => credentials.changePassword(ctx, body),
  }),

  operation({
    id: 'identity.credentials.requestPasswordReset',
    route: 'POST /auth/forgot-password',
    summary: 'Request a password reset',
    description:
      'Sends a link by e-mail if an active user has this address, at most 3 in 15 minutes. Returns 202 either way.',
    access: 'public',
    platform: beforeSignIn,
    limit: '3/minute/ip',
    strictLimit: 'sign_in',
    body: schemas.ForgotPassword,
    success: 202,
    errors: ['mail_not_configured'],
    handle: ({ ctx, body }) => credentials.requestPasswordReset(ctx, body.email),
  }),

  operation({
    id: 'identity.credentials.resetPassword',
    route: 'POST /auth/reset-password',
    summary: 'Reset a password',
    description: 'Takes the token of the link in the e-mail. Revokes every sign-in of the user.',
    access: 'public',
    platform: beforeSignIn,
    limit: '5/minute/ip',
    strictLimit: 'sign_in',
    body: schemas.ResetPassword,
    success: 204,
    errors: ['sso_required', 'token_invalid_or_expired'],
    handle: ({ ctx, body }) => credentials.resetPassword(ctx, body),
  }),

  operation({
    id: 'identity.credentials.verifyEmail',
    route: 'POST /auth/verify-email',
    summary: 'Verify an e-mail address',
    description: 'Takes the token of the link in the e-mail.',
    access: 'public',
    platform: beforeSignIn,
    limit: '10/minute/ip',
    strictLimit: 'sign_in',
    body: schemas.VerifyEmail,
    success: 204,
    errors: ['token_invalid_or_expired'],
    handle: ({ ctx, body }) => credentials.verifyEmail(ctx, body.token),
  }),

  operation({
    id: 'identity.credentials.resendVerification',
    route: 'POST /auth/resend-verification',
    summary: 'Resend my verification e-mail',
    description: 'Sends nothing if the address is verified already.',
    access: 'user',
    skipGuards: 'account',
    platform: readsSecrets,
    limit: '3/minute',
    strictLimit: 'sign_in',
    idempotent: false,
    success: 202,
    errors: ['mail_not_configured'],
    handle: ({ ctx }) => credentials.resendVerification(ctx),
  }),
]
