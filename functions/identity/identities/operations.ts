import * as z from 'zod'
import { Authorization, Provider } from '#functions/identity/oauth/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as identities from './service.ts'

const ownIdentities = {
  access: 'user',
  skipGuards: 'account',
  platform: 'the tenant role cannot read what proves a sign-in',
} as const

export const identityOperations = [
  operation({
    id: 'identity.identities.list',
    route: 'GET /auth/me/identities',
    summary: 'List my linked identities',
    description: 'The accounts at identity providers that I can sign in with.',
    ...ownIdentities,
    limit: 'read',
    strictLimit: 'sign_in',
    returns: z.array(schemas.LinkedIdentity),
    handle: ({ ctx }) => identities.list(ctx),
  }),

  operation({
    id: 'identity.identities.startLink',
    route: 'POST /auth/me/identities/{provider}/authorize',
    summary: 'Start linking an identity',
    description: `Like the start of a sign-in with this provider, but only my present sign-in can use \`state\`. The provider redirects to
the same page, \`/oauth/{provider}/callback\`; store beside \`state\` that an identity is to be linked. Returns 404 for a provider that is not configured.`,
    ...ownIdentities,
    stepUp: true,
    limit: '10/minute',
    strictLimit: 'sign_in',
    idempotent: false,
    params: Provider,
    success: 200,
    returns: Authorization,
    errors: ['oauth_provider_error'],
    handle: ({ ctx, params }) => identities.startLink(ctx, params.provider),
  }),

  operation({
    id: 'identity.identities.finishLink',
    route: 'POST /auth/me/identities/{provider}',
    summary: 'Link an identity to me',
    description: `From then on the identity signs in this user, whatever its e-mail address is. Returns 409 \`identity_taken\` for an identity of another user, and
409 \`provider_linked\` if another identity of this provider is linked. The state and the code cannot be used again, even if the link fails.`,
    ...ownIdentities,
    stepUp: true,
    limit: '10/minute',
    strictLimit: 'sign_in',
    idempotent: false,
    params: Provider,
    body: schemas.LinkCallback,
    getOrCreate: true,
    returns: schemas.LinkedIdentity,
    errors: [
      'identity_taken',
      'oauth_provider_error',
      'oauth_refused',
      'oauth_state_invalid',
      'provider_linked',
    ],
    handle: ({ ctx, params, body }) => identities.finishLink(ctx, params.provider, body),
  }),

  operation({
    id: 'identity.identities.unlink',
    route: 'DELETE /auth/me/identities/{provider}',
    summary: 'Unlink an identity from me',
    description:
      'Sign-ins stay. Returns 409 `last_sign_in_method` unless I have a password, a passkey or another identity.',
    ...ownIdentities,
    stepUp: true,
    limit: 'write',
    strictLimit: 'sign_in',
    params: Provider,
    errors: ['last_sign_in_method'],
    handle: ({ ctx, params }) => identities.unlink(ctx, params.provider),
  }),
]
