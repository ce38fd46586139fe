import { SignInResult } from '#functions/identity/sign-ins/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as oauth from './service.ts'

const beforeSignIn = 'the account is not known before sign-in'

export const oauthOperations = [
  operation({
    id: 'identity.oauth.authorize',
    route: 'GET /auth/oauth/{provider}/authorize',
    summary: 'Start a sign-in with an identity provider',
    description: `\`state\` is valid for 10 minutes. Before the redirect, store \`state\` where no other page can read it (\`sessionStorage\`). When the
browser returns to \`/oauth/{provider}/callback\`, compare the \`state\` in the address with the stored one, then delete the stored one. Refuse the
callback if they differ or none is stored: otherwise an attacker's link could sign people in as the attacker. Returns 404 for a provider
that is not configured.`,
    access: 'public',
    platform: beforeSignIn,
    transport: { writes: true },
    limit: 'public',
    strictLimit: 'sign_in',
    params: schemas.Provider,
    returns: schemas.Authorization,
    errors: ['oauth_provider_error'],
    handle: ({ ctx, params }) => oauth.authorize(ctx, params.provider),
  }),

  operation({
    id: 'identity.oauth.completeSignIn',
    route: 'POST /auth/oauth/{provider}/callback',
    summary: 'Complete a sign-in with an identity provider',
    description: `Signs in the user of this identity. For an unknown identity a user is created: in the account of \`account_invite_code\`, or in a
new account on trial. If another user has verified the e-mail address, or this sign-in does not verify it, the response is 409 \`email_taken\`; an identity is never linked to an
existing user. If registration is by invitation only, a new user needs an invite: 400
\`invite_code_required\`. Returns 404 for a provider that is not configured and for an invalid invite, and 502 \`oauth_provider_error\` if the
provider fails. The state and the code cannot be used again, even if the sign-in fails.`,
    access: 'public',
    platform: beforeSignIn,
    limit: '10/minute/ip',
    transport: { countsFailures: true },
    strictLimit: 'sign_in',
    params: schemas.Provider,
    body: schemas.Callback,
    success: 200,
    returns: SignInResult,
    errors: [
      'email_taken',
      'invite_code_required',
      'invite_email_mismatch',
      'invite_invalid_or_expired_or_revoked',
      'oauth_email_missing',
      'oauth_email_unverified',
      'oauth_provider_error',
      'oauth_refused',
      'oauth_state_invalid',
      'seat_limit_reached',
      'sso_required',
      'user_deactivated',
    ],
    handle: ({ ctx, params, body }) => oauth.completeSignIn(ctx, params.provider, body),
  }),
]
