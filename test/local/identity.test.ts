import { createHash, randomBytes } from 'node:crypto'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import type { ProviderName } from '../../lib/auth/oidc.ts'
import { expectStatus } from '../support/answers.ts'
import { secrets, stand } from './stand.ts'

const providers = ['google', 'microsoft'] as const
type Standing = Awaited<ReturnType<typeof stand>>
type Metadata = Record<'issuer' | 'authorization_endpoint' | 'token_endpoint' | 'jwks_uri', string>

async function discovered({ origin }: Standing, provider: ProviderName): Promise<Metadata> {
  const issuer = provider === 'google' ? `${origin}/idp/google` : `${origin}/idp/microsoft/common/v2.0`
  return (await fetch(`${issuer}/.well-known/openid-configuration`)).json() as Promise<Metadata>
}

function question({ origin }: Standing, provider: ProviderName, verifier: string): Record<string, string> {
  return {
    client_id: `local-${provider}-client`,
    redirect_uri: `${origin}/oauth/${provider}/callback`,
    response_type: 'code',
    scope: 'openid email profile',
    ...{ state: 's', nonce: 'n' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
}

const ask = (endpoint: string, values: Record<string, string>) =>
  fetch(endpoint, { method: 'POST', body: new URLSearchParams(values), redirect: 'manual' })

/** A code of somebody, and what trades it. */
async function grant(standing: Standing, provider: ProviderName) {
  const metadata = await discovered(standing, provider)
  const verifier = randomBytes(32).toString('base64url')
  const asked = question(standing, provider, verifier)
  const answer = await ask(metadata.authorization_endpoint, { ...asked, email: 'noa@example.com', name: 'Noa' })
  const back = new URL(answer.headers.get('location') ?? '')
  const { client_id = '', redirect_uri = '' } = asked
  const trade = { grant_type: 'authorization_code', code: back.searchParams.get('code') ?? '', redirect_uri, code_verifier: verifier }
  return { metadata, back, trade, client: { client_id, client_secret: secrets.identitySecret } }
}

test.each(providers)('local %s trades a code once, for an ID token that its published keys verify', async (provider) => {
  const standing = await stand()
  const { metadata, back, trade, client } = await grant(standing, provider)
  expect([back.pathname, back.searchParams.get('state')]).toEqual([`/oauth/${provider}/callback`, 's'])
  const answer = await ask(metadata.token_endpoint, { ...trade, ...client })
  const { id_token, token_type } = (await answer.json()) as { id_token: string; token_type: string }
  expect([answer.status, token_type]).toEqual([200, 'Bearer'])
  const { payload } = await jwtVerify(id_token, createRemoteJWKSet(new URL(metadata.jwks_uri)), { audience: client.client_id })
  expect(payload).toMatchObject({ nonce: 'n', email: 'noa@example.com', name: 'Noa' })
  expect(payload.iss).toBe(metadata.issuer.replace('{tenantid}', String(payload.tid)))
  expect(Object.hasOwn(payload, 'email_verified')).toBe(provider === 'google')
  const again = await ask(metadata.token_endpoint, { ...trade, ...client })
  expect([again.status, await again.json()]).toMatchObject([400, { error: 'invalid_grant' }])
})

test.each([
  ['a wrong verifier', { code_verifier: 'x'.repeat(43) }, 400, 'invalid_grant'],
  ['another redirect', { redirect_uri: 'https://elsewhere.example/' }, 400, 'invalid_grant'],
  ['an unknown code', { code: 'unknown' }, 400, 'invalid_grant'],
  ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
  ['another grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
])('a token request with %s is refused', async (_, wrong, status, error) => {
  const { metadata, trade, client } = await grant(await stand(), 'google')
  const answer = await ask(metadata.token_endpoint, { ...trade, ...client, ...wrong })
  expect([answer.status, await answer.json()]).toMatchObject([status, { error }])
})

test('the secret may also come as Basic credentials', async () => {
  const { metadata, trade, client } = await grant(await stand(), 'google')
  const authorization = `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`
  const answer = await fetch(metadata.token_endpoint, { method: 'POST', body: new URLSearchParams(trade), headers: { authorization } })
  expectStatus(answer, 200)
})

test('a code dies after a minute', async () => {
  const standing = await stand()
  const { metadata, trade, client } = await grant(standing, 'google')
  standing.clock.set(61_000)
  expectStatus(await ask(metadata.token_endpoint, { ...trade, ...client }), 400)
})

test('nobody is sent to an address that was not registered, and a request without PKCE is sent back', async () => {
  const standing = await stand()
  const { authorization_endpoint } = await discovered(standing, 'google')
  const asked = question(standing, 'google', 'v')
  const open = (values: Record<string, string>) =>
    fetch(`${authorization_endpoint}?${new URLSearchParams({ ...asked, ...values })}`, { redirect: 'manual' })
  expectStatus(await open({}), 200)
  for (const wrong of [{ redirect_uri: 'https://elsewhere.example/' }, { client_id: 'another' }]) {
    const answer = await open(wrong as Record<string, string>)
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  }
  const answer = await open({ code_challenge_method: 'plain' })
  expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
})

test('the page shows what it was asked with as text, and never as markup', async () => {
  const standing = await stand()
  const { authorization_endpoint } = await discovered(standing, 'microsoft')
  const asked = { ...question(standing, 'microsoft', 'v'), state: '"><script>alert(1)</script>' }
  const answer = await fetch(`${authorization_endpoint}?${new URLSearchParams(asked)}`)
  expect(await answer.text()).not.toContain('<script>')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
})

test('rotating keeps the key before, and drops the one before that', async () => {
  const standing = await stand()
  const kids = async () =>
    ((await (await standing.call('GET', '/idp/google/oauth2/v3/certs')).json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
  const [first] = await kids()
  await standing.call('POST', '/idp/google/keys/rotate')
  const second = await kids()
  expect(second).toEqual([expect.any(String), first])
  await standing.call('POST', '/idp/google/keys/rotate')
  expect((await kids()).slice(1)).toEqual(second.slice(0, 1))
})
