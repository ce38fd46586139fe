import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as emailChanges from './service.ts'

const ownAddress = {
  access: 'user',
  skipGuards: 'account',
  platform: 'the tenant role cannot read what proves a sign-in',
} as const

export const emailChangeOperations = [
  operation({
    id: 'identity.emailChanges.create',
    route: 'POST /auth/me/email-change',
    summary: 'Change my e-mail address',
    description: `Sends a link to the new address, and a notice to the present one. The address changes when somebody follows the link, which works once,
within an hour. A newer change, a new password and \`DELETE /auth/me/sessions\` end it. The response is the same for an address that somebody
else has verified, but no link is sent there. An address gets at most 3 links in 15 minutes.`,
    ...ownAddress,
    stepUp: true,
    limit: '5/hour',
    strictLimit: 'mail',
    idempotent: false,
    body: schemas.EmailChangeCreate,
    success: 202,
    returns: schemas.EmailChange,
    errors: ['mail_not_configured', 'wrong_password'],
    handle: ({ ctx, body }) => emailChanges.create(ctx, body),
  }),

  operation({
    id: 'identity.emailChanges.get',
    route: 'GET /auth/me/email-change',
    summary: 'Get the change of my e-mail address',
    description: 'Returns 404 if no change waits for its confirmation.',
    ...ownAddress,
    limit: 'read',
    strictLimit: 'sign_in',
    returns: schemas.EmailChange,
    errors: ['not_found'],
    handle: ({ ctx }) => emailChanges.get(ctx),
  }),

  operation({
    id: 'identity.emailChanges.cancel',
    route: 'DELETE /auth/me/email-change',
    summary: 'Cancel the change of my e-mail address',
    description: 'The link that was sent to the new address ends. The present address stays.',
    ...ownAddress,
    limit: 'write',
    strictLimit: 'sign_in',
    handle: ({ ctx }) => emailChanges.cancel(ctx),
  }),

  operation({
    id: 'identity.emailChanges.confirm',
    route: 'POST /auth/confirm-email',
    summary: 'Confirm a new e-mail address',
    description: `Takes the token of the link. From then on the user signs in with the new address, which is verified. Links in earlier e-mails to the
old address end, and notifications that were not sent yet go to the new one. Sign-ins, linked identities and programs stay. An open invite of the
account to the new address is revoked. Lists of addresses in notification configs stay as they are, and so does the customer at the billing
provider.`,
    access: 'public',
    platform: 'people follow the link in an e-mail before they sign in',
    limit: '10/minute/ip',
    strictLimit: 'sign_in',
    body: schemas.EmailChangeConfirmation,
    success: 204,
    errors: ['email_taken', 'token_invalid_or_expired'],
    handle: ({ ctx, body }) => emailChanges.confirm(ctx, body.token),
  }),
]
