import { UnauthorizedError } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { readingScopes } from '#functions/mcp/tools.ts'
import { isRedirectUri } from '#functions/oauth/redirect-uri.ts'
import { request, sharedService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { callTool, connectMcp } from '#test/support/mcp.ts'
import {
  agree,
  connectWithOAuth,
  createVerifier,
  obtainCode,
  obtainTokens,
  postOAuth,
  redirectUri,
  registerClient,
  startAuthorization,
} from '#test/support/mcp-oauth.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { randomIpAddress } from '#test/support/public-requests.ts'

const service = await sharedService()
const base = service.settings.PUBLIC_BASE_URL ?? ''
const token = (body: Record<string, string>) => postOAuth(service, '/oauth/token', body)
const refresh = (grant: { refresh_token: string; client_id: string }, change: Record<string, string> = {}) =>
  token({
    grant_type: 'refresh_token',
    refresh_token: grant.refresh_token,
    client_id: grant.client_id,
    ...change,
  })
const listTools = async (accessToken: string) => (await connectMcp(service, accessToken)).listTools()

async function createAuthorizationUrl(change: Record<string, string | undefined> = {}): Promise<URL> {
  const url = new URL(`${service.api}/oauth/authorize`)
  const { challenge } = createVerifier()
  const query: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: await registerClient(service),
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: `${base}/mcp`,
    scope: 'flows:read unknown:read',
    state: 'a b&c',
    ...change,
  }
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value)
  return url
}

describe('the flow of the official client', () => {
  it('MCP-09 MCP-10 discovers, registers, asks the person, and calls tools as the person with the agreed scopes', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin, { visibility: 'private' })
    const client = await connectWithOAuth(service, admin, ['flows:read'])
    expect((await callTool(client, 'read_flow', { tree_id: flow.id })).isError).toBe(false)
    await expect(callTool(client, 'list_runs')).rejects.toThrow(UnauthorizedError)
    const signIns = (await admin.call('GET', '/auth/me/sessions')).body
    expect(signIns.map(({ user_agent }: { user_agent: string }) => user_agent)).toContain(
      'Test client (OAuth)',
    )
  })

  it('MCP-09 publishes its metadata', async () => {
    const read = async (path: string) => (await fetch(`${service.api}${path}`)).json()
    const resource = await read('/.well-known/oauth-protected-resource/mcp')
    expect(resource).toMatchObject({
      resource: `${base}/mcp`,
      authorization_servers: [base],
      scopes_supported: readingScopes,
    })
    expect(await read('/.well-known/oauth-protected-resource')).toEqual(resource)
    expect(await read('/.well-known/oauth-authorization-server')).toMatchObject({
      issuer: base,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    })
  })
})

