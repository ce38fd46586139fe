import type { Context, Hono } from 'hono'
import * as z from 'zod'
import { type Caller, openScope } from '#db/scope.ts'
import { type C, type Env, respondProblem, type Services, toProblem } from '#http/app.ts'
import { getCallerRateKey, readBearer, readKey, recordKeyUse, requireCaller } from '#http/authenticate.ts'
import type { KeyMemory } from '#http/key-memory.ts'
import { keyScopes } from '#http/key-scopes.ts'
import { isAllowedOrigin } from '#http/origins.ts'
import { createRateLimitProblem } from '#http/rate-limit.ts'
import type { RouteGroup } from '#http/routes.ts'
import { invalidField, Problem } from '#problem.ts'
import { admitsType, prefersType } from '#rules/text/accept.ts'
import { decodeUtf8, notUtf8 } from '#rules/text/bytes.ts'
import { parseJson } from '#rules/text/json.ts'
import { isApiKey } from '#vendors/auth/api-keys.ts'
import { createMcpTokens } from '#vendors/auth/mcp-tokens.ts'
import type { ParsedRate } from '#vendors/cache/limiter.ts'
import { readAtMost } from '#vendors/net/read-at-most.ts'
import { fromJsonText } from '#vendors/net/wire.ts'
import { MissingScope } from './missing-scope.ts'
import { readingScopes } from './tools.ts'

const maxBodyBytes = 1024 * 1024
/**
 * Messages of one batch. Each counts as a call, and one for the list of tools is answered with over 200 KB.
 */
const maxBatch = 10
const rate: ParsedRate = { max: 240, windowMs: 60_000, unit: 'minute', perAddress: false }

const [json, events] = ['application/json', 'text/event-stream']

/** Where a client learns how to get a token: https://www.rfc-editor.org/rfc/rfc9728#section-3.1 */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource/mcp'

/**
 * Add the MCP server at `/mcp` (streamable HTTP, stateless). Its tools call operations through the app.
 * Callers have an API key or a token of the OAuth server; the token that a person's sign-in gets is for the
 * API alone.
 */
export function mountMcp(
  app: Hono<Env>,
  groups: readonly RouteGroup[],
  services: Services,
  keys: KeyMemory,
): void {
  const tokens = createMcpTokens(services.ports.config)
  const answer = async (context: Context<Env>) => {
    const c = context as C
    c.set('operation', 'mcp')
    try {
      requireOwnOrigin(c, services)
      const credential = readBearer(c.req.header('authorization') ?? '')
      const grant = isApiKey(credential) ? null : await tokens.verify(credential)
      const caller = await requireCaller(c, grant ? grant.caller : await readKey(credential), keys, services)
      const sentBytes = await readAtMost(c.req.raw.body, maxBodyBytes, () => new Problem('too_large'))
      const messages = readMessages(sentBytes)
      await admitCaller(c, caller, {
        keys,
        services,
        messages: Array.isArray(messages) ? Math.max(1, messages.length) : 1,
      })
      const body = readArguments(messages) ? new TextEncoder().encode(JSON.stringify(messages)) : sentBytes
      // Loaded by the first call, because few requests need the library and the tools.
      const { serveMcp } = await import('./mcp-server.ts')
      const result = await serveMcp(c, copyRequest(c.req.raw, body), {
        groups,
        services,
        delegated: grant,
        messages,
      })
      const response = takesEvents(c.req.raw) ? result : await toJsonResponse(result)
      return new Response(response.body, {
        status: response.status,
        headers: { ...c.get('headers'), ...Object.fromEntries(response.headers) },
      })
    } catch (error) {
      return respondProblem(c, addChallenge(error, services), error)
    }
  }
  // Some clients write the address with a slash at its end.
  app.all('/mcp', answer)
}

/**
 * Throw 403 for a page of another site:
 * https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#security-warning
 */
function requireOwnOrigin(c: C, { ports }: Services): void {
  const { CORS_ORIGINS, PUBLIC_BASE_URL } = ports.config
  const origin = c.req.header('origin')
  if (origin !== undefined && origin !== PUBLIC_BASE_URL && !isAllowedOrigin(CORS_ORIGINS, origin))
    throw new Problem('forbidden')
}

