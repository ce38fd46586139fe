import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { identityProvider, OidcFailure, type ProviderName } from '#vendors/auth/oidc.ts'

// Each test sets the responses of this provider, because the local emulators return only valid responses.
const { privateKey, publicKey } = await generateKeyPair('RS256')
const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }
let origin = ''
let requestedPaths: string[] = []
let metadata: Record<string, unknown> = {}
let createTokenResponse: () => Promise<unknown> = async () => ({})
let jwks: unknown = { keys: [jwk] }

const server = createServer(async (request, response) => {
  const path = request.url ?? ''
  requestedPaths.push(path)
  request.resume()
  const body = path.endsWith('openid-configuration')
    ? metadata
    : path === '/keys'
      ? jwks
      : await createTokenResponse()
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

/** Create a client for the provider, whose metadata has `issuer` and whose ID tokens have `claims`. */
function createProvider(name: ProviderName, path: string, issuer: string, claims: Record<string, unknown>) {
  requestedPaths = []
  jwks = { keys: [jwk] }
  metadata = {
    issuer,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    jwks_uri: `${origin}/keys`,
  }
  const allClaims = { aud: 'client', nonce: 'n', sub: 'subject-1', ...claims }
  createTokenResponse = async () => ({
    access_token: 'a',
    token_type: 'Bearer',
    id_token: await new SignJWT(allClaims)
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey),
  })
  const settings = { clientId: 'client', clientSecret: 'secret', redirectUri: 'https://app.example/callback' }
  return identityProvider({ name, issuer: origin + path, ...settings })
}
const flow = { code: 'c', state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) }
const getFailureKind = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: OidcFailure) => (error instanceof OidcFailure ? error.kind : error),
  )

it('reads the identity of a Google user, and accepts only a boolean true as email_verified', async () => {
  const profile = { email: 'a@b.example', name: ' Noa ' }
  for (const [email_verified, emailVerified] of [
    [true, true],
    [false, false],
    ['true', false],
    [undefined, false],
  ] as const) {
    const google = createProvider('google', '', origin, { iss: origin, ...profile, email_verified })
    expect(await google.redeem(flow)).toEqual({
      subject: 'subject-1',
      email: 'a@b.example',
      emailVerified,
      name: 'Noa',
    })
  }
})

it('refuses a subject that the standard does not allow', async () => {
  for (const sub of ['', 'a b', 'x'.repeat(256), 'nul\u0000', 'é'])
    expect([
      sub,
      await getFailureKind(createProvider('google', '', origin, { iss: origin, sub }).redeem(flow)),
    ]).toEqual([sub, 'refused'])
})

const issuerTemplate = '/{tenantid}/v2.0'
it('accepts a Microsoft token only from the issuer of its tenant', async () => {
  const user = {
    tid: 'tenant-1',
    oid: 'object-1',
    email: 'a@b.example',
    email_verified: true,
    xms_edov: true,
  }
  const redeem = (iss: string, claims: object) =>
    createProvider('microsoft', '/common/v2.0', origin + issuerTemplate, { iss, ...claims }).redeem(flow)
  const identity = { subject: 'tenant-1:object-1', email: 'a@b.example', emailVerified: false, name: null }
  expect(await redeem(`${origin}/tenant-1/v2.0`, user)).toEqual(identity)
  for (const iss of [
    `${origin}/tenant-2/v2.0`,
    origin + issuerTemplate,
    `${origin}/none/v2.0`,
    'https://evil.example/tenant-1/v2.0',
  ])
    expect([iss, await getFailureKind(redeem(iss, user))]).toEqual([iss, 'refused'])
  for (const claims of [
    { ...user, tid: undefined },
    { ...user, tid: '../x' },
    { ...user, tid: ['tenant-1'] },
  ])
    expect(await getFailureKind(redeem(`${origin}/tenant-1/v2.0`, claims))).toBe('refused')
  expect(await getFailureKind(redeem(`${origin}/tenant-1/v2.0`, { ...user, oid: undefined }))).toBe('refused')
})

it('accepts only the configured Microsoft tenant', async () => {
  const redeem = (tid: string) =>
    createProvider('microsoft', '/tenant-1/v2.0', `${origin}/tenant-1/v2.0`, {
      iss: `${origin}/${tid}/v2.0`,
      tid,
      oid: 'o',
      preferred_username: 'a@b.example',
    }).redeem(flow)
  expect(await redeem('tenant-1')).toMatchObject({ subject: 'tenant-1:o', email: 'a@b.example' })
  expect(await getFailureKind(redeem('tenant-2'))).toBe('refused')
})

it('refuses metadata of another issuer, and metadata without a token endpoint', async () => {
  for (const issuer of ['https://other.example', `${origin}/other`]) {
    const google = createProvider('google', '', issuer, {})
    expect(await getFailureKind(google.authorizationUrl(flow))).toBe('failed')
  }
  const withoutEndpoint = createProvider('google', '', origin, {})
  delete metadata.token_endpoint
  expect(await getFailureKind(withoutEndpoint.authorizationUrl(flow))).toBe('failed')
})

it('fetches the metadata and the keys once, and the keys again for an unknown key id', async () => {
  const google = createProvider('google', '', origin, {
    iss: origin,
    email: 'a@b.example',
    email_verified: true,
  })
  for (let n = 0; n < 3; n++) await google.redeem(flow)
  const countRequests = (path: string) =>
    requestedPaths.filter((requestedPath) => requestedPath.endsWith(path)).length
  expect([countRequests('openid-configuration'), countRequests('/keys'), countRequests('/token')]).toEqual([
    1, 1, 3,
  ])
  const validTokens = createTokenResponse
  const claims = { iss: origin, aud: 'client', nonce: 'n', sub: 'subject-1' }
  const id_token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'new' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
  createTokenResponse = async () => ({ access_token: 'a', token_type: 'Bearer', id_token })
  expect(await getFailureKind(google.redeem(flow))).toBe('refused')
  expect(countRequests('/keys')).toBe(2)
  jwks = { keys: [{ ...jwk, kid: 'new' }] }
  // Who sends tokens of unknown keys makes us ask once a minute.
  expect(await getFailureKind(google.redeem(flow))).toBe('refused')
  expect(countRequests('/keys')).toBe(2)
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime(Date.now() + 61_000)
  expect(await getFailureKind(google.redeem(flow))).toBe('none')
  expect(countRequests('/keys')).toBe(3)
  createTokenResponse = validTokens
})

it('fetches the metadata again after an hour', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const provider = createProvider('google', '', origin, {})
  const countFetches = async () => {
    await provider.authorizationUrl(flow)
    return requestedPaths.length
  }
  const counts = [await countFetches()]
  for (const ms of [3_599_999, 1]) {
    vi.setSystemTime(Date.now() + ms)
    counts.push(await countFetches())
  }
  expect(counts).toEqual([1, 1, 2])
})

it('fails on malformed keys, and on a token response without a valid ID token', async () => {
  const google = createProvider('google', '', origin, { iss: origin })
  jwks = 'nonsense'
  expect(await getFailureKind(google.redeem(flow))).not.toBe('none')
  createTokenResponse = async () => ({ access_token: 'a', token_type: 'Bearer' })
  expect(await getFailureKind(google.redeem(flow))).toBe('failed')
  createTokenResponse = async () => ['nonsense']
  expect(await getFailureKind(google.redeem(flow))).toBe('failed')
  createTokenResponse = async () => ({ access_token: 'a', token_type: 'Bearer', id_token: 'not.a.token' })
  expect(await getFailureKind(google.redeem(flow))).toBe('refused')
})
