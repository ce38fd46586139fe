import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { identityProvider, OidcFailure, type ProviderName } from '../../lib/auth/oidc.ts'

// A provider that answers what each test says, where the local ones are always right.
const { privateKey, publicKey } = await generateKeyPair('RS256')
const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }
let origin = ''
let asked: string[] = []
let metadata: Record<string, unknown> = {}
let tokens: () => Promise<unknown> = async () => ({})
let keys: unknown = { keys: [jwk] }

const server = createServer(async (request, response) => {
  const path = request.url ?? ''
  asked.push(path)
  request.resume()
  const answer = path.endsWith('openid-configuration') ? metadata : path === '/keys' ? keys : await tokens()
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

/** A provider whose metadata names `issuer`, and whose ID tokens hold `claims`. */
function provider(name: ProviderName, path: string, issuer: string, claims: Record<string, unknown>) {
  asked = []
  keys = { keys: [jwk] }
  metadata = { issuer, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token`, jwks_uri: `${origin}/keys` }
  const all = { aud: 'client', nonce: 'n', sub: 'somebody', ...claims }
  tokens = async () => ({
    ...{ access_token: 'a', token_type: 'Bearer' },
    id_token: await new SignJWT(all).setProtectedHeader({ alg: 'RS256', kid: 'k' }).setIssuedAt().setExpirationTime('1h').sign(privateKey),
  })
  const settings = { clientId: 'client', clientSecret: 'secret', redirectUri: 'https://app.example/callback' }
  return identityProvider({ name, issuer: origin + path, ...settings })
}
const flow = { code: 'c', state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) }
const kindOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: OidcFailure) => (error instanceof OidcFailure ? error.kind : error),
  )

it('reads who somebody is at google, and believes only a true email_verified', async () => {
  const about = { email: 'a@b.example', name: ' Noa ' }
  for (const [email_verified, believed] of [
    [true, true],
    [false, false],
    ['true', false],
    [undefined, false],
  ] as const) {
    const google = provider('google', '', origin, { iss: origin, ...about, email_verified })
    expect(await google.redeem(flow)).toEqual({ subject: 'somebody', email: 'a@b.example', emailVerified: believed, name: 'Noa' })
  }
})

it('takes no subject that the standard does not know', async () => {
  for (const sub of ['', 'a b', 'x'.repeat(256), 'nul\u0000', 'é'])
    expect([sub, await kindOf(provider('google', '', origin, { iss: origin, sub }).redeem(flow))]).toEqual([sub, 'refused'])
})

const template = '/{tenantid}/v2.0'
it('holds a token of microsoft to the issuer of its own tenant', async () => {
  const person = { tid: 'tenant-1', oid: 'object-1', email: 'a@b.example', email_verified: true, xms_edov: true }
  const redeem = (iss: string, claims: object) => provider('microsoft', '/common/v2.0', origin + template, { iss, ...claims }).redeem(flow)
  const found = { subject: 'tenant-1:object-1', email: 'a@b.example', emailVerified: false, name: null }
  expect(await redeem(`${origin}/tenant-1/v2.0`, person)).toEqual(found)
  for (const iss of [`${origin}/tenant-2/v2.0`, origin + template, `${origin}/none/v2.0`, 'https://evil.example/tenant-1/v2.0'])
    expect([iss, await kindOf(redeem(iss, person))]).toEqual([iss, 'refused'])
  for (const claims of [
    { ...person, tid: undefined },
    { ...person, tid: '../x' },
    { ...person, tid: ['tenant-1'] },
  ])
    expect(await kindOf(redeem(`${origin}/tenant-1/v2.0`, claims))).toBe('refused')
  expect(await kindOf(redeem(`${origin}/tenant-1/v2.0`, { ...person, oid: undefined }))).toBe('refused')
})

it('takes one tenant of microsoft alone where the setting names it', async () => {
  const redeem = (tid: string) =>
    provider('microsoft', '/tenant-1/v2.0', `${origin}/tenant-1/v2.0`, {
      iss: `${origin}/${tid}/v2.0`,
      tid,
      oid: 'o',
      preferred_username: 'a@b.example',
    }).redeem(flow)
  expect(await redeem('tenant-1')).toMatchObject({ subject: 'tenant-1:o', email: 'a@b.example' })
  expect(await kindOf(redeem('tenant-2'))).toBe('refused')
})

it('refuses metadata of another issuer, and metadata that names no endpoints', async () => {
  for (const issuer of ['https://elsewhere.example', `${origin}/other`]) {
    const google = provider('google', '', issuer, {})
    expect(await kindOf(google.authorizationUrl(flow))).toBe('failed')
  }
  const bare = provider('google', '', origin, {})
  delete metadata.token_endpoint
  expect(await kindOf(bare.authorizationUrl(flow))).toBe('failed')
})

it('asks for metadata and keys once, and for keys again when it meets an unknown one', async () => {
  const google = provider('google', '', origin, { iss: origin, email: 'a@b.example', email_verified: true })
  for (let n = 0; n < 3; n++) await google.redeem(flow)
  const times = (path: string) => asked.filter((one) => one.endsWith(path)).length
  expect([times('openid-configuration'), times('/keys'), times('/token')]).toEqual([1, 1, 3])
  const right = tokens
  const claims = { iss: origin, aud: 'client', nonce: 'n', sub: 'somebody' }
  const id_token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'new' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
  tokens = async () => ({ access_token: 'a', token_type: 'Bearer', id_token })
  expect(await kindOf(google.redeem(flow))).toBe('refused')
  expect(times('/keys')).toBe(2)
  keys = { keys: [{ ...jwk, kid: 'new' }] }
  expect(await kindOf(google.redeem(flow))).toBe('none')
  expect(times('/keys')).toBe(3)
  tokens = right
})

it('calls keys that are nonsense a failure of the provider, and an answer without tokens too', async () => {
  const google = provider('google', '', origin, { iss: origin })
  keys = 'nonsense'
  expect(await kindOf(google.redeem(flow))).not.toBe('none')
  tokens = async () => ({ access_token: 'a', token_type: 'Bearer' })
  expect(await kindOf(google.redeem(flow))).toBe('failed')
  tokens = async () => ['nonsense']
  expect(await kindOf(google.redeem(flow))).toBe('failed')
  tokens = async () => ({ access_token: 'a', token_type: 'Bearer', id_token: 'not.a.token' })
  expect(await kindOf(google.redeem(flow))).toBe('refused')
})
