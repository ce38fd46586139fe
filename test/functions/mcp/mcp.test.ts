import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { prompts } from '#functions/mcp/prompts.ts'
import { tools as declarations, readingScopes } from '#functions/mcp/tools.ts'
import { getKeyScope } from '#http/key-scopes.ts'
import type { AnyOperation } from '#http/operation.ts'
import { getQuerySchema } from '#http/validators.ts'
import { createKey } from '#test/support/api-keys.ts'
import { authorizationHeader, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { callTool, connectMcp } from '#test/support/mcp.ts'
import { callToolWithFixture, toolCases } from '#test/support/mcp-tools.ts'
import { createAccount } from '#test/support/people.ts'
import { randomIpAddress } from '#test/support/public-requests.ts'

const service = await sharedService()
const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const listRequest = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

function listBodyFields({ body }: AnyOperation): string[] {
  const object = body instanceof z.ZodPrefault ? body.unwrap() : body
  return object instanceof z.ZodObject ? Object.keys(object.shape) : []
}

async function createScene(options: Parameters<typeof createKey>[2] = {}) {
  const account = await createAccount(service)
  const key = await createKey(service, account, { team_id: account.teamId, ...options })
  return { account, key, client: await connectMcp(service, key.key) }
}

function post(
  headers: Record<string, string>,
  body: unknown = listRequest,
  path = '/mcp',
): Promise<Response> {
  return fetch(`${service.api}${path}`, {
    method: 'POST',
    headers: { ...jsonHeaders, ...headers },
    body: JSON.stringify(body),
  })
}

describe('tools', () => {
  it('MCP-01 each tool is listed with the parameters of its operation, and none that it sets itself', async () => {
    const { client } = await createScene()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(declarations.map(({ name }) => name))
    for (const [index, [name, declaration, op]] of toolCases.entries()) {
      const { description = '', inputSchema, annotations } = tools[index] as (typeof tools)[number]
      const expected = [
        ...Object.keys(op.params?.shape ?? {}),
        ...Object.keys(getQuerySchema(op).shape),
        ...listBodyFields(op),
      ]
      expect(new Set(expected).size, `${name} has two parameters of one name`).toBe(expected.length)
      const fixed = Object.keys(declaration.fixed ?? {})
      expect(Object.keys(inputSchema.properties ?? {}).toSorted()).toEqual(
        expected.filter((field) => !fixed.includes(field)).toSorted(),
      )
      expect(inputSchema.required ?? []).toEqual(expect.arrayContaining(Object.keys(op.params?.shape ?? {})))
      expect([name, description.includes(op.summary), description.includes(getKeyScope(op) ?? '?')]).toEqual([
        name,
        true,
        true,
      ])
      expect([name, annotations?.readOnlyHint]).toEqual([name, op.method === 'get'])
    }
  })

  it.each(toolCases)(
    'MCP-02 MCP-23 %s answers a valid request, also as structured content',
    async (_, declaration, op) => {
      const { text, isError, structured, outputSchema } = await callToolWithFixture(service, declaration, op)
      expect([isError, text]).toEqual([false, expect.any(String)])
      expect([outputSchema !== undefined, structured !== undefined]).toEqual(
        Array(2).fill(op.returns !== undefined),
      )
      const { items } = (structured ?? {}) as { items?: unknown }
      if (structured) expect([structured, items]).toContainEqual(JSON.parse(text))
    },
  )

  it('MCP-03 a key without the scope gets an error that names it, and another account’s rows are not found', async () => {
    const { client } = await createScene({ scopes: ['flows:read'] })
    expect(await callTool(client, 'list_runs')).toEqual({
      isError: true,
      text: '403 insufficient_scope: This needs the scope sessions:read',
    })
    const theirs = await createFlow((await createAccount(service)).admin)
    expect((await callTool(client, 'read_flow', { tree_id: theirs.id })).text).toMatch(/^404: /)
  })

  it('MCP-03 names invalid arguments, and does not send a path that leads elsewhere', async () => {
    const { client } = await createScene()
    expect((await callTool(client, 'search_flows', { limit: 0, nonsense: 1 })).text).toMatch(
      /^422: [^\n]+\n- limit .+\n- nonsense /,
    )
    expect((await callTool(client, 'start_flow', { tree_id: 'x' })).text).toMatch(/^422: [^\n]+\n- tree_id /)
    for (const ticket_id of ['..', '%2e%2e', 'x/../../api-keys', ''])
      expect(await callTool(client, 'get_ticket_context', { ticket_id })).toMatchObject({ isError: true })
    for (const tree_id of ['..', '../trees', '00000000-0000-7000-8000-000000000102/fork'])
      expect(await callTool(client, 'read_flow', { tree_id })).toEqual({
        isError: true,
        text: '404: Not found',
      })
    await expect(client.callTool({ name: 'delete_everything', arguments: {} })).rejects.toThrow(
      'There is no tool',
    )
  })

  it('MCP-04 runs a flow step by step as the key', async () => {
    const { account, key, client } = await createScene()
    const flow = await createFlow(account.admin, { visibility: 'account' })
    const start = await callTool(client, 'start_flow', {
      tree_id: flow.id,
      variables: { printer_ip: '10.0.0.7' },
    })
    const session = JSON.parse(start.text)
    expect(session).toMatchObject({ user_id: key.id })
    const text = (await callTool(client, 'get_run', { session_id: session.id })).text
    expect(JSON.parse(text)).toMatchObject({ id: session.id, state: 'in_progress' })
  })

  it('MCP-05 cuts a long answer, and says so', async () => {
    const { account, client } = await createScene()
    const description = 'x'.repeat(4500)
    for (let n = 0; n < 10; n++) await createFlow(account.admin, { visibility: 'account', description })
    const { text, structured } = await callTool(client, 'search_flows', { search: 'Printer' })
    expect(text.length).toBeLessThan(40_200)
    expect(text).toMatch(/\[Cut after 40000 of \d+ characters/)
    const { items } = structured as { items: unknown[] }
    expect([items.length > 5, items.length < 10, JSON.stringify(items).length <= 40_000]).toEqual(
      Array(3).fill(true),
    )
  })
})

it('WIR-67 a list says with what the next page is called, and resources have it as cursor', async () => {
  const { account, client } = await createScene()
  for (const name of ['0 A', '0 B', '0 C']) await createFlow(account.admin, { visibility: 'account', name })
  const list = async (start: object) =>
    (await client.callTool({ name: 'search_flows', arguments: { sort_by: 'name', limit: 2, ...start } }))
      .content as { text: string }[]
  const [, more] = await list({})
  const [second] = await list(JSON.parse(more?.text.replace('More follow: call again with ', '') ?? ''))
  expect(JSON.parse(second?.text ?? '')[0].name).toBe('0 C')
  for (let n = 0; n < 50; n++) await createFlow(account.admin, { visibility: 'account', name: `0 D${n}` })
  // The client follows the cursors.
  const names = (await client.listResources()).resources
    .map(({ name }) => name)
    .filter((name) => name.startsWith('0 '))
  expect([names.length, new Set(names).size]).toEqual([53, 53])
})

describe('resources and prompts', () => {
  it('MCP-06 lists published flows as resources, and reads one as markdown', async () => {
    const { account, client } = await createScene()
    const flow = await createFlow(account.admin, { visibility: 'account' })
    const { resources } = await client.listResources()
    expect(resources).toContainEqual(
      expect.objectContaining({ uri: `flow://${flow.id}`, name: flow.name, mimeType: 'text/markdown' }),
    )
    const { contents } = await client.readResource({ uri: `flow://${flow.id}` })
    expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: expect.stringContaining(flow.name) }])
    for (const uri of [`flow://${crypto.randomUUID()}`, 'flow://..', 'file:///etc/passwd'])
      await expect(client.readResource({ uri })).rejects.toThrow()
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'flow://{id}' },
    ])
  })

  it('MCP-07 the prompts name only tools that exist', async () => {
    const { client } = await createScene()
    const names = declarations.map(({ name }) => name)
    for (const { text } of prompts)
      for (const [word] of text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g))
        expect([...names, 'ticket_id', 'session_id']).toContain(word)
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(
      prompts.map(({ name }) => name),
    )
  })

  it.each([
    ['diagnose_ticket', 'ticket_id', 'the ticket 4711'],
    ['continue_run', 'session_id', 'the run 4711'],
    ['prepare_escalation', 'session_id', 'the AI session 4711'],
  ])('MCP-07 the prompt %s needs %s, and names it', async (name, argument, expected) => {
    const { client } = await createScene()
    const { messages } = await client.getPrompt({ name, arguments: { [argument]: '4711' } })
    expect(messages).toMatchObject([{ role: 'user', content: { text: expect.stringContaining(expected) } }])
    await expect(client.getPrompt({ name, arguments: {} })).rejects.toThrow(`needs ${argument}`)
    expect(
      (await client.listPrompts()).prompts.find((prompt) => prompt.name === name)?.arguments,
    ).toMatchObject([{ name: argument, required: true }])
  })
})

