import { Authorization } from '#functions/identity/oauth/schemas.ts'
import { SignInResult } from '#functions/identity/sign-ins/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as sso from './service.ts'

const beforeSignIn = 'the account is not known before sign-in'

export const ssoOperations = [
  operation({
    id: 'identity.sso.lookUp',
    route: 'POST /auth/sso/lookup',
    summary: 'Look up how an address signs in',
    description:
      'Depends on the domain alone: it names no account, and says nothing about whether anybody has the address.',
    access: 'public',
    platform: beforeSignIn,
    limit: '30/minute/ip',
    strictLimit: 'sign_in',
    body: schemas.SsoAddress,
    success: 200,
    returns: schemas.SsoLookup,
    handle: ({ ctx, body }) => sso.lookUp(ctx, body.email),
  }),

  operation({
    id: 'identity.sso.authorize',
    route: 'POST /auth/sso/authorize',
    summary: 'Start a sign-in at the provider of an organisation',
    description: `Like the start of a sign-in with Google, but the browser returns to \`/oauth/sso/{connection_id}/callback\`. Returns 409
\`sso_not_connected\` for an address whose domain no account has proved.`,
    access: 'public',
    platform: beforeSignIn,
    limit: '10/minute/ip',
    strictLimit: 'sign_in',
    body: schemas.SsoAddress,
    success: 200,
    returns: Authorization,
    errors: ['oauth_provider_error', 'sso_not_connected'],
    handle: ({ ctx, body }) => sso.authorize(ctx, body.email),
  }),

  operation({
    id: 'identity.sso.completeSignIn',
    route: 'POST /auth/sso/{connection_id}/callback',
    summary: 'Complete a sign-in at the provider of an organisation',
    description: `Signs in the member whom the provider knows by this \`sub\`. For an unknown one the provider must vouch for an address
(\`email_verified\`, at Entra \`xms_edov\`) of a domain that the account has proved: it links the member who has it, or else adds one within the
seats, by the open invite of the address if there is one. Roles follow the groups; the last admin stays one. Who was removed is not added again: 401 \`user_deactivated\`. A second factor
here is asked for as well.`,
    access: 'public',
    platform: beforeSignIn,
    limit: '10/minute/ip',
    transport: { countsFailures: true },
    strictLimit: 'sign_in',
    params: schemas.ConnectionId,
    body: schemas.SsoCallback,
    success: 200,
    returns: SignInResult,
    errors: [
      'email_taken',
      'oauth_email_missing',
      'oauth_email_unverified',
      'oauth_provider_error',
      'oauth_refused',
      'oauth_state_invalid',
      'provider_linked',
      'seat_limit_reached',
      'user_deactivated',
    ],
    handle: ({ ctx, params, body }) => sso.completeSignIn(ctx, params.connection_id, body),
  }),
]