describe('authorization', () => {
  it('MCP-09 sends the browser to the page of the frontend with the known scopes, and back with state and issuer', async () => {
    const { admin } = await createAccount(service)
    const { status, location } = await startAuthorization(service, await createAuthorizationUrl())
    expect([status, location?.origin, location?.pathname]).toEqual([
      303,
      service.settings.OAUTH_REDIRECT_BASE,
      '/oauth/consent',
    ])
    expect(location?.searchParams.get('scope')).toBe('flows:read')
    const answer = await agree(admin, location as URL)
    expect([answer.get('state'), answer.get('iss'), answer.get('code')?.length]).toEqual(['a b&c', base, 43])
  })

  it.each([
    ['another response type', { response_type: 'token' }, 'The authorization request is not valid'],
    ['no PKCE', { code_challenge: undefined }, 'The authorization request is not valid'],
    ['the plain method', { code_challenge_method: 'plain' }, 'The authorization request is not valid'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'Tokens are issued for'],
  ])(
    'MCP-14 refuses a request with %s without a redirect, because anybody can register an address',
    async (_, change, detail) => {
      const response = await fetch(await createAuthorizationUrl(change), {
        redirect: 'manual',
        headers: { 'cf-connecting-ip': randomIpAddress() },
      })
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
      expect((await response.json()).detail).toContain(detail)
    },
  )

  it.each([
    ['an unknown program', { client_id: 'x'.repeat(22) }],
    ['an address that is not registered', { redirect_uri: 'https://evil.example/' }],
    ['an address with another path', { redirect_uri: `${redirectUri}/x` }],
    ['an address with another port on another host', { redirect_uri: 'http://localhost:1/callback' }],
    ['an address with a query', { redirect_uri: `${redirectUri}?x=1` }],
  ])('MCP-14 answers 400 for %s and sends nobody there', async (_, change) => {
    expect(await startAuthorization(service, await createAuthorizationUrl(change))).toEqual({
      status: 400,
      location: null,
      detail: expect.stringMatching(/./),
    })
  })

  it('MCP-14 refuses a consent for an address or a program that is not registered', async () => {
    const { admin } = await createAccount(service)
    const input = {
      client_id: await registerClient(service),
      redirect_uri: redirectUri,
      scopes: ['flows:read'],
      code_challenge: createVerifier().challenge,
    }
    expectStatus(
      await admin.call('POST', '/auth/consents', { ...input, redirect_uri: 'https://evil.example/' }),
      422,
    )
    expectStatus(await admin.call('POST', '/auth/consents', { ...input, client_id: 'x'.repeat(22) }), 422)
    expectStatus(await admin.call('POST', '/auth/consents', { ...input, scopes: ['billing:read'] }), 422)
  })

  it.each([
    ['https://assistant.example/callback', true],
    ['http://localhost:8080/callback', true],
    ['http://[::1]/callback', true],
    ['com.raycast:/oauth', true],
    ['com.example.app:/callback', false],
    ['cursor://anysphere.cursor-retrieval/oauth/callback', true],
    ['http://assistant.example/callback', false],
    ['http://127.0.0.1.evil.example/', false],
    ['https://assistant.example/#fragment', false],
    ['https://user:password@assistant.example/', false],
    ['javascript:alert(1)', false],
    ['JavaScript:alert(1)', false],
    ['data:text/html,x', false],
    ['file:///etc/passwd', false],
    ['//assistant.example', false],
    ['https:\\\\evil.example', false],
    ['https:assistant.example/callback', false],
    ['https://assistant.example/€', false],
    ['https://assistant.example/\u0001', false],
    ['', false],
  ])('MCP-14 a program may register the address %s: %s', (uri, isAllowed) => {
    expect(isRedirectUri(uri)).toBe(isAllowed)
  })

  it('WIR-64 MCP-09 refuses registrations without a usable address, and the eleventh of an hour from one address', async () => {
    for (const json of [{}, { redirect_uris: [] }, { redirect_uris: ['javascript:x'] }, null])
      expect((await postOAuth(service, '/oauth/register', { json })).body.error).toBe('invalid_redirect_uri')
    const address = randomIpAddress()
    const register = () =>
      postOAuth(service, '/oauth/register', { json: { redirect_uris: [redirectUri] } }, address)
    for (let n = 0; n < 11; n++)
      expect((await postOAuth(service, '/oauth/register', { json: {} }, address)).status).toBe(400)
    expect(countByStatus(await runConcurrently(register, 12))).toEqual({ 201: 10, 429: 2 })
  })
})

