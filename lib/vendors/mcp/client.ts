import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  StreamableHTTPClientTransport,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/client'
import * as z from 'zod'
import {
  cleanInputSchema,
  cleanOutsideResult,
  cleanOutsideText,
  findToolRefusal,
  type McpTool,
} from '#rules/ai/outside-tool.ts'
import { writeCanonicalJson } from '#rules/text/canonical-json.ts'
import { isTooDeep, parseJson } from '#rules/text/json.ts'
import { sha256Base64url } from '#vendors/auth/hash.ts'
import { AnswerTooLongError, createBoundedFetch, type Fetch } from '#vendors/net/bounded-fetch.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'
import { readStart } from '#vendors/net/read-at-most.ts'
import { readObjects } from '#vendors/net/read-objects.ts'
import { addSentence, readSentence, readWaitMs } from '#vendors/net/refusal.ts'
import { parseRetryAfter, withTimeout } from '#vendors/net/send-result.ts'
import { flag, fromJsonText, leaveOut, list, optionalNumber, text } from '#vendors/net/wire.ts'
import { McpError, type McpPort, type McpServer } from './mcp.ts'

const defaultTimeoutMs = 10_000
const closeTimeoutMs = 1000
const maxBytes = 512 * 1024
/** A server may send requests of its own, each of which the client answers with a call. */
const maxRequests = 12
const maxTools = 50
const maxPages = 6
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
        const call = { method: 'tools/call', params: { name, arguments: toolArguments } }
        return { result: toResult(await client.request(call, CalledTool)) }
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
  const deadline = Date.now() + timeoutMs
  // A server that has forgotten the session gets a new one, once:
  // https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#session-management
  return await connectOnce(server, deadline, use).catch((error: unknown) => {
    if (error instanceof SessionEndedError) return connectOnce(server, deadline, use)
    throw error
  })
}

class SessionEndedError extends McpError {}

