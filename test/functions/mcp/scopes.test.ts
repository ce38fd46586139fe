import { expect, it } from 'vitest'
import { readingScopes } from '#functions/mcp/tools.ts'
import { getKeyScope, keyScopes } from '#http/key-scopes.ts'
import { describeScopes } from '#http/scope-words.ts'
import { authorizationHeader, sharedService } from '#test/support/app.ts'
import { createFlow } from '#test/support/flows.ts'
import { callTool } from '#test/support/mcp.ts'
import {
  connectProgram,
  createVerifier,
  obtainTokens,
  redirectUri,
  registerClient,
  startAuthorization,
} from '#test/support/mcp-oauth.ts'
import { toolCases } from '#test/support/mcp-tools.ts'
import { createAccount } from '#test/support/people.ts'
import { randomIpAddress } from '#test/support/public-requests.ts'

const service = await sharedService()
const base = service.settings.PUBLIC_BASE_URL ?? ''
const metadata = `resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`

function post(token: string | undefined, body: unknown): Promise<Response> {
  return fetch(`${service.api}/mcp`, {
    method: 'POST',
    headers: {
      ...(token ? authorizationHeader(token) : {}),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'cf-connecting-ip': randomIpAddress(),
    },
    body: JSON.stringify(body),
  })
}
const call = (name: string, args: object = {}, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

it('MCP-20 the challenge and the metadata name the scopes with which the tools read, and no wildcard', async () => {
  const reading = toolCases.map(([, , op]) => getKeyScope(op)).filter((scope) => scope?.endsWith(':read'))
  expect(readingScopes).toEqual([...new Set(reading)].toSorted())
  const { headers } = await post(undefined, call('list_runs'))
  expect(headers.get('www-authenticate')).toBe(`Bearer ${metadata}, scope="${readingScopes.join(' ')}"`)
  for (const path of [
    'oauth-protected-resource',
    'oauth-protected-resource/mcp',
    'oauth-authorization-server',
  ]) {
    const { scopes_supported } = await (await fetch(`${service.api}/.well-known/${path}`)).json()
    expect([path, scopes_supported.filter((scope: string) => scope.includes('*'))]).toEqual([path, []])
  }
})

it('MCP-20 a program that names no scope asks for those, and the official client does so by itself', async () => {
  const url = new URL(`${service.api}/oauth/authorize`)
  const query = {
    response_type: 'code',
    client_id: await registerClient(service),
    redirect_uri: redirectUri,
    code_challenge: createVerifier().challenge,
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const { location } = await startAuthorization(service, url)
  expect(location?.searchParams.get('scope')?.split(' ')).toEqual(readingScopes)
  const { admin } = await createAccount(service)
  const { askedScopes } = await connectProgram(service, admin)
  expect(askedScopes().filter((scope) => scope !== 'offline_access')).toEqual(readingScopes)
})

it('MCP-21 the official client asks for more when a tool needs it, and goes on when the person has agreed', async () => {
  const { admin } = await createAccount(service)
  const { id: tree_id } = await createFlow(admin)
  const { client, askedScopes, agreeAgain } = await connectProgram(service, admin, ['flows:read'])
  const start = { tree_id, variables: { printer_ip: '10.0.0.7' } }
  await expect(callTool(client, 'start_flow', start)).rejects.toThrow('Unauthorized')
  expect(askedScopes()).toEqual(expect.arrayContaining(['flows:read', 'sessions:write']))
  expect(await service.sql('select from sessions where account_id = $1', [admin.accountId])).toEqual([])
  await agreeAgain()
  expect((await callTool(client, 'start_flow', start)).isError).toBe(false)
  // What was agreed to before stays.
  expect((await callTool(client, 'read_flow', { tree_id })).isError).toBe(false)
})

it('MCP-21 each tool answers a grant without its scope with the scopes to ask for', async () => {
  const { admin } = await createAccount(service)
  const { access_token } = await obtainTokens(service, admin, ['uploads:read'])
  for (const [name, , op] of toolCases) {
    const response = await post(access_token, call(name))
    const scope = getKeyScope(op)
    expect([name, response.status, (await response.json()).required_scope]).toEqual([name, 403, scope])
    const challenge = response.headers.get('www-authenticate') ?? ''
    expect(challenge).toMatch(/^Bearer error="insufficient_scope", scope="uploads:read [a-z: ]+", /)
    expect(challenge).toContain(metadata)
    expect(challenge).toContain(scope)
  }
  for (const request of [
    { jsonrpc: '2.0', id: 1, method: 'resources/list', params: {} },
    { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'flow://x' } },
    [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, call('list_runs', {}, 2)],
  ])
    expect((await post(access_token, request)).status).toBe(403)
  for (const request of [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, call('no_such_tool')])
    expect((await post(access_token, request)).status).toBe(200)
})

it('MCP-22 a program that asks is described in words, and only reading one subject is ticked', async () => {
  const { admin } = await createAccount(service)
  const client_id = await registerClient(service)
  const { scopes } = await admin.client.identity.consents.getClient({ client_id, scope: keyScopes.join(' ') })
  expect(scopes.map(({ scope }) => scope).toSorted()).toEqual([...keyScopes].toSorted())
  expect(new Set(scopes.map(({ title }) => title)).size).toBe(scopes.length)
  for (const { scope, title, is_preselected } of scopes) {
    expect(title).toMatch(/^Read (and change )?[a-zA-Z]/)
    expect(title).not.toContain(scope.split(':')[0] === '*' ? '*' : ':')
    expect([scope, is_preselected]).toEqual([scope, /^[^*]+:read$/.test(scope)])
  }
  expect(scopes.slice(-2).map(({ scope }) => scope)).toEqual(['*:read', '*:write'])
  const read = await admin.client.identity.consents.getClient({ client_id })
  expect(read.scopes.map(({ scope }) => scope).toSorted()).toEqual(readingScopes)
  expect(describeScopes(['psa:write', 'flows:read'])).toEqual([
    { scope: 'flows:read', title: 'Read flows', isPreselected: true },
    { scope: 'psa:write', title: 'Read and change tickets of the ticketing system', isPreselected: false },
  ])
})
