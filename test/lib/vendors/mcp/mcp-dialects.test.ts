import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { listVariants } from '#test/support/answer-variants.ts'
import { startVendorServer, type VendorAnswer } from '#test/support/vendor-server.ts'
import { createMcpClient } from '#vendors/mcp/client.ts'

// Servers of any age, and everything that they may send in another way.

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})

interface Message {
  id?: number
  method: string
  params?: { cursor?: string }
}
const json = { 'content-type': 'application/json', 'mcp-session-id': 's-1' }
const good = {
  name: 'search',
  title: 'Search',
  description: 'Search.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  annotations: { readOnlyHint: true, title: 'Search' },
}
const listed = { tools: [{ ...good, name: 'odd' }, good], nextCursor: 'end' }
const initialized = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'old', version: '1' },
  instructions: 'Search first.',
}
const called = {
  content: [
    { type: 'text', text: 'Found' },
    { type: 'resource_link', name: 'a', uri: 'https://example.com/' },
  ],
  structuredContent: { a: 1 },
  isError: false,
}
type Results = Partial<Record<string, (message: Message) => object | VendorAnswer>>

/** Answer like a server of 2025 that has these results. One with a status or a body is sent as it is. */
function answerWith(results: Results = {}) {
  const own: Results = {
    initialize: () => initialized,
    'tools/list': ({ params }) => (params?.cursor ? { tools: [] } : listed),
    'tools/call': () => called,
    ...results,
  }
  vendor.answer = ({ body }) => {
    const message = (body ? JSON.parse(body) : {}) as Message
    const result = own[message.method]?.(message)
    if (result && ('status' in result || 'body' in result)) return result
    if (message.id === undefined) return { status: 202 }
    const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
    return { headers: json, body: { jsonrpc: '2.0', id: message.id, ...answer } }
  }
}
const address = { name: 'old', url: `${vendor.origin}/mcp`, token: 'secret-token' }
const client = createMcpClient({ findRefusal: async () => null }, 3000)
const listNames = async () => (await client.listTools(address)).map(({ name }) => name)
const call = async () => {
  const [{ version = '' } = {}] = (await client.listTools(address)).filter(({ name }) => name === 'search')
  return client.callTool(address, { name: 'search', version }, { query: 'a' })
}

describe('TOL-13 a server is connected', () => {
  const error = (code: unknown, message: unknown, id: unknown = null) => ({
    jsonrpc: '2.0',
    id,
    error: { code, message },
  })
  it.each<[string, VendorAnswer | null]>([
    ['200 and an error without an id', { headers: json, body: error(-32600, 'Missing ID field') }],
    ['200 and an error of the id', { headers: json, body: error(-32601, 'Method not found', 0) }],
    ['200 and an error without a code', { headers: json, body: error(undefined, null) }],
    ['200 and a code as a text', { headers: json, body: error('-32602', 'Invalid params') }],
    ['200 and a result of nothing', { headers: json, body: { jsonrpc: '2.0', id: 0, result: {} } }],
    ['200 and null', { headers: json, body: { jsonrpc: '2.0', id: 0, result: null } }],
    ['200 and a text', { headers: json, body: 'what?' }],
    ['200 and a page', { headers: { 'content-type': 'text/html' }, body: '<p>' }],
    ['200 and nothing', { headers: json }],
    ['202', { status: 202 }],
    ['204', { status: 204 }],
    [
      'an error in a stream',
      {
        headers: { 'content-type': 'text/event-stream' },
        body: `data: ${JSON.stringify(error(-32600, 'x'))}\n\n`,
      },
    ],
    ...[302, 400, 401, 403, 404, 405, 406, 415, 422, 500, 501, 502, 503].map(
      (status): [string, VendorAnswer] => [
        String(status),
        { status, headers: json, body: { error: 'Unknown' } },
      ],
    ),
    [
      '400 and an error of the protocol',
      { status: 400, headers: json, body: error(-32000, 'Bad Request: Server not initialized') },
    ],
    ['a connection that breaks off', null],
  ])('that answers the probe with %s', async (_, answer) => {
    answerWith()
    const { answer: answerOld } = vendor
    vendor.answer = (request) => (request.body.includes('server/discover') ? answer : answerOld(request))
    expect(await listNames()).toEqual(['odd', 'search'])
  })

  it('that does not answer the probe at all', async () => {
    answerWith()
    const { answer } = vendor
    vendor.answer = (request) =>
      request.body.includes('server/discover') ? new Promise<VendorAnswer>(() => {}) : answer(request)
    const quick = createMcpClient({ findRefusal: async () => null }, 900)
    expect(await quick.listTools(address)).toHaveLength(2)
  })

  it.each(listVariants(initialized).map(({ change, body }) => [change, body as object] as const))(
    'that answers initialize with %s',
    async (_, body) => {
      answerWith({ initialize: () => body })
      expect(await listNames()).toEqual(['odd', 'search'])
    },
  )

  it.each<[string, object]>([
    ['another id', { id: 999 }],
    ['its id as a text', { id: '1' }],
    ['no version', { jsonrpc: undefined }],
    ['an error of null', { error: null }],
  ])('whose answers have %s', async (_, more) => {
    answerWith()
    const { answer } = vendor
    vendor.answer = (request) => {
      const sent = answer(request) as VendorAnswer
      return typeof sent.body === 'object' ? { ...sent, body: { ...sent.body, ...more } } : sent
    }
    expect(await listNames()).toEqual(['odd', 'search'])
  })

  it('that refuses to be told something', async () => {
    answerWith({ 'notifications/initialized': () => ({ status: 400, body: 'no' }) })
    expect(await listNames()).toEqual(['odd', 'search'])
  })
})