async function connectOnce<T>(
  server: McpServer,
  deadline: number,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(
    { name: 'support-flow-service', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
    },
  )
  const { fetch, getFailure } = createServerFetch(server, deadline)
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch,
    reconnectionOptions: noReconnection,
  })
  try {
    const failure = new Promise<never>((_, reject) => {
      client.onerror = reject
    })
    const work = client.connect(transport).then(() => use(client))
    const result = await withTimeout(Math.max(1, deadline - Date.now()), Promise.race([work, failure]))
    client.onerror = () => {}
    if (transport.sessionId)
      await withTimeout(closeTimeoutMs, transport.terminateSession()).catch(() => undefined)
    return result
  } catch (error) {
    throw await toMcpError(getFailure() ?? error, server.token)
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
  let address = new URL(url)
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
    const message = readMessage(init.body)
    if (message?.method === 'server/discover') {
      const probeTimeout = AbortSignal.timeout(Math.max(1, Math.floor((deadline - Date.now()) / 3)))
      const probe = { ...init, headers, signal: probeTimeout }
      return fetchBounded(address, probe).then(
        (answer) => readProbe(answer, message),
        () => dislike(message),
      )
    }
    const response = await fetchBounded(address, { ...init, headers })
    const { status } = response
    // A server may dislike that it is told something; it answers the next request or says why not.
    if (status >= 400 && message && message.id === undefined) {
      await response.body?.cancel().catch(() => undefined)
      return new Response(null, { status: 202 })
    }
    const isRequest = message?.id !== undefined
    if (response.ok && isRequest) return toEventStream(message, response)
    const body = await readStart(response, maxRefusal).catch(() => '')
    const answer = [parseJson(body)].flat().find(isObject)
    const isAnswer = answer && ('result' in answer || isObject(answer.error))
    const next = findRedirect(response, address)
    if (next && next.origin === address.origin && isRequest) {
      // Frameworks add a slash to a path. The token stays with its server.
      address = next
      return send(input, init)
    }
    const waitMs = status === 429 ? readWait(response, body) : undefined
    if (waitMs !== undefined && waitMs <= maxWaitMs && Date.now() + waitMs < deadline) {
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      return send(input, init)
    }
    if (headers.has('mcp-session-id') && (status === 404 || (status === 400 && /session/i.test(body))))
      throw new SessionEndedError(await addServerSentence('The server has ended the session', body, token))
    if (isAnswer && isRequest && status !== 401 && status !== 403 && status !== 429)
      return toAnswer(message, answer, response.headers)
    const refusal = findStatusProblem(status, token !== null, {
      isFirst: message?.method === 'initialize',
      waitMs,
      next,
    })
    if (!refusal) return new Response(status === 204 ? null : body, response)
    const said = body.trim() === '' ? readChallenge(response) : body
    throw new McpError(await addServerSentence(refusal, said, token))
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

interface Message {
  /** Undefined for a notification. */
  id: unknown
  method: unknown
}

/** Read what the library sends. */
function readMessage(body: unknown): Message | undefined {
  const message = typeof body === 'string' ? parseJson(body) : undefined
  return isObject(message) ? { id: message.id, method: message.method } : undefined
}

/**
 * Return the messages of an answer as a stream, as the library takes them and as they arrive. Progress and logs
 * are left out, because nobody asked for them.
 */
function toEventStream(message: Message, response: Response): Response {
  const objects = readObjects('mcp', response)
  const encoder = new TextEncoder()
  let hasAnswer = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { value, done } = await objects.next()
        if (done && !hasAnswer) throw new McpError('The server does not answer as an MCP server')
        if (done) return controller.close()
        const isAnswer = 'result' in value || isObject(value.error)
        if (!isAnswer && value.id === undefined) continue
        hasAnswer ||= isAnswer
        const read = isAnswer ? readAnswer(message, value) : value
        return controller.enqueue(encoder.encode(`data: ${JSON.stringify(read)}\n\n`))
      }
    },
    cancel: async () => void (await objects.return(undefined)),
  })
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  headers.set('content-type', 'text/event-stream')
  return new Response(body, { headers })
}

/**
 * Return an answer as the library takes it. Servers of some ages have another id, no version, and null for
 * parts without a value.
 */
function toAnswer(message: Message, answer: Record<string, unknown>, headers: Headers): Response {
  const kept = new Headers(headers)
  kept.delete('content-length')
  kept.set('content-type', 'application/json')
  return new Response(JSON.stringify(readAnswer(message, answer)), { headers: kept })
}

function readAnswer({ id, method }: Message, { result, error }: Record<string, unknown>): object {
  const failure = isObject(error) && {
    code: optionalNumber.parse(error.code) ?? ProtocolErrorCode.InternalError,
    message: describeError(error),
    data: error.data ?? undefined,
  }
  const answer = failure
    ? { error: failure }
    : { result: method === 'initialize' ? Initialized.parse(result) : (result ?? {}) }
  return { jsonrpc: '2.0', id, ...answer }
}

/** Many servers have the reason in `data`, behind a general message. */
function describeError({ message, data }: Record<string, unknown>): string {
  const said = text.parse(message) ?? ''
  return data === undefined || data === null ? said : JSON.stringify({ message: said, details: data })
}

const anyObject = z.unknown().transform((value) => (isObject(value) ? value : {}))
const Initialized = anyObject.transform(({ protocolVersion, serverInfo }) => ({
  protocolVersion:
    SUPPORTED_PROTOCOL_VERSIONS.find((version) => version === protocolVersion) ?? assumedVersion,
  // Nothing but its tools is asked for.
  capabilities: { tools: {} },
  serverInfo: { name: 'server', version: '0', ...(isObject(serverInfo) ? pickTexts(serverInfo) : {}) },
}))
/** Of a server that names none, or one that nobody knows. */
const assumedVersion = '2025-06-18'

