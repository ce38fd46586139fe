import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createMcpClient } from '#vendors/mcp/client.ts'

interface Message {
  id?: number
  method?: string
  params?: { name?: string; arguments?: unknown }
}
type Respond = (message: Message, response: ServerResponse, request: IncomingMessage) => unknown

const tool = {
  name: 'search',
  description: 'Search.',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
}
const initialized = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'old', version: '1' },
}

/** Answer like a server of 2025, which knows no discovery. Undefined: no answer of `respond`. */
function answerAsOldServer({ id, method }: Message): object | undefined {
  if (method === 'initialize') return { id, result: initialized }
  if (method === 'tools/list') return { id, result: { tools: [tool] } }
  if (method === 'tools/call') return { id, result: { content: [{ type: 'text', text: 'Found' }] } }
  return id === undefined ? undefined : { id, error: { code: -32601, message: 'Method not found' } }
}

/** Start a server of its own wire format. `respond` answers a message itself if it returns true. */
async function startServer(respond: Respond = () => false, token: string | null = null, timeoutMs?: number) {
  const requests: { method: string; message: Message; headers: IncomingMessage['headers'] }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const message: Message = text ? JSON.parse(text) : {}
    requests.push({ method: request.method ?? '', message, headers: request.headers })
    if (respond(message, response, request)) return
    const answer = answerAsOldServer(message)
    response.writeHead(answer ? 200 : 202, { 'content-type': 'application/json', 'mcp-session-id': 's-1' })
    response.end(answer ? JSON.stringify({ jsonrpc: '2.0', ...answer }) : undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const client = createMcpClient({ findRefusal: async () => null }, timeoutMs)
  return { requests, client, address: { name: 'old', url, token } }
}

const writeEvents = (response: ServerResponse, messages: object[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const message of messages)
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
}

it('TOL-13 reads the tools of a server of 2025, sends its token, and ends its session', async () => {
  const { requests, client, address } = await startServer(undefined, 'secret-token')
  const [listed] = await client.listTools(address)
  expect(listed).toMatchObject({ name: 'search', description: 'Search.', refusal: null })
  expect(await client.callTool(address, listed ?? { name: '', version: '' }, { query: 'a' })).toEqual({
    result: { text: 'Found', isError: false },
  })
  expect(requests.find(({ message }) => message.method === 'tools/call')?.message.params).toMatchObject({
    arguments: { query: 'a' },
  })
  expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set(['Bearer secret-token']),
  )
  expect(requests.map(({ method }) => method)).not.toContain('GET')
  expect(requests.at(-1)?.method).toBe('DELETE')
})

it('TOL-13 reads answers that are streams of events', async () => {
  const { client, address } = await startServer(({ id, method }, response) => {
    if (method !== 'tools/list') return false
    writeEvents(response, [
      { method: 'notifications/message', params: { level: 'info', data: 'x' } },
      { id, result: { tools: [tool] } },
    ])
    return response.end()
  })
  expect(await client.listTools(address)).toHaveLength(1)
})

it('TOL-13 takes the first of two tools that have one name', async () => {
  const { client, address } = await startServer(({ id, method }, response) => {
    if (method !== 'tools/list') return false
    writeEvents(response, [
      {
        id,
        result: {
          tools: [tool, tool, { ...tool, name: 'search\u200b' }, { ...tool, description: 'Other.' }],
        },
      },
    ])
    return response.end()
  })
  expect(await client.listTools(address)).toMatchObject([{ name: 'search', description: 'Search.' }])
})

it('TOL-15 calls no tool that the server describes in another way', async () => {
  const { requests, client, address } = await startServer()
  const answer = await client.callTool(address, { name: 'search', version: 'of yesterday' }, {})
  expect(answer).toMatchObject({ changed: [{ name: 'search' }] })
  expect(requests.map(({ message }) => message.method)).not.toContain('tools/call')
})

it('TOL-19 ends with a server that asks its client without end', async () => {
  const { requests, client, address } = await startServer(({ method }, response) => {
    if (method !== 'tools/list') return false
    writeEvents(
      response,
      Array.from({ length: 500 }, (_, id) => ({ id, method: 'ping' })),
    )
    return true
  })
  await expect(client.listTools(address)).rejects.toThrow('The server asks too much of its client')
  expect(requests.length).toBeLessThanOrEqual(12)
})

it.each<[string, string, Respond]>([
  [
    'that redirects',
    'redirects to another address',
    (_, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
  ],
  [
    'that wants a token',
    'wants a token',
    (_, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
  ],
  [
    'that is none',
    'does not answer as an MCP server',
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  ],
  [
    'whose answer is too large',
    'is too long',
    ({ id, method }, response) => {
      if (method !== 'tools/list') return false
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(
        JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [], filling: 'x'.repeat(600 * 1024) } }),
      )
    },
  ],
  [
    'whose stream is too large',
    'is too long',
    ({ method }, response) => {
      if (method !== 'tools/list') return false
      writeEvents(response, [
        { method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(600 * 1024) } },
      ])
      return true
    },
  ],
  [
    'whose answer has too many levels',
    'does not answer as an MCP server',
    ({ id, method }, response) => {
      if (method !== 'tools/list') return false
      const schema = `{"type":"object","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(
        `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"a","inputSchema":${schema}}]}}`,
      )
    },
  ],
  [
    'that breaks off',
    'does not answer as an MCP server',
    ({ method }, response) => method === 'tools/list' && response.destroy(),
  ],
])('TOL-19 fails with a server %s', async (_, reason, respond) => {
  const { client, address } = await startServer(respond)
  await expect(client.listTools(address)).rejects.toThrow(reason)
})

it('TOL-19 fails with a server that takes too long', async () => {
  const { client, address } = await startServer(({ method }) => method === 'tools/list', null, 200)
  await expect(client.listTools(address)).rejects.toThrow('did not answer within')
})

it('TOL-12 calls no address that the guard refuses', async () => {
  const { requests, address } = await startServer()
  const client = createMcpClient({ findRefusal: async () => 'must not lead to this service' })
  await expect(client.listTools(address)).rejects.toThrow('The address must not lead to this service')
  expect(requests).toEqual([])
})
