import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, describe, expect, it } from 'vitest'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { type Identity, identityProvider, OidcFailure, type ProviderName } from '#vendors/auth/oidc.ts'

const { privateKey, publicKey } = await generateKeyPair('RS256')
const { privateKey: otherKey } = await generateKeyPair('RS256')
const vendor = await startVendorServer()
afterAll(vendor.close)

type Answer = ReturnType<typeof vendor.answer>
interface Changes {
  name?: ProviderName
  clientSecret?: string
  claims?: object
  key?: CryptoKey
  /** What the provider answers instead of the right answers. */
  answers?: Partial<Record<'/.well-known/openid-configuration' | '/token' | '/keys', Answer>>
}

const tenant = '9122040d'
const flow = { code: 'c', state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) }

/**
 * Sign in with a provider whose ID token has `claims`. Return the identity, or the kind and the message of
 * the failure.
 */
async function signIn({
  name = 'google',
  clientSecret = 'secret',
  claims = {},
  key = privateKey,
  answers = {},
}: Changes) {
  const allClaims = { iss: vendor.origin, aud: 'client', nonce: 'n', sub: 'subject-1', ...claims }
  const token = new SignJWT(allClaims)
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .setIssuedAt()
    .setExpirationTime('1h')
  const id_token = await token.sign(key)
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }
  const rightAnswers: Record<string, unknown> = {
    '/.well-known/openid-configuration': {
      ...{ issuer: vendor.origin, authorization_endpoint: `${vendor.origin}/authorize` },
      ...{ token_endpoint: `${vendor.origin}/token`, jwks_uri: `${vendor.origin}/keys` },
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    },
    '/token': { access_token: 'a', token_type: 'Bearer', id_token },
    '/keys': { keys: [jwk] },
  }
  vendor.requests.length = 0
  vendor.answer = ({ path }) => {
    const changed = answers[path as keyof typeof answers]
    return changed === undefined
      ? { headers: { 'content-type': 'application/json' }, body: rightAnswers[path] }
      : changed
  }
  const provider = identityProvider({
    ...{
      name,
      issuer: vendor.origin,
      clientId: 'client',
      clientSecret,
      redirectUri: 'https://app.example/callback',
    },
  })
  return provider.redeem(flow).catch((error: unknown): Identity | string[] => {
    if (error instanceof OidcFailure) return [error.kind, error.message]
    throw error
  })
}
const json = (status: number, body: unknown) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body,
})
const unspecified = ['failed', 'The provider does not answer as specified']

describe('a sign-in at a provider', () => {
  it.each<[string, Changes, Identity | string[]]>([
    [
      'gives the identity',
      { claims: { email: ' a@b.example ', email_verified: true, name: 'Noa' } },
      { subject: 'subject-1', email: 'a@b.example', emailVerified: true, name: 'Noa' },
    ],
    [
      'ignores claims that are no texts or empty',
      { claims: { email: 7, name: ' ' } },
      { subject: 'subject-1', email: null, emailVerified: false, name: null },
    ],
    [
      'gives the identity of a tenant, by its preferred name if there is no address',
      { name: 'microsoft', claims: { tid: tenant, oid: 'o', preferred_username: 'a@b.example' } },
      { subject: `${tenant}:o`, email: 'a@b.example', emailVerified: false, name: null },
    ],
    [
      'gives the address of a tenant before the preferred name, and never as verified',
      {
        name: 'microsoft',
        claims: {
          tid: tenant,
          oid: 'o',
          email: 'c@d.example',
          email_verified: true,
          preferred_username: 'a@b.example',
        },
      },
      { subject: `${tenant}:o`, email: 'c@d.example', emailVerified: false, name: null },
    ],
    [
      'needs a tenant',
      { name: 'microsoft', claims: { oid: 'o' } },
      ['refused', 'The ID token has no tenant'],
    ],
    [
      'needs a well-formed tenant',
      { name: 'microsoft', claims: { oid: 'o', tid: 'a/b' } },
      ['refused', 'The ID token has no tenant'],
    ],
    [
      'needs a subject',
      { name: 'microsoft', claims: { tid: tenant } },
      ['refused', 'The ID token has no subject'],
    ],
    [
      'needs the nonce of the request',
      { claims: { nonce: 'other' } },
      ['refused', 'The ID token is not valid'],
    ],
    ['needs a token for this client', { claims: { aud: 'other' } }, ['refused', 'The ID token is not valid']],
    [
      'needs a token of this issuer',
      { claims: { iss: 'https://other.example' } },
      ['refused', 'The ID token is not valid'],
    ],
    ['needs the right signature', { key: otherKey }, ['refused', 'The signature of the ID token is wrong']],
    [
      'is refused for an unknown code',
      { answers: { '/token': json(400, { error: 'invalid_grant' }) } },
      ['refused', 'The provider does not accept this code'],
    ],
    [
      'fails for a client that the provider does not know',
      { answers: { '/token': json(401, { error: 'invalid_client' }) } },
      unspecified,
    ],
    ['fails when the provider is out of order', { answers: { '/token': json(500, {}) } }, unspecified],
    ['fails when the connection breaks', { answers: { '/token': null } }, unspecified],
    ['fails when the keys cannot be fetched', { answers: { '/keys': json(500, {}) } }, unspecified],
    [
      'fails without an access token',
      { answers: { '/token': json(200, { token_type: 'Bearer', id_token: 'a.b.c' }) } },
      ['failed', 'The provider answered without tokens'],
    ],
    [
      'fails without an ID token',
      { answers: { '/token': json(200, { token_type: 'Bearer', access_token: 'a' }) } },
      ['failed', 'The provider answered without tokens'],
    ],
    [
      'fails when the metadata lacks an endpoint',
      {
        answers: {
          '/.well-known/openid-configuration': json(200, {
            issuer: vendor.origin,
            token_endpoint: 'https://a.example',
          }),
        },
      },
      ['failed', "The provider's discovery has no authorization_endpoint"],
    ],
  ])('%s', async (_, changes, result) => expect(await signIn(changes)).toEqual(result))

  it.each([
    ['secret', 'secret'],
    ['', null],
  ])('sends the secret %j as %j', async (clientSecret, sent) => {
    await signIn({ clientSecret })
    const body = new URLSearchParams(vendor.requests.find(({ path }) => path === '/token')?.body)
    expect([body.get('client_secret'), body.get('client_id'), body.get('code_verifier')]).toEqual([
      sent,
      'client',
      flow.codeVerifier,
    ])
  })
})
