import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as credentials from './service.ts'

const before = 'a link in a mail is followed before anybody is signed in'
const secrets = 'passwords and tokens are out of reach of the tenant role'

export const credentialOperations = [
  operation({
    id: 'identity.credentials.changePassword',
    method: 'post',
    path: '/auth/change-password',
    summary: 'Change my password; signs my other devices out',
    access: 'user',
    past: 'password',
    platform: secrets,
    limit: '5/minute',
    idempotent: false,
    body: schemas.ChangePassword,
    success: 204,
    errors: ['bad_request', 'conflict'],
    handle: ({ ctx, body }) => credentials.changePassword(ctx, body),
  }),

  operation({
    id: 'identity.credentials.requestPasswordReset',
    method: 'post',
    path: '/auth/forgot-password',
    summary: 'Send me a link to choose a new password',
    description: 'Always 202, whether the address is known or not.',
    access: 'public',
    platform: before,
    limit: '3/minute/ip',
    body: schemas.ForgotPassword,
    success: 202,
    handle: ({ ctx, body }) => credentials.forgotPassword(ctx, body.email),
  }),

  operation({
    id: 'identity.credentials.resetPassword',
    method: 'post',
    path: '/auth/reset-password',
    summary: 'Choose a new password by the link in the mail; signs every device out',
    access: 'public',
    platform: before,
    limit: '5/minute/ip',
    body: schemas.ResetPassword,
    success: 204,
    errors: ['bad_request'],
    handle: ({ ctx, body }) => credentials.resetPassword(ctx, body),
  }),

  operation({
    id: 'identity.credentials.verifyEmail',
    method: 'post',
    path: '/auth/verify-email',
    summary: 'Confirm an address by the link in the mail',
    access: 'public',
    platform: before,
    limit: '10/minute/ip',
    body: schemas.VerifyEmail,
    success: 204,
    errors: ['bad_request'],
    handle: ({ ctx, body }) => credentials.verifyEmail(ctx, body.token),
  }),

  operation({
    id: 'identity.credentials.resendVerification',
    method: 'post',
    path: '/auth/resend-verification',
    summary: 'Send me the verification mail again',
    access: 'user',
    past: 'guards',
    platform: secrets,
    limit: '3/minute',
    idempotent: false,
    success: 202,
    handle: ({ ctx }) => credentials.resendVerification(ctx),
  }),
]
