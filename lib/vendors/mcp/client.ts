import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Tool,
} from '@modelcontextprotocol/client'
import {
  cleanInputSchema,
  cleanOutsideResult,
  cleanOutsideText,
  findToolRefusal,
  type McpTool,
  sortKeys,
} from '#rules/ai/outside-tool.ts'
import { isTooDeep } from '#rules/text/json.ts'
import { sha256Base64url } from '#vendors/auth/hash.ts'
import { AnswerTooLongError, createBoundedFetch, type Fetch } from '#vendors/net/bounded-fetch.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'
import { withTimeout } from '#vendors/net/send-result.ts'
import { McpError, type McpPort, type McpServer } from './mcp.ts'

const defaultTimeoutMs = 10_000
const closeTimeoutMs = 1000
const maxBytes = 512 * 1024
/** A server may send requests of its own, each of which the client answers with a call. */
const maxRequests = 12
const maxTools = 50
const maxPages = 4
const maxResultCharacters = 64 * 1024
const maxNameCharacters = 128

/**
 * Create the client of MCP servers: streamable HTTP, one connection per call.
 * https://modelcontextprotocol.io/specification/2026-07-28
 */
export function createMcpClient(guard: OutboundGuard, timeoutMs: number = defaultTimeoutMs): McpPort {
  const limits = { guard, timeoutMs }
  return {
    listTools: (server) => connect(limits, server, readTools),
    callTool: (server, { name, version }, toolArguments) =>
      connect(limits, server, async (client) => {
        const tools = await readTools(client)
        if (tools.find((tool) => tool.name === name)?.version !== version) return { changed: tools }
        return { result: toResult(await client.callTool({ name, arguments: toolArguments })) }
      }),
  }
}

async function connect<T>(
  { guard, timeoutMs }: { guard: OutboundGuard; timeoutMs: number },
  server: McpServer,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const refusal = await guard.findRefusal(server.url, 'sending')
  if (refusal) throw new McpError(`The address ${refusal}`)
  const client = new Client(
    { name: 'support-flow-service', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      listMaxPages: maxPages,
      // A schema of the server would be compiled or run; its results are text for a model.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  )
  const { fetch, getFailure } = createServerFetch(server, Date.now() + timeoutMs)
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch,
    reconnectionOptions: noReconnection,
  })
  try {
    const failure = new Promise<never>((_, reject) => {
      client.onerror = reject
    })
    const work = client.connect(transport).then(() => use(client))
    const result = await withTimeout(timeoutMs, Promise.race([work, failure]))
    client.onerror = () => {}
    if (transport.sessionId)
      await withTimeout(closeTimeoutMs, transport.terminateSession()).catch(() => undefined)
    return result
  } catch (error) {
    throw toMcpError(getFailure() ?? error)
  } finally {
    await client.close().catch(() => undefined)
  }
}

const noReconnection = {
  maxRetries: 0,
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 1000,
  reconnectionDelayGrowFactor: 1,
}

/**
 * Create the `fetch` of one connection, which calls nothing but the server, and remembers why a call failed.
 */
function createServerFetch(
  { url, token }: McpServer,
  deadline: number,
): { fetch: Fetch; getFailure: () => unknown } {
  let calls = 0
  let failure: unknown
  const send: Fetch = async (input, init = {}) => {
    // The stream of messages that nobody asked for. A server may have none.
    if ((init.method ?? 'GET') === 'GET') return new Response(null, { status: 405 })
    if (String(input) !== new URL(url).href)
      throw new McpError('The server sends its client to another address')
    if (++calls > maxRequests) throw new McpError('The server asks too much of its client')
    const headers = new Headers(init.headers)
    if (token !== null) headers.set('authorization', `Bearer ${token}`)
    const fetchBounded = createBoundedFetch('mcp', {
      timeoutMs: Math.max(1, deadline - Date.now()),
      maxBytes,
    })
    const response = await fetchBounded(input, { ...init, headers })
    const refusal = findStatusProblem(response.status, token !== null)
    if (!refusal) return response
    await response.body?.cancel().catch(() => undefined)
    throw new McpError(refusal)
  }
  const fetch: Fetch = async (...call) => {
    try {
      return await send(...call)
    } catch (error) {
      failure ??= error
      throw error
    }
  }
  return { fetch, getFailure: () => failure }
}

function findStatusProblem(status: number, hasToken: boolean): string | null {
  if (status === 401 || status === 403)
    return hasToken ? 'The server refuses the token' : 'The server wants a token; connect it with one'
  return status >= 300 && status < 400
    ? 'The server redirects to another address; connect that address'
    : null
}

function toMcpError(error: unknown): McpError {
  if (error instanceof McpError) return error
  const { name, message } = error instanceof Error ? error : { name: '', message: '' }
  if (error instanceof AnswerTooLongError || message.includes('is longer than'))
    return new McpError('The answer of the server is too long')
  if (name === 'TimeoutError' || /timed? ?out/i.test(message))
    return new McpError('The server did not answer within 10 s')
  return new McpError('The server does not answer as an MCP server')
}

async function readTools(client: Client): Promise<McpTool[]> {
  const { tools } = await client.listTools()
  const described = await Promise.all(tools.slice(0, maxTools).map(toTool))
  // A model cannot tell two tools of one name apart.
  return described.filter(({ name }, index) => described.findIndex((tool) => tool.name === name) === index)
}

async function toTool({ name, description = '', inputSchema, annotations }: Tool): Promise<McpTool> {
  const said = JSON.stringify([name, description, inputSchema, annotations ?? null])
  const isDeep = isTooDeep(said)
  const schema = isDeep ? undefined : cleanInputSchema(inputSchema)
  return {
    name: cleanOutsideText(name, maxNameCharacters),
    description: cleanOutsideText(description),
    input_schema: schema ?? {},
    version: await sha256Base64url(isDeep ? said : JSON.stringify(sortKeys(JSON.parse(said)))),
    refusal: findToolRefusal(name, annotations?.readOnlyHint === true, schema),
  }
}

function toResult({ content, structuredContent, isError }: CallToolResult): {
  text: string
  isError: boolean
} {
  const texts = content.map((block) => {
    if (block.type === 'text') return block.text
    if (block.type === 'resource_link') return `${block.name}: ${block.uri}`
    return block.type === 'resource' && 'text' in block.resource ? block.resource.text : `(${block.type})`
  })
  const text = texts.join('\n') || JSON.stringify(structuredContent ?? null)
  return { text: cleanOutsideResult(text.slice(0, maxResultCharacters)), isError: isError === true }
}