const methods = ['initialize', 'tools/list', 'tools/call'] as const
const results = { initialize: initialized, 'tools/list': { tools: [good] }, 'tools/call': called }

describe('TOL-13 an answer is read, whatever its content type says', () => {
  const toBodies = (message: object): Record<string, string> => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    const progress = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: {} })
    return {
      'an object': text,
      'a list': `[${text}]`,
      'an event': `event: message\ndata: ${text}\n\n`,
      'an event without its end': `data: ${text}`,
      'an event after pings and progress': `id: 0\ndata:\n\n: ping\n\ndata: ${progress}\n\ndata: ${text}\n\n`,
      'an event with line breaks of Windows': `event: message\r\ndata: ${text}\r\n\r\n`,
    }
  }
  const types = ['application/json', 'text/event-stream', 'text/plain; charset=utf-8', '']
  it.each(
    methods.flatMap((method) =>
      Object.keys(toBodies({})).flatMap((name) =>
        types.flatMap((type) => ['its id', 'the id 0'].map((id) => [method, name, type, id] as const)),
      ),
    ),
  )('to %s as %s of "%s" with %s', async (method, name, type, id) => {
    answerWith({
      [method]: (message) => ({
        headers: { ...(type ? { 'content-type': type } : {}), 'mcp-session-id': 's-1' },
        body: toBodies({ id: id === 'its id' ? message.id : 0, result: results[method] })[name],
      }),
    })
    expect(await call()).toMatchObject({ result: { text: expect.stringContaining('Found') } })
  })
})