/**
 * Throw unless the key is valid, or the sign-in of the token is open. The operations check everything else.
 */
async function admitCaller(
  c: C,
  caller: Caller,
  { keys, services, messages }: { keys: KeyMemory; services: Services; messages: number },
): Promise<void> {
  const options = {
    caller,
    access: 'user',
    skipGuards: 'all',
    ip: c.get('ip'),
    readOnly: true,
    keyScopes,
  } as const
  const scope = openScope(services.runtime, options, () => {})
  await scope.checkAccess().finally(() => recordKeyUse(c, caller, scope, keys, services))
  const limit = await services.limiter.count(`mcp:${getCallerRateKey(caller)}`, rate, false, messages)
  if (!limit.allowed) throw createRateLimitProblem(rate, limit)
}

/**
 * Parse a body: a message, a batch, or something that the server will refuse. Throw for a larger batch than
 * clients need.
 */
function readMessages(body: Uint8Array): unknown {
  const text = decodeUtf8(body)
  if (text === undefined) throw invalidField(['body'], notUtf8.msg, notUtf8.type)
  const messages = parseJson(text)
  if (Array.isArray(messages) && messages.length > maxBatch)
    throw invalidField(['body'], `must have at most ${maxBatch} messages`, 'too_big')
  return messages
}

const Message = z.looseObject({ params: z.looseObject({ arguments: z.union([z.null(), z.string()]) }) })

/**
 * Remove `arguments: null`, with which some clients call a tool without arguments, and read arguments that are
 * a text with their JSON. Return whether there were some.
 */
function readArguments(messages: unknown): boolean {
  const calls = [messages]
    .flat()
    .filter((message): message is z.infer<typeof Message> => Message.safeParse(message).success)
  for (const { params } of calls)
    if (params.arguments) Object.assign(params, { arguments: fromJsonText(params.arguments) })
    else Reflect.deleteProperty(params, 'arguments')
  return calls.length > 0
}

/**
 * Return a request whose body has been read. The library wants to see both media types in `Accept`, but a
 * client that takes one of them, or anything (RFC 9110, section 12.5.1), can be answered too.
 */
function copyRequest(request: Request, body: Uint8Array<ArrayBuffer>): Request {
  const { url, method, signal } = request
  const headers = new Headers(request.headers)
  const accept = headers.get('accept') ?? ''
  if (method === 'POST' && [json, events].some((type) => admitsType(accept, type)))
    headers.set('accept', `${json}, ${events}`)
  return new Request(url, { method, headers, signal, body: method === 'POST' ? body : undefined })
}

function takesEvents({ headers }: Request): boolean {
  return prefersType(headers.get('accept') ?? '', events)
}

/** Return the messages of a short stream as JSON: one message, or the answers to a batch. */
async function toJsonResponse(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const messages = Array.from(
    (await response.text()).matchAll(/^data: ?(\{.*\})\r?$/gm),
    ([, message = '']) => message,
  )
  const headers = new Headers(response.headers)
  headers.set('content-type', 'application/json')
  return new Response(messages.length === 1 ? messages[0] : `[${messages.join(',')}]`, {
    status: response.status,
    headers,
  })
}

/** Tell a client without a credential where to get one and with which scopes, or with which more. */
function addChallenge(error: unknown, { ports }: Services): Problem {
  const metadata = `resource_metadata="${ports.config.PUBLIC_BASE_URL}${resourceMetadataPath}"`
  if (error instanceof MissingScope) {
    const scope = `scope="${error.scopes.join(' ')}"`
    const challenge = `Bearer error="insufficient_scope", ${scope}, ${metadata}, error_description="${error.message}"`
    return new Problem('insufficient_scope', error.message, {
      facts: { required_scope: error.required },
      headers: { 'www-authenticate': challenge },
    })
  }
  const problem = toProblem(error)
  if (problem.status !== 401) return problem
  return new Problem('unauthenticated', undefined, {
    headers: { 'www-authenticate': `Bearer ${metadata}, scope="${readingScopes.join(' ')}"` },
    cause: problem,
  })
}
