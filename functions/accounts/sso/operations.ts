import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as sso from './service.ts'

export const ssoConnectionOperations = [
  operation({
    id: 'accounts.sso.get',
    route: 'GET /accounts/me/sso',
    summary: 'Get the identity provider of my organisation',
    description: 'Returns the connection without its secret. Returns 409 `sso_not_connected` without one.',
    access: 'account_admin',
    limit: 'read',
    returns: schemas.SsoConnection,
    errors: ['sso_not_connected'],
    handle: ({ ctx }) => sso.get(ctx),
  }),

  operation({
    id: 'accounts.sso.put',
    route: 'PUT /accounts/me/sso',
    summary: 'Connect the identity provider of my organisation',
    description: `Any provider of OpenID Connect. Replaces the connection; the provider is not called: test it afterwards. \`enforced\` ends the sign-ins of
members that did not begin there, and refuses their passwords, resets, passkeys, Google and Microsoft: 403 \`sso_required\`. API keys and
programs go on. Account admins keep their password with a second factor, for when the provider is away: the other admins are told.
Enforcing needs a proved domain and such an admin: 409 \`wrong_state\`.`,
    access: 'account_admin',
    stepUp: true,
    platform: 'the tenant role cannot read who has a password',
    limit: 'write',
    body: schemas.SsoConnectionUpdate,
    returns: schemas.SsoConnection,
    errors: ['wrong_state'],
    handle: ({ ctx, body }) => sso.put(ctx, body),
  }),

  operation({
    id: 'accounts.sso.delete',
    route: 'DELETE /accounts/me/sso',
    summary: 'Disconnect the identity provider of my organisation',
    description:
      'Members sign in as without it. Who never had a password requests a link to set one. The domains stay.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    errors: ['sso_not_connected'],
    handle: ({ ctx }) => sso.remove(ctx),
  }),

  operation({
    id: 'accounts.sso.test',
    route: 'POST /accounts/me/sso/test',
    summary: 'Test the identity provider of my organisation',
    description:
      'Reads its discovery document and keys, compares clocks, and has the client id and the secret checked. Says in words what is wrong.',
    access: 'account_admin',
    limit: '5/minute',
    success: 200,
    returns: schemas.SsoTest,
    errors: ['sso_not_connected'],
    idempotent: 'leased',
    handle: ({ ctx }) => sso.test(ctx),
  }),

  operation({
    id: 'accounts.sso.createScimToken',
    route: 'POST /accounts/me/sso/scim-token',
    summary: 'Create the token that provisions my organisation',
    description: `For the SCIM 2.0 client of the provider, which adds, changes and removes members by it at \`base_url\`. It replaces the token before it,
which ends at once, and is shown only here. It also ends with the connection, and when the issuer changes.`,
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    returns: schemas.ScimToken,
    errors: ['sso_not_connected'],
    idempotent: false,
    handle: ({ ctx }) => sso.createScimToken(ctx),
  }),

  operation({
    id: 'accounts.sso.revokeScimToken',
    route: 'DELETE /accounts/me/sso/scim-token',
    summary: 'Revoke the token that provisions my organisation',
    description: 'Its calls are 401 from then on. Members and groups stay.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    errors: ['sso_not_connected'],
    handle: ({ ctx }) => sso.revokeScimToken(ctx),
  }),

  operation({
    id: 'accounts.sso.addDomain',
    route: 'POST /accounts/me/sso/domains',
    summary: 'Add a domain of my organisation',
    description: 'Returns the TXT record that proves it. Until it is proved, the domain changes nothing.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    body: schemas.SsoDomainCreate,
    getOrCreate: true,
    returns: schemas.SsoDomain,
    errors: ['limit_reached'],
    handle: ({ ctx, body }) => sso.addDomain(ctx, body.domain),
  }),

  operation({
    id: 'accounts.sso.verifyDomain',
    route: 'POST /accounts/me/sso/domains/{domain_id}/verify',
    summary: 'Verify a domain of my organisation',
    description:
      'Looks for its TXT record. A domain that is proved belongs to one account: 409 `domain_taken`.',
    access: 'account_admin',
    stepUp: true,
    limit: '10/minute',
    params: schemas.DomainId,
    success: 200,
    returns: schemas.SsoDomain,
    errors: ['domain_not_proved', 'domain_taken'],
    handle: ({ ctx, params }) => sso.verifyDomain(ctx, params.domain_id),
  }),

  operation({
    id: 'accounts.sso.removeDomain',
    route: 'DELETE /accounts/me/sso/domains/{domain_id}',
    summary: 'Remove a domain of my organisation',
    description:
      'People with its addresses can no longer join by signing in. Members stay, also their sign-ins.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    params: schemas.DomainId,
    handle: ({ ctx, params }) => sso.removeDomain(ctx, params.domain_id),
  }),

  operation({
    id: 'accounts.sso.unlinkMember',
    route: 'DELETE /accounts/me/members/{user_id}/sso-identity',
    summary: 'Unlink a member from the identity provider',
    description:
      'For a person whom the provider knows as another user by now: their next sign-in there links them again by their address.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    params: schemas.MemberId,
    handle: ({ ctx, params }) => sso.unlinkMember(ctx, params.user_id),
  }),
]
