import { describe, expect, it } from 'vitest'
import { readingScopes } from '#functions/mcp/tools.ts'
import { createKey } from '#test/support/api-keys.ts'
import { sharedService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { callTool, connectMcp } from '#test/support/mcp.ts'
import {
  agree,
  createVerifier,
  obtainCode,
  obtainTokens,
  postOAuth,
  registerClient,
  startAuthorization,
} from '#test/support/mcp-oauth.ts'
import { createAccount } from '#test/support/people.ts'
import { randomIpAddress } from '#test/support/public-requests.ts'

// Public reports on what clients of MCP servers send; test/reports.tsv has the essence of each.

const service = await sharedService()
const base = service.settings.PUBLIC_BASE_URL ?? ''
const account = await createAccount(service)
const { admin } = account
const { key } = await createKey(service, account, { team_id: account.teamId })
const both = 'application/json, text/event-stream'
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const initialize = (params: object) => ({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
const clientInfo = { name: 'c', version: '0' }

async function send(body: unknown, headers: Record<string, string | undefined> = {}, method = 'POST') {
  const all = { 'content-type': 'application/json', accept: both, authorization: `Bearer ${key}`, ...headers }
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const response = await fetch(`${service.api}/mcp`, {
    method,
    headers: sent,
    ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const get = async (path: string) => {
  const response = await fetch(`${service.api}${path}`)
  return { status: response.status, body: await response.json().catch(() => null) }
}
const token = (body: Record<string, string> | { json: unknown }) => postOAuth(service, '/oauth/token', body)
const tool = async (name: string, args: Record<string, unknown>) =>
  callTool(await connectMcp(service, key), name, args)

/** Ask for a consent with these parameters. Return where the browser is sent. */
async function authorize(redirect_uris: string[], change: Record<string, string> = {}) {
  const client_id = await registerClient(service, { redirect_uris })
  const { verifier, challenge } = createVerifier()
  const url = new URL(`${service.api}/oauth/authorize`)
  const query = {
    ...{ response_type: 'code', client_id, redirect_uri: redirect_uris[0] ?? '', scope: 'flows:read' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256', resource: `${base}/mcp`, ...change },
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return { ...(await startAuthorization(service, url)), client_id, verifier, query }
}

const reports: Record<string, () => Promise<unknown>> = {
  // A native program listens on another port than the one that it has registered (RFC 8252, section 7.3).
  'github/copilot-cli#1951': async () => {
    const redirect_uri = 'http://127.0.0.1:50123/callback'
    const asked = await authorize(['http://127.0.0.1:33418/callback'], { redirect_uri })
    expect(asked.status).toBe(303)
    const code = (await agree(admin, asked.location as URL)).get('code') ?? ''
    const { client_id, verifier: code_verifier } = asked
    const exchange = { grant_type: 'authorization_code', code, client_id, redirect_uri, code_verifier }
    expect((await token(exchange)).status).toBe(200)
  },
  'contextstream/mcp-server#57': async () =>
    expect((await authorize(['http://127.0.0.1:33418', 'https://vscode.dev/redirect'])).status).toBe(303),
  'moltis-org/moltis#629': async () =>
    expect((await authorize(['https://localhost:8443/oauth/callback'])).status).toBe(303),
  'makeplane/plane-mcp-server#220': async () =>
    expect((await authorize(['https://chat.example.com/oauth/clients/mcp:plane/callback'])).status).toBe(303),
  'tableau/tableau-mcp#866': async () => {
    const uris = ['https://global.consent.azure-apim.net/redirect/cr7c9-5fngrok-5fff0481101d9c126c']
    expect((await authorize(uris)).status).toBe(303)
  },
  'passmower/passmower#75': async () => {
    const uris = ['https://a.example/', 'https://b.example/']
    const other = await authorize(uris, { redirect_uri: 'https://foo.example/callback' })
    expect([other.status, other.detail]).toEqual([
      400,
      expect.stringContaining('https://foo.example/callback'),
    ])
    const none = await authorize(uris, { redirect_uri: '' })
    expect([none.status, none.detail]).toEqual([400, expect.stringContaining('Name the redirect_uri')])
    const unknown = await authorize(uris, { client_id: 'x'.repeat(22) })
    expect([unknown.status, unknown.detail]).toEqual([400, 'The client is unknown; register again'])
  },
  'ComposioHQ/composio#2152': async () => {
    const { status, text } = await send(list, { accept: 'text/event-stream' })
    expect([status, text]).toEqual([200, expect.stringMatching(/^(?:event|data):[\s\S]*search_flows/)])
  },
  'masumi-network/Citadel#45': async () => {
    const { status, text } = await send(list, { accept: undefined })
    expect([status, JSON.parse(text).id]).toEqual([200, 1])
  },
  'modelcontextprotocol/typescript-sdk#1944': async () => {
    const { status, text } = await send(list, { accept: 'application/json' })
    expect([status, JSON.parse(text).id]).toEqual([200, 1])
  },
  'wong2/mcp-cli#1': async () => {
    expect((await tool('list_runs', { limit: '' })).text).toMatch(/^\[/)
    const started = await tool('start_diagnosis', {
      ...{ session_type: 'chat', problem_summary: 'No mail.', psa_ticket_id: '', tree_id: '' },
    })
    expect(started).toMatchObject({ isError: false })
  },
  'anthropics/claude-code#29104': async () =>
    expect(await tool('search_everything', { q: 'vpn', limit: '3' })).toMatchObject({ isError: false }),
  'metatool-ai/metamcp#342': async () => {
    const { client_id = '', ...exchange } = await obtainCode(service, admin)
    const response = await fetch(`${service.api}/oauth/token`, {
      method: 'POST',
      headers: {
        'cf-connecting-ip': randomIpAddress(),
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:`).toString('base64')}`,
      },
      body: new URLSearchParams(exchange).toString(),
    })
    expect(response.status).toBe(200)
  },
  'springfall2008/batpred#4799': async () =>
    expect((await token({ json: await obtainCode(service, admin) })).status).toBe(200),
  'openai/codex#40928': async () => {
    const json = { redirect_uris: ['http://127.0.0.1:1/'], token_endpoint_auth_method: 'client_secret_post' }
    const { body } = await postOAuth(service, '/oauth/register', { json })
    expect([body.token_endpoint_auth_method, body.client_secret]).toEqual(['none', undefined])
  },
  'akutishevsky/nutrition-mcp#51': async () => {
    expect(await get('/.well-known/oauth-authorization-server/mcp')).toMatchObject({
      status: 200,
      body: { issuer: base },
    })
    expect((await get('/.well-known/oauth-protected-resource/mcp')).status).toBe(200)
  },
  'hyperdxio/hyperdx#2686': async () => {
    expect((await send(null, {}, 'DELETE')).status).toBe(405)
    expect((await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202)
  },
  'n8n-io/n8n#34835': async () => {
    const { access_token } = await obtainTokens(service, admin)
    const authorization = `Bearer ${access_token}`
    expect((await send(null, { accept: 'text/event-stream', authorization }, 'GET')).status).toBe(405)
  },
  'anthropics/claude-code#41610': async () => {
    const { status, location } = await authorize(['http://127.0.0.1:33418/'], {
      scope: 'flows:read offline_access openid',
    })
    expect([status, location?.searchParams.get('scope')]).toEqual([303, 'flows:read'])
  },
  'supabase/auth#2628': async () => {
    const { body } = await get('/.well-known/oauth-authorization-server')
    expect(body.scopes_supported).toContain('offline_access')
    const { location } = await authorize(['http://127.0.0.1:33418/'], { scope: 'offline_access' })
    expect(location?.searchParams.get('scope')).toBe(readingScopes.join(' '))
  },
  'opentokenz/mcpx#28': async () => {
    const { tools } = JSON.parse((await send(list, { accept: 'application/json' })).text).result
    const unfit = tools.filter(({ inputSchema }: { inputSchema: Record<string, unknown> }) =>
      ['anyOf', 'oneOf', 'allOf', '$ref'].some(
        (word) => word in inputSchema || inputSchema.type !== 'object',
      ),
    )
    expect([tools.length > 30, unfit]).toEqual([true, []])
  },
  'pgEdge/pgedge-postgres-mcp#212': async () => {
    const params = { protocolVersion: '2099-01-01', capabilities: {}, clientInfo }
    const { result } = JSON.parse((await send(initialize(params), { accept: 'application/json' })).text)
    expect(result.protocolVersion).toMatch(/^202[4-6]-/)
  },
  'IBM/WxMCPServer#3': async () => {
    const { status, text } = await send(initialize({ _meta: { progressToken: '5' } }))
    expect([status < 500, text]).toEqual([true, expect.stringMatching(/protocolVersion/)])
  },
  'modelcontextprotocol/php-sdk#306': async () => {
    for (const version of ['1900-01-01', 'not-a-version'])
      expect((await send(list, { 'mcp-protocol-version': version })).status).toBe(400)
  },
  'PrefectHQ/fastmcp#4901': async () => {
    const { refresh_token, client_id } = await obtainTokens(service, admin)
    const refresh = { grant_type: 'refresh_token', refresh_token, client_id }
    const responses = await runConcurrently(() => token(refresh))
    expect(countByStatus(responses)).toEqual({ 200: 32 })
    const next = new Set(responses.map(({ body }) => body.refresh_token))
    expect(next.size).toBe(1)
    expect((await token({ ...refresh, refresh_token: [...next][0] ?? '' })).status).toBe(200)
  },
  'anthropics/claude-code#52871': async () =>
    expect((await authorize(['http://127.0.0.1:33418/'], { resource: `${base}/` })).status).toBe(303),
  'sigbit/mcp-auth-proxy#123': async () =>
    expect((await authorize(['http://127.0.0.1:33418/'], { resource: `${base}/mcp/` })).status).toBe(303),
  'brightwave-inc/tidebreak#1464': async () => {
    const call = { ...list, method: 'tools/call', params: { name: 'list_runs' } }
    expect((await send(call)).text).toContain('"isError":false')
    const scalar = await send({ ...call, params: { name: 'list_runs', arguments: 7 } })
    expect([scalar.status < 500, scalar.text]).toEqual([true, expect.stringMatching(/arguments/)])
  },
}

describe('a report on MCP clients', () => {
  it.each(Object.entries(reports))('MCP-18 %s', async (_, check) => void (await check()))
})