const pickTexts = ({ name, version }: Record<string, unknown>) =>
  Object.fromEntries(Object.entries({ name, version }).filter(([, value]) => typeof value === 'string'))
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Pass on the answer to the probe for newer servers if it is one. An older server dislikes an unknown method in
 * many ways, all of which mean that it wants `initialize`; only what that answers is final.
 */
async function readProbe(response: Response, message: Message): Promise<Response> {
  try {
    const body = await response.text()
    const events = Array.from(body.matchAll(/^data: ?(.*)$/gm), ([, data = '']) => parseJson(data))
    const answers = [parseJson(body), ...events].filter(isObject)
    const answer = answers.find(
      ({ result, error }) =>
        (isObject(result) && Array.isArray(result.supportedVersions)) ||
        (isObject(error) && error.code === ProtocolErrorCode.UnsupportedProtocolVersion),
    )
    return answer && response.status < 500 ? toAnswer(message, answer, response.headers) : dislike(message)
  } catch {
    return dislike(message)
  }
}

const dislike = (message: Message) =>
  toAnswer(message, { error: { code: ProtocolErrorCode.MethodNotFound, message: '' } }, new Headers())

const maxRefusal = 16 * 1024

interface Circumstances {
  /** Whether the server was asked for the first time. */
  isFirst: boolean
  waitMs: number | undefined
  next: URL | undefined
}

function findStatusProblem(
  status: number,
  hasToken: boolean,
  { isFirst, waitMs, next }: Circumstances,
): string | null {
  if (status === 401 || (status === 403 && !hasToken))
    return hasToken ? 'The server refuses the token' : 'The server wants a token; connect it with one'
  if (status === 403) return 'The server does not permit this'
  if (status === 429)
    return `The server limits our calls; try again ${waitMs === undefined ? 'later' : `in ${Math.ceil(waitMs / 1000)} s`}`
  if (next) return `The server redirects to another address; connect ${next.origin}${next.pathname}`
  if (status >= 300 && status < 400) return 'The server redirects to another address; connect that address'
  if (isFirst && (status === 404 || status === 405))
    return `The server returned ${status}; it may speak the older SSE transport only, so connect its address for streamable HTTP`
  return status >= 400 ? `The server returned ${status}` : null
}

/** Longer than this nobody waits for a tool. */
const maxWaitMs = 3000

function readWait(response: Response, body: string): number | undefined {
  const seconds = parseRetryAfter(response.headers.get('retry-after'))
  return seconds === undefined ? readWaitMs(body) : seconds * 1000
}

function findRedirect({ status, headers }: Response, from: URL): URL | undefined {
  const location = headers.get('location')
  return (status === 307 || status === 308) && location && URL.canParse(location, from.href)
    ? new URL(location, from)
    : undefined
}

/** Return what a refusal without a body says: https://www.rfc-editor.org/rfc/rfc6750#section-3 */
function readChallenge({ headers }: Response): string {
  const challenge = headers.get('www-authenticate') ?? ''
  // Bounded: a header has at most 16 KB, and a value 500 characters.
  const read = (name: string) => new RegExp(`\\b${name}="([^"]{0,500})"`).exec(challenge)?.[1]
  return read('error_description') ?? [read('error'), read('scope')].filter(Boolean).join(': ')
}

/** Add what the server says, as a text that may stand in a prompt. */
async function addServerSentence(ours: string, said: string, token: string | null): Promise<string> {
  const sentence = await readSentence(said, token === null ? [] : [token])
  return addSentence(ours, sentence && (cleanOutsideText(sentence, maxSentence) || null))
}
const maxSentence = 300

async function toMcpError(error: unknown, token: string | null): Promise<McpError> {
  if (error instanceof McpError) return error
  const { name, message } = error instanceof Error ? error : { name: '', message: '' }
  if (error instanceof AnswerTooLongError || message.includes('is longer than'))
    return new McpError('The answer of the server is too long')
  if (name === 'TimeoutError' || /timed? ?out/i.test(message))
    return new McpError('The server did not answer within 10 s')
  if (error instanceof ProtocolError)
    return new McpError(await addServerSentence('The server refused the request', message, token))
  return new McpError('The server does not answer as an MCP server')
}