describe('callers', () => {
  it('MCP-15 refuses a page of another site, and accepts one of the own frontend', async () => {
    const { key } = await createScene()
    const send = async (origin: string) => (await post({ authorization: `Bearer ${key.key}`, origin })).status
    const own = [service.api, 'http://localhost:5173']
    expect(await Promise.all([...own, 'https://evil.example', 'null'].map(send))).toEqual([
      200, 200, 403, 403,
    ])
  })

  it('MCP-08 returns 401 with the address of the metadata without a valid credential', async () => {
    const { account, key } = await createScene()
    expectStatus(await account.admin.call('DELETE', `/api-keys/${key.id}`), 204)
    for (const token of [undefined, 'x', key.key, account.admin.token]) {
      const headers = { ...(token ? authorizationHeader(token) : {}), 'cf-connecting-ip': randomIpAddress() }
      const response = await post(headers)
      expect([token?.slice(0, 3), response.status]).toEqual([token?.slice(0, 3), 401])
      expect(response.headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${service.settings.PUBLIC_BASE_URL}/.well-known/oauth-protected-resource/mcp", scope="${readingScopes.join(' ')}"`,
      )
    }
  })

  it('MCP-08 takes the address of the client into account', async () => {
    const { key } = await createScene()
    await service.sql(`update api_keys set allowed_ranges = '{203.0.113.0/24}' where id = $1`, [key.id])
    const from = (address: string) => post({ ...authorizationHeader(key.key), 'cf-connecting-ip': address })
    expect([(await from('203.0.113.5')).status, (await from('198.51.100.1')).status]).toEqual([200, 403])
  })

  it('MCP-08 a tool call has the limits of its operation', async () => {
    const { key, client } = await createScene()
    const before = Number((await key.call('GET', '/analytics/me')).headers.get('ratelimit-remaining'))
    expect(before).toBeGreaterThan(0)
    await callTool(client, 'get_team_analytics', { period: '7d' })
    const first = Number(
      (await key.call('GET', '/analytics/team?period=7d')).headers.get('ratelimit-remaining'),
    )
    await callTool(client, 'get_team_analytics', { period: '7d' })
    expect(
      Number((await key.call('GET', '/analytics/team?period=7d')).headers.get('ratelimit-remaining')),
    ).toBe(first - 2)
  })

  it('MCP-16 each message of a batch counts as a call, and a batch has at most 10', async () => {
    const account = await createAccount(service)
    const { key } = await createKey(service, account)
    const send = (count: number) =>
      post(
        authorizationHeader(key),
        Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })),
      )
    expect((await send(11)).status).toBe(422)
    const statuses: number[] = []
    for (let n = 0; n < 26; n++) statuses.push((await send(10)).status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(23)
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(25)
    expect(statuses.at(-1)).toBe(429)
  })

  it('MCP-08 refuses a body over 1 MiB, text that is no JSON, and a GET', async () => {
    const { key } = await createScene()
    const headers = { ...jsonHeaders, ...authorizationHeader(key.key) }
    // Without HTTP, because the server closes the connection of a body that it does not read.
    const send = async (init: RequestInit) =>
      (await service.fetch?.(new Request(`${service.api}/mcp`, { headers, ...init })))?.status
    expect(await send({ method: 'POST', body: `"${'x'.repeat(1024 * 1024)}"` })).toBe(413)
    expect(await send({ method: 'POST', body: '{' })).toBe(400)
    expect(await send({ method: 'GET' })).toBe(405)
  })
})

