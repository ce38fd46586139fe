import { afterAll, describe, expect, it } from 'vitest'
import { startVendorServer, type VendorAnswer, type VendorRequest } from '#test/support/vendor-server.ts'
import { createMcpClient } from '#vendors/mcp/client.ts'

// Public reports on what MCP servers answer; test/reports.tsv has the essence of each.

const vendor = await startVendorServer()
afterAll(vendor.close)

interface Message {
  id?: number | string
  method?: string
  result?: object
}
const json = { 'content-type': 'application/json', 'mcp-session-id': 's-1' }
const sse = { ...json, 'content-type': 'text/event-stream' }
const good = {
  name: 'search',
  description: 'Search.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
  annotations: { readOnlyHint: true },
}
const initialized = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'a', version: '1' },
}
const called = { content: [{ type: 'text', text: 'Found' }] }
type Answer = (message: Message, request: VendorRequest) => object | VendorAnswer
type Answers = Partial<Record<string, Answer>>
const event = (data: unknown) => `event: message\ndata: ${JSON.stringify(data)}\n\n`
const reply = ({ id }: Message, result: object) => ({ jsonrpc: '2.0', id, result })

/** Answer like a server of 2025, but in these methods. What has a status or a body is sent as it is. */
function answerWith(own: Answers = {}) {
  const answers: Answers = {
    initialize: () => initialized,
    'tools/list': () => ({ tools: [good] }),
    'tools/call': () => called,
    ...own,
  }
  vendor.requests.length = 0
  vendor.answer = (request) => {
    const message = (request.body ? JSON.parse(request.body) : {}) as Message
    const any = own['*']?.(message, request)
    if (any) return any
    if (message.id === undefined) return { status: 202 }
    const result = answers[message.method ?? '']?.(message, request)
    if (result && ('status' in result || 'body' in result)) return result
    const error = { code: -32601, message: 'Method not found' }
    return {
      headers: json,
      body: result ? reply(message, result) : { jsonrpc: '2.0', id: message.id, error },
    }
  }
}
const address = { name: 'a', url: `${vendor.origin}/mcp`, token: 'secret-token' }
const client = createMcpClient({ findRefusal: async () => null }, 2500)
const list = async () => (await client.listTools(address)).map(({ name, refusal }) => refusal ?? name)
const call = async () => {
  const [{ version = '' } = {}] = await client.listTools(address)
  const answer = await client.callTool(address, { name: 'search', version }, { query: 'a' })
  return 'result' in answer ? answer.result : answer
}
const fail = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    ({ message }: Error) => message,
  )
const found = { text: 'Found', isError: false }