describe('tokens', () => {
  it('MCP-10 a token of a program is refused by the API, and a refresh token by the sign-in', async () => {
    const { admin } = await createAccount(service)
    const { access_token, refresh_token } = await obtainTokens(service, admin)
    expectStatus(await request(service, 'GET', '/trees', { token: access_token }), 401)
    const headers = { 'cf-connecting-ip': randomIpAddress() }
    expectStatus(await request(service, 'POST', '/auth/refresh', { body: { refresh_token }, headers }), 401)
    expect((await listTools(access_token)).tools.length).toBeGreaterThan(20)
  })

  it('MCP-10 keeps the role of the person: a viewer’s program may not start a run', async () => {
    const account = await createAccount(service)
    const viewer = await account.addColleague({ role: 'viewer' })
    const client = await connectMcp(service, (await obtainTokens(service, viewer, ['*:write'])).access_token)
    const { text } = await callTool(client, 'start_flow', { tree_id: '00000000-0000-7000-8000-000000000102' })
    expect(text).toMatch(/^403: /)
  })

  it('MCP-11 exchanges a code once of 32 times, and a second use ends the grant', async () => {
    const { admin } = await createAccount(service)
    const exchange = await obtainCode(service, admin)
    const responses = await runConcurrently(() => token(exchange))
    expect(countByStatus(responses)).toEqual({ 200: 1, 400: 31 })
    const { access_token } = responses.find(({ status }) => status === 200)?.body ?? {}
    await expect(listTools(access_token)).rejects.toThrow()
  })

  it.each([
    ['another verifier', { code_verifier: createVerifier().verifier }],
    ['another address', { redirect_uri: 'https://assistant.example/' }],
    ['another program', { client_id: 'x'.repeat(22) }],
  ])('MCP-11 refuses a code with %s, and the code is used up', async (_, change) => {
    const { admin } = await createAccount(service)
    const exchange = await obtainCode(service, admin)
    for (const body of [{ ...exchange, ...change }, exchange])
      expect((await token(body)).body.error).toBe('invalid_grant')
  })

  it('MCP-11 refuses a code after 60 seconds, and one whose person has signed out', async () => {
    const { admin } = await createAccount(service)
    const [late, signedOut] = [await obtainCode(service, admin), await obtainCode(service, admin)]
    await service.sql(
      `update oauth_codes set expires_at = expires_at - interval '60 seconds' where sign_in_id = $1 and client_id = $2`,
      [admin.signInId, late.client_id],
    )
    expect((await token(late)).body.error).toBe('invalid_grant')
    await service.sql('update sign_ins set ended_at = app.now() where id = $1', [admin.signInId])
    expect((await token(signedOut)).body.error).toBe('invalid_grant')
  })

  it('MCP-12 gives 32 requests at once the same token, keeps the scopes, and gives fewer but not more', async () => {
    const { admin } = await createAccount(service)
    const grant = await obtainTokens(service, admin, ['flows:read', 'sessions:read'])
    const responses = await runConcurrently(() => refresh(grant))
    expect(countByStatus(responses)).toEqual({ 200: 32 })
    expect(new Set(responses.map(({ body }) => body.refresh_token)).size).toBe(1)
    const next = { client_id: grant.client_id, ...responses[0]?.body }
    expect(next.scope).toBe('flows:read sessions:read')
    expect((await refresh(next, { scope: '*:write' })).body.error).toBe('invalid_scope')
    expect((await refresh(next, { scope: 'flows:read' })).body.scope).toBe('flows:read')
  })

  it('MCP-12 the reuse of a refresh token after 5 seconds ends the grant', async () => {
    const { admin } = await createAccount(service)
    const grant = await obtainTokens(service, admin)
    const { body: next } = expectStatus(await refresh(grant), 200)
    await service.sql(
      `update oauth_refresh_tokens set used_at = used_at - interval '6 seconds' where client_id = $1 and used_at is not null`,
      [grant.client_id],
    )
    expect((await refresh(grant)).body.error).toBe('invalid_grant')
    await expect(listTools(next.access_token)).rejects.toThrow()
    expect((await refresh({ ...grant, ...next })).status).toBe(400)
  })

  it('MCP-12 refuses a refresh token of another program, and other requests, with an error of OAuth', async () => {
    const { admin } = await createAccount(service)
    const grant = await obtainTokens(service, admin)
    expect((await refresh(grant, { client_id: await registerClient(service) })).body.error).toBe(
      'invalid_grant',
    )
    expect((await refresh(grant, { resource: 'https://other.example' })).body.error).toBe('invalid_target')
    expect((await token({ grant_type: 'password', username: 'x', password: 'y' })).body.error).toBe(
      'unsupported_grant_type',
    )
    expect((await token({ grant_type: 'authorization_code' })).body.error).toBe('invalid_request')
    expectStatus(await refresh(grant), 200)
  })
})

describe('the end of a grant', () => {
  it.each<
    [
      string,
      (
        person: Person,
        grant: { access_token: string; refresh_token: string },
        admin: Person,
      ) => Promise<unknown>,
    ]
  >([
    ['signing out everywhere', (person) => person.call('DELETE', '/auth/me/sessions')],
    ['deactivation', (person, _, admin) => admin.call('DELETE', `/accounts/me/members/${person.id}`)],
    [
      'revocation of the refresh token',
      (_, grant) => postOAuth(service, '/oauth/revoke', { token: grant.refresh_token }),
    ],
    [
      'revocation of the access token',
      (_, grant) => postOAuth(service, '/oauth/revoke', { token: grant.access_token }),
    ],
    [
      'revocation among the sign-ins',
      async (person) => {
        const { body } = await person.call('GET', '/auth/me/sessions')
        const grant = body.find(
          ({ user_agent }: { user_agent: string }) => user_agent === 'Assistant (OAuth)',
        )
        return person.call('DELETE', `/auth/me/sessions/${grant.id}`)
      },
    ],
  ])('MCP-13 %s ends it', async (_, end) => {
    const account = await createAccount(service)
    const person = await account.addColleague()
    const grant = await obtainTokens(service, person)
    await listTools(grant.access_token)
    await end(person, grant, account.admin)
    await expect(listTools(grant.access_token)).rejects.toThrow()
    expect((await refresh(grant)).body.error).toBe('invalid_grant')
  })

  it('MCP-13 revoking a token of a person or an unknown one changes nothing', async () => {
    const { admin } = await createAccount(service)
    for (const text of [admin.token, 'x', ''])
      expect((await postOAuth(service, '/oauth/revoke', { token: text })).status).toBe(200)
    expectStatus(await admin.call('GET', '/auth/me'), 200)
  })
})
