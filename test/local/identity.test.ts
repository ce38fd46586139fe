import { createHash, randomBytes } from 'node:crypto'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { expectStatus } from '#test/support/expect-status.ts'
import type { ProviderName } from '#vendors/auth/oidc.ts'
import { secrets, startTestServer } from './test-server.ts'

const providers = ['google', 'microsoft'] as const
type TestServer = Awaited<ReturnType<typeof startTestServer>>
type Metadata = Record<'issuer' | 'authorization_endpoint' | 'token_endpoint' | 'jwks_uri', string>

async function fetchMetadata({ origin }: TestServer, provider: ProviderName): Promise<Metadata> {
  const issuer = provider === 'google' ? `${origin}/idp/google` : `${origin}/idp/microsoft/common/v2.0`
  return (await fetch(`${issuer}/.well-known/openid-configuration`)).json() as Promise<Metadata>
}

function authorizationRequest(
  { origin }: TestServer,
  provider: ProviderName,
  verifier: string,
): Record<string, string> {
  return {
    client_id: `local-${provider}-client`,
    redirect_uri: `${origin}/oauth/${provider}/callback`,
    response_type: 'code',
    scope: 'openid email profile',
    state: 's',
    nonce: 'n',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
}

const postForm = (endpoint: string, values: Record<string, string>) =>
  fetch(endpoint, { method: 'POST', body: new URLSearchParams(values), redirect: 'manual' })

/**
 * Sign in at a provider. Return its metadata, the redirect, a token request for the code, and the client's
 * credentials.
 */
async function obtainCode(server: TestServer, provider: ProviderName) {
  const metadata = await fetchMetadata(server, provider)
  const verifier = randomBytes(32).toString('base64url')
  const request = authorizationRequest(server, provider, verifier)
  const response = await postForm(metadata.authorization_endpoint, {
    ...request,
    email: 'noa@example.com',
    name: 'Noa',
  })
  const redirect = new URL(response.headers.get('location') ?? '')
  const { client_id = '', redirect_uri = '' } = request
  const tokenRequest = {
    grant_type: 'authorization_code',
    code: redirect.searchParams.get('code') ?? '',
    redirect_uri,
    code_verifier: verifier,
  }
  return {
    metadata,
    redirect,
    tokenRequest,
    credentials: { client_id, client_secret: secrets.identitySecret },
  }
}

test.each(providers)(
  'local %s exchanges a code once for an ID token that its published keys verify',
  async (provider) => {
    const server = await startTestServer()
    const { metadata, redirect, tokenRequest, credentials } = await obtainCode(server, provider)
    expect([redirect.pathname, redirect.searchParams.get('state')]).toEqual([
      `/oauth/${provider}/callback`,
      's',
    ])
    const response = await postForm(metadata.token_endpoint, { ...tokenRequest, ...credentials })
    const { id_token, token_type } = (await response.json()) as { id_token: string; token_type: string }
    expect([response.status, token_type]).toEqual([200, 'Bearer'])
    const { payload } = await jwtVerify(id_token, createRemoteJWKSet(new URL(metadata.jwks_uri)), {
      audience: credentials.client_id,
    })
    expect(payload).toMatchObject({ nonce: 'n', email: 'noa@example.com', name: 'Noa' })
    expect(payload.iss).toBe(metadata.issuer.replace('{tenantid}', String(payload.tid)))
    expect(Object.hasOwn(payload, 'email_verified')).toBe(provider === 'google')
    const repeated = await postForm(metadata.token_endpoint, { ...tokenRequest, ...credentials })
    expect([repeated.status, await repeated.json()]).toMatchObject([400, { error: 'invalid_grant' }])
  },
)

test.each([
  ['a wrong verifier', { code_verifier: 'x'.repeat(43) }, 400, 'invalid_grant'],
  ['another redirect URI', { redirect_uri: 'https://elsewhere.example/' }, 400, 'invalid_grant'],
  ['an unknown code', { code: 'unknown' }, 400, 'invalid_grant'],
  ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
  ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
])('a token request with %s is refused', async (_, changes, status, error) => {
  const { metadata, tokenRequest, credentials } = await obtainCode(await startTestServer(), 'google')
  const response = await postForm(metadata.token_endpoint, { ...tokenRequest, ...credentials, ...changes })
  expect([response.status, await response.json()]).toMatchObject([status, { error }])
})

test('the token endpoint accepts the client credentials with HTTP Basic authentication', async () => {
  const { metadata, tokenRequest, credentials } = await obtainCode(await startTestServer(), 'google')
  const authorization = `Basic ${Buffer.from(`${credentials.client_id}:${credentials.client_secret}`).toString('base64')}`
  const response = await fetch(metadata.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams(tokenRequest),
    headers: { authorization },
  })
  expectStatus(response, 200)
})

test('an authorization code expires after a minute', async () => {
  const server = await startTestServer()
  const { metadata, tokenRequest, credentials } = await obtainCode(server, 'google')
  server.clock.setOffset(61_000)
  expectStatus(await postForm(metadata.token_endpoint, { ...tokenRequest, ...credentials }), 400)
})

test('the local provider redirects only to the registered URI, and adds an error if PKCE with S256 is missing', async () => {
  const server = await startTestServer()
  const { authorization_endpoint } = await fetchMetadata(server, 'google')
  const request = authorizationRequest(server, 'google', 'v')
  const openPage = (changes: Record<string, string>) =>
    fetch(`${authorization_endpoint}?${new URLSearchParams({ ...request, ...changes })}`, {
      redirect: 'manual',
    })
  expectStatus(await openPage({}), 200)
  for (const unregistered of [{ redirect_uri: 'https://elsewhere.example/' }, { client_id: 'another' }]) {
    const response = await openPage(unregistered as unknown as Record<string, string>)
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
  }
  const response = await openPage({ code_challenge_method: 'plain' })
  expect(new URL(response.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
})

test('the sign-in page escapes the parameters of the request', async () => {
  const server = await startTestServer()
  const { authorization_endpoint } = await fetchMetadata(server, 'microsoft')
  const request = { ...authorizationRequest(server, 'microsoft', 'v'), state: '"><script>alert(1)</script>' }
  const response = await fetch(`${authorization_endpoint}?${new URLSearchParams(request)}`)
  expect(await response.text()).not.toContain('<script>')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
})

test('key rotation keeps the previous key and removes the key before it', async () => {
  const server = await startTestServer()
  const listKeyIds = async () =>
    (
      (await (await server.call('GET', '/idp/google/oauth2/v3/certs')).json()) as { keys: { kid: string }[] }
    ).keys.map(({ kid }) => kid)
  const [first] = await listKeyIds()
  await server.call('POST', '/idp/google/keys/rotate')
  const second = await listKeyIds()
  expect(second).toEqual([expect.any(String), first])
  await server.call('POST', '/idp/google/keys/rotate')
  expect((await listKeyIds()).slice(1)).toEqual(second.slice(0, 1))
})