const reports: Record<string, [Answers, () => Promise<unknown>]> = {
  'NousResearch/hermes-agent#101330': [
    {
      'tools/list': () => ({ tools: [{ ...good, outputSchema: { type: 'object', required: ['a'] } }] }),
      'tools/call': () => ({ ...called, structuredContent: { b: 1 } }),
    },
    async () => expect(await call()).toEqual(found),
  ],
  'oculairmedia/Letta-MCP-server#102': [
    { 'tools/list': () => ({ tools: [{ ...good, outputSchema: { type: 'object' } }] }) },
    async () => expect(await call()).toEqual(found),
  ],
  // The server was restarted, or another process answers, and does not know the session.
  'modelcontextprotocol/rust-sdk#733': [
    (() => {
      let sessions = 0
      return {
        initialize: (message) => {
          sessions++
          return {
            headers: { ...json, 'mcp-session-id': `s-${sessions}` },
            body: reply(message, initialized),
          }
        },
        'tools/list': (_, { headers }) =>
          headers['mcp-session-id'] === 's-1'
            ? { status: 404, headers: json, body: { error: { code: -32001, message: 'Session not found' } } }
            : { tools: [good] },
      } satisfies Answers
    })(),
    async () => expect(await list()).toEqual(['search']),
  ],
  'modelcontextprotocol/python-sdk#1146': [
    {
      'tools/call': (message) => ({
        headers: sse,
        body: `id: 0\nretry: 1000\ndata:\n\n: ping\n\nevent: ping\ndata: \n\n${event(reply(message, called))}`,
      }),
    },
    async () => expect(await call()).toEqual(found),
  ],
  'amtiYo/agents#29': [
    {
      'tools/call': (message) => ({
        headers: sse,
        body:
          event({
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken: 1, progress: 1 },
          }) +
          event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } }) +
          event(reply(message, called)),
      }),
    },
    async () => expect(await call()).toEqual(found),
  ],
  'radareorg/radare2-mcp#68': [
    {
      'tools/list': () => ({ headers: json, body: reply({ id: 0 }, { tools: [good] }) }),
      'tools/call': () => ({ headers: sse, body: event(reply({ id: 0 }, called)) }),
    },
    async () => expect(await call()).toEqual(found),
  ],
  'modelcontextprotocol/python-sdk#961': [
    { 'tools/call': ({ id }) => ({ headers: sse, body: event(reply({ id: String(id) }, called)) }) },
    async () => expect(await call()).toEqual(found),
  ],
  'modelcontextprotocol/java-sdk#748': [
    {
      '*': ({ id }) =>
        id === undefined
          ? { headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'Accepted' }
          : (undefined as never),
    },
    async () => expect(await call()).toEqual(found),
  ],
  'helidon-io/helidon-mcp#97': [
    {
      'tools/call': (message) => ({
        body: reply(message, called),
      }),
    },
    async () => expect(await call()).toEqual(found),
  ],
  'koala73/worldmonitor#1848': [
    { '*': () => ({ status: 405, headers: { allow: 'GET' }, body: 'Method Not Allowed' }) },
    async () => expect(await fail(list())).toMatch(/older SSE transport/),
  ],
  'kirodotdev/Kiro#8960': [
    {
      'tools/call': () => ({
        content: [{ type: 'resource_link', uri: 'https://a.example/job', name: 'Job 7' }],
      }),
    },
    async () => expect(await call()).toMatchObject({ text: expect.stringMatching(/Job 7.*a\.example/) }),
  ],
  'eneo-ai/eneo#673': [
    {
      'tools/call': () => ({
        content: [...called.content, { type: 'image', data: 'aGk=', mimeType: 'image/png' }],
      }),
    },
    async () => expect(await call()).toMatchObject({ text: expect.stringMatching(/Found\n.*image/) }),
  ],
  'stacklok/mecatl#223': [
    {
      'tools/call': () => ({
        content: [
          {
            type: 'resource',
            resource: { uri: 'file:///report.pdf', mimeType: 'application/pdf', blob: 'aGk=' },
          },
        ],
      }),
    },
    async () =>
      expect(await call()).toMatchObject({ text: expect.stringMatching(/report\.pdf.*application\/pdf/) }),
  ],
  'just-every/code#611': [
    { initialize: () => ({ ...initialized, protocolVersion: '2024-11-05' }) },
    async () => expect(await call()).toEqual(found),
  ],
  'opensearch-project/opensearch-mcp-server-py#271': [
    {
      '*': (_, { path }) =>
        path === '/mcp' ? { status: 307, headers: { location: '/mcp/' } } : (undefined as never),
    },
    async () => expect(await call()).toEqual(found),
  ],
  'BerriAI/litellm#34845': [
    { '*': () => ({ status: 307, headers: { location: 'http://other.example/mcp/' } }) },
    async () => expect(await fail(list())).toMatch(/redirects.*other\.example\/mcp/),
  ],
  'anthropics/claude-code#88049': [
    {
      'tools/list': () => ({
        tools: [{ ...good, name: 'any', inputSchema: { anyOf: [{ type: 'object' }] } }, good],
      }),
    },
    async () => expect(await list()).toContain('search'),
  ],
  'anthropics/claude-code#95504': [
    {
      'tools/list': () => ({
        tools: [
          {
            ...good,
            inputSchema: { ...good.inputSchema, allOf: [{ if: {}, else: { required: ['query'] } }] },
          },
        ],
      }),
    },
    async () => expect(await list()).toEqual(['search']),
  ],
  'anthropics/claude-code#85833': [
    {
      'tools/call': ({ id }) => ({
        headers: json,
        body: {
          jsonrpc: '2.0',
          id,
          error: { code: -32603, message: 'Internal error', data: 'The user is locked' },
        },
      }),
    },
    async () => expect(await fail(call())).toMatch(/The user is locked/),
  ],
  'anthropics/claude-code#92518': [
    {
      'tools/call': () => ({
        status: 403,
        headers: {
          ...json,
          'www-authenticate':
            'Bearer error="insufficient_scope", scope="events:write", error_description="The scope events:write is missing"',
        },
      }),
    },
    async () => expect(await fail(call())).toMatch(/does not permit this: .*events:write/),
  ],
  'basicmachines-co/basic-memory#1378': [
    (() => {
      let calls = 0
      return {
        'tools/call': () =>
          ++calls === 1
            ? { status: 429, headers: { ...json, 'retry-after': '1' }, body: { error: 'Slow down' } }
            : called,
      } satisfies Answers
    })(),
    async () => expect(await call()).toEqual(found),
  ],
  'panoramicdata/Meraki.Api#389': [
    {
      'tools/call': () => ({
        content: [{ type: 'text', text: '{"result":{"type":"error","error":"API rate limit reached."}}' }],
      }),
    },
    async () => expect(await call()).toMatchObject({ text: expect.stringContaining('rate limit reached') }),
  ],
  'agentmail-to/agentmail-mcp#57': [
    {
      'tools/call': () => ({
        status: 429,
        headers: { ...json, 'retry-after': '90' },
        body: { error: 'Rate limit' },
      }),
    },
    async () => expect(await fail(call())).toMatch(/limits our calls.*90 s.*Rate limit/),
  ],
}

describe('a report on MCP servers', () => {
  it.each(Object.entries(reports))('TOL-13 TOL-19 %s', async (_, [answers, check]) => {
    answerWith(answers)
    await check()
  })
})