const anything = z.unknown().optional()
const ToolPage = z.looseObject({ tools: list, nextCursor: text })
const CalledTool = z.looseObject({ content: anything, structuredContent: anything, isError: flag })

/** Read the tools of all pages, at most 50. One that cannot be used is listed with its reason. */
async function readTools(client: Client): Promise<McpTool[]> {
  const tools: McpTool[] = []
  const cursors = new Set<string>()
  for (let cursor: string | null = '', page = 0; cursor !== null && page < maxPages; page++) {
    const params = cursor === '' ? {} : { cursor }
    const answer: z.output<typeof ToolPage> = await client
      .request({ method: 'tools/list', params }, ToolPage)
      .catch((error: unknown) => {
        // A server without tools need not know the method.
        if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound)
          return { tools: [], nextCursor: null }
        throw error
      })
    for (const tool of await Promise.all(answer.tools.slice(0, maxTools).map(toTool))) {
      if (!tool) leaveOut('mcp', 'tool')
      // A model cannot tell two tools of one name apart.
      else if (!tools.some(({ name }) => name === tool.name)) tools.push(tool)
    }
    if (tools.length > maxTools || cursors.has(answer.nextCursor ?? '')) break
    cursor = answer.nextCursor
    if (cursor !== null) cursors.add(cursor)
  }
  if (tools.length > maxTools) leaveOut('mcp', 'length')
  return tools.slice(0, maxTools)
}

const ListedTool = z.object({
  name: z.string().min(1),
  description: text,
  inputSchema: anything.transform(fromJsonText),
  annotations: anything,
})

/** Return a tool with the reason why it cannot be allowed, or null for one without a name. */
async function toTool(value: unknown): Promise<McpTool | null> {
  const { data: tool } = ListedTool.safeParse(value)
  if (!tool) return null
  const { name, inputSchema, annotations } = tool
  const description = tool.description ?? ''
  const said = toJson([name, description, inputSchema, annotations ?? null])
  const isDeep = said === null || isTooDeep(said)
  const schema = isDeep ? undefined : cleanInputSchema(inputSchema)
  return {
    name: cleanOutsideText(name, maxNameCharacters),
    description: cleanOutsideText(description),
    input_schema: schema ?? {},
    version: await sha256Base64url(isDeep ? (said ?? name) : writeCanonicalJson(JSON.parse(said))),
    refusal: findToolRefusal(name, isObject(annotations) && annotations.readOnlyHint === true, schema),
  }
}

/** Return the JSON of a value, or null for one with more levels than the stack has. */
function toJson(value: unknown): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}

const Block = z.looseObject({ type: text, text, name: text, uri: text, mimeType: text, resource: anything })

function toResult({ content, structuredContent, isError }: z.output<typeof CalledTool>): {
  text: string
  isError: boolean
} {
  const read = fromJsonText(content)
  const texts = (Array.isArray(read) ? read : [content]).flatMap((value) => {
    if (typeof value === 'string') return [value]
    const { data: block } = Block.safeParse(value)
    if (!block) return []
    const { resource } = block
    if (block.type === 'text') return [block.text ?? '']
    if (block.type === 'resource_link') return [`${block.name ?? ''}: ${block.uri ?? ''}`]
    if (isObject(resource) && typeof resource.text === 'string') return [resource.text]
    // A picture or a file is named, because a model reads text alone.
    const { uri, mimeType } = Block.parse(isObject(resource) ? resource : block)
    return [`(${[block.type, uri, mimeType].filter(Boolean).join(' ')})`]
  })
  const result = texts.join('\n') || (toJson(structuredContent ?? null) ?? '')
  return { text: cleanOutsideResult(result.slice(0, maxResultCharacters)), isError }
}