describe('what a client accepts', () => {
  it.each(['*/*', 'application/json', 'text/event-stream, application/json', ''])(
    'MCP-19 %s is answered',
    async (accept) => {
      const { key } = await createScene()
      const response = await post({ ...authorizationHeader(key.key), accept })
      const type = accept.includes('event-stream') ? 'text/event-stream' : 'application/json'
      expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([
        200,
        expect.stringMatching(/^(application\/json|text\/event-stream)$/),
      ])
      if (type === 'application/json')
        expect(await response.json()).toMatchObject({
          jsonrpc: '2.0',
          id: 1,
          result: { tools: expect.any(Array) },
        })
      else await response.text()
    },
  )

  it('MCP-19 a batch is answered with a list', async () => {
    const { key } = await createScene()
    const response = await post({ ...authorizationHeader(key.key), accept: 'application/json' }, [
      listRequest,
      { ...listRequest, id: 2 },
    ])
    expect(((await response.json()) as { id: number }[]).map(({ id }) => id).toSorted()).toEqual([1, 2])
  })

  it('MCP-18 null for the arguments of a tool is none', async () => {
    const { key } = await createScene()
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_flows', arguments: null },
    }
    const response = await post({ ...authorizationHeader(key.key), accept: 'application/json' }, call)
    expect(await response.json()).toMatchObject({ result: { isError: false } })
  })

  it.each(['/mcp', '/mcp/'])('MCP-18 the arguments of a tool may be a text, at %s', async (path) => {
    const { key } = await createScene()
    const params = { name: 'search_flows', arguments: '{"limit":"3"}' }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const response = await post({ ...authorizationHeader(key.key), accept: 'application/json' }, call, path)
    expect(await response.json()).toMatchObject({ result: { isError: false } })
  })

  it('MCP-05 a cut answer never ends with half a character', async () => {
    const { account, client } = await createScene()
    for (const start of ['', 'x']) {
      const steps = [1, 2, 3].map((n) => ({
        id: `s${n}`,
        type: 'procedure_step',
        title: 'a',
        description: start + '😀'.repeat(9990),
      }))
      const structure = {
        steps: [...steps, { id: 'end', type: 'procedure_end', title: 'Done', description: '' }],
      }
      const { id } = await createFlow(account.admin, {
        tree_type: 'procedural',
        visibility: 'account',
        tree_structure: structure,
        intake_form: [],
      })
      const { text } = await callTool(client, 'read_flow', { tree_id: id })
      expect([text.isWellFormed(), text.includes('[Cut after')]).toEqual([true, true])
    }
  })
})