describe('TOL-13 tools are listed', () => {
  it.each(listVariants(listed).map(({ change, path, body }) => [change, path, body as object] as const))(
    'without losing one for another: %s',
    async (_, path, body) => {
      answerWith({ 'tools/list': ({ params }) => (params?.cursor ? { tools: [] } : body) })
      const names = await listNames()
      const isAll = path.length === 1 && path[0] === 'tools' && !('tools' in body && body.tools)
      expect(names.includes('search')).toBe(!isAll)
      if (path[2] !== 'name' && !isAll) expect(names).toContain('odd')
    },
  )

  it.each([
    [{ description: null }, null],
    [{ description: 7 }, null],
    [{ inputSchema: null }, 'has an input schema that a prompt has no room for'],
    [{ inputSchema: { properties: {} } }, null],
    [{ inputSchema: JSON.stringify(good.inputSchema) }, null],
    [{ annotations: null }, 'does not say that it only reads (annotations.readOnlyHint)'],
    [{ annotations: { readOnlyHint: 'true' } }, 'does not say that it only reads (annotations.readOnlyHint)'],
    [{ outputSchema: 'any' }, null],
    [{ icons: 7, _meta: null, execution: [] }, null],
  ])('with the reason why one with %j cannot be allowed: %j', async (changes, refusal) => {
    answerWith({
      'tools/list': () => ({
        tools: [
          { ...good, ...changes },
          { ...good, name: 'b' },
        ],
      }),
    })
    expect(await client.listTools(address)).toMatchObject([
      { name: 'search', refusal },
      { name: 'b', refusal: null },
    ])
  })

  it.each([null, '', undefined, 7, {}])('of one page whose next cursor is %j', async (nextCursor) => {
    answerWith({
      'tools/list': ({ params }) => (params?.cursor ? { tools: [] } : { tools: [good], nextCursor }),
    })
    expect(await listNames()).toEqual(['search'])
  })

  it('of many pages, and stops at a bound with what was read', async () => {
    answerWith({
      'tools/list': ({ params }) => {
        const page = Number(params?.cursor ?? 0)
        return { tools: [{ ...good, name: `t${page}` }], nextCursor: String(page + 1) }
      },
    })
    expect(await listNames()).toEqual(['t0', 't1', 't2', 't3', 't4', 't5'])
  })

  it('of a server that always sends the same page', async () => {
    answerWith({ 'tools/list': () => ({ tools: [good], nextCursor: 'again' }) })
    expect(await listNames()).toEqual(['search'])
    expect(vendor.requests.filter(({ body }) => body.includes('tools/list'))).toHaveLength(2)
  })
})

describe('TOL-13 the result of a call is read', () => {
  it.each(listVariants(called).map(({ change, path, body }) => [change, path, body as object] as const))(
    'with %s',
    async (_, path, body) => {
      answerWith({ 'tools/call': () => body })
      const answer = await call()
      if (path[0] === 'isError' || (path[0] === 'content' && path.length <= 3))
        expect(answer).toHaveProperty('result')
      else
        expect(answer).toMatchObject({ result: { text: expect.stringContaining('Found'), isError: false } })
    },
  )
})

describe('TOL-19 the sentence of a server that refuses is shown', () => {
  const sentence = 'The index is read-only until 18:00'
  const refusals: Record<string, VendorAnswer> = {
    'an error of the protocol': {
      headers: json,
      body: {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32000, message: `${sentence}\u0007 [secret-token]` },
      },
    },
    'a status': { status: 503, headers: json, body: { error: `${sentence} [secret-token]` } },
    'a plain text': {
      status: 400,
      headers: { 'content-type': 'text/plain' },
      body: `${sentence} [secret-token]`,
    },
    'the data of an error': {
      headers: json,
      body: { id: 1, error: { code: -32603, message: 'Internal error', data: `${sentence} [secret-token]` } },
    },
    'an object in the data of an error': {
      headers: json,
      body: { id: 1, error: { code: -32603, message: '', data: { reason: `${sentence} [secret-token]` } } },
    },
    'an error in a stream': {
      headers: { 'content-type': 'text/event-stream' },
      body: `data: ${JSON.stringify({ id: 9, error: { message: `${sentence} [secret-token]` } })}\n\n`,
    },
    'a challenge': {
      status: 403,
      headers: {
        'www-authenticate': `Bearer error="insufficient_scope", error_description="${sentence} [secret-token]"`,
      },
    },
    'a missing permission': { status: 403, headers: json, body: { message: `${sentence} [secret-token]` } },
  }
  it.each(
    Object.entries(refusals).flatMap(([name, answer]) =>
      methods.map((method) => [name, method, answer] as const),
    ),
  )('by %s to %s', async (_, method, answer) => {
    answerWith({ [method]: () => answer })
    const error = await (method === 'tools/call' ? call() : client.listTools(address)).catch(
      ({ message }: Error) => message,
    )
    expect(error).toMatch(
      /^The server [\w ]+: (?:Internal error; )?The index is read-only until 18:00 \(…\)$/,
    )
  })
})
