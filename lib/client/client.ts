import { buildRequest, type CallInput, parseRoute, type RequestParts, type Route } from './build-request.ts'
import type { CallOptions, FollowOptions } from './call-types.ts'
import type { Methods } from './methods.ts'
import { operationTable } from './operation-table.ts'
import { createPagedItems } from './pages.ts'
import type { StreamState } from './parse-events.ts'
import { authorize, send, sendSignedIn, type Transport } from './send.ts'
import { createSignIn, readTokens, type SignIn, type Tokens } from './sign-in.ts'
import { openSocket } from './socket.ts'
import { followEvents, streamAnswer } from './streams.ts'
import { type Wait, wait } from './wait.ts'

// biome-ignore-start lint/performance/noBarrelFile: the entry of the package
export { ApiError, type FieldError, isApiError } from './api-error.ts'
export type { BackgroundTask, CallOptions, FileInput, FollowOptions, ServerEvent } from './call-types.ts'
export type { PagedItems } from './method-types.ts'
export type { Tokens } from './sign-in.ts'
export type * from './types.ts'
export { type CaseRecord, type RecordKeys, verifyRecord } from './verify-record.ts'
// biome-ignore-end lint/performance/noBarrelFile: the entry of the package

export interface ClientOptions extends Partial<Transport> {
  /** Origin of the service, such as `https://api.example.com`. */
  baseUrl: string
  /** The tokens of an earlier sign-in. Signing in through the client sets them. */
  tokens?: Tokens | null | undefined
  /**
   * Called when the tokens change, to store them. Null after a sign-out, or when the service refuses to
   * refresh them.
   */
  onTokens?: ((tokens: Tokens | null) => void) | undefined
  /**
   * Return the stored tokens. With it, the tabs that store their tokens in one place also share each refresh.
   */
  loadTokens?: (() => Tokens | null) | undefined
  /** Send this API key with every call, instead of the tokens of a sign-in. */
  apiKey?: string | undefined
}

export type Client = Methods & {
  getTokens(): Tokens | null
  /** Use other tokens, or none, without asking the service. */
  setTokens(tokens: Tokens | null): void
}

/** Create a client of the service. It has one method per operation, named by the operation's id. */
export function createClient({
  baseUrl,
  loadTokens,
  tokens = loadTokens?.() ?? null,
  apiKey,
  ...options
}: ClientOptions): Client {
  const { onTokens = () => {}, ...rest } = options
  const transport: Transport = {
    fetch: (request) => fetch(request),
    wait,
    maxRetries: 2,
    maxRetryWaitMs: 30_000,
    ...rest,
  }
  const origin = baseUrl.replace(/\/+$/, '')
  const refreshRoute = parseRoute('identity.auth.refresh', operationTable['identity.auth.refresh'])
  const exchange = async (refresh_token: string) => {
    const response = await send(transport, buildRequest(origin, refreshRoute, { refresh_token }, {}))
    return (await response.json()) as Tokens
  }
  const signIn = createSignIn({ tokens, exchange, onTokens, loadTokens, wait: transport.wait })
  const client = { getTokens: signIn.get, setTokens: signIn.set } as unknown as Client
  const loadPrivate = (parts: RequestParts) =>
    apiKey ? send(transport, authorize(parts, apiKey)) : sendSignedIn(transport, signIn, parts)
  for (const [id, line] of Object.entries(operationTable)) {
    const route = parseRoute(id, line)
    const load = route.traits.has('public') ? (parts: RequestParts) => send(transport, parts) : loadPrivate
    addMethod(client, id, createMethod({ route, origin, load, signIn, client, apiKey, wait: transport.wait }))
  }
  return client
}

/** Put a method at the place that its id names: `ai.turns.sendMessage` into `client.ai.turns`. */
function addMethod(client: object, id: string, method: unknown): void {
  const names = id.split('.')
  const verb = names.pop() as string
  let node = client as Record<string, Record<string, unknown>>
  for (const name of names) {
    node[name] ??= {}
    node = node[name] as typeof node
  }
  ;(node as Record<string, unknown>)[verb] = method
}

interface MethodParts {
  route: Route
  origin: string
  load: (parts: RequestParts) => Promise<Response>
  signIn: SignIn
  client: Client
  apiKey: string | undefined
  wait: Wait
}

function createMethod(method: MethodParts) {
  const { route, origin, load, signIn } = method
  const build = (input: CallInput = {}, options: CallOptions = {}) =>
    buildRequest(origin, route, input, options)
  const stream = (input?: CallInput, options?: CallOptions) => streamAnswer(build(input, options), load)
  if (route.traits.has('ticket')) return createFollowMethod(method, build)
  if (route.traits.has('events')) return stream
  if (route.traits.has('paged'))
    return (input?: CallInput, options?: CallOptions) => {
      const parts = build(input, options)
      return createPagedItems(parts.url, (url) => load({ ...parts, url }))
    }
  const call = async (input?: CallInput, options?: CallOptions) => {
    const answer = await readAnswer(await load(build(input, options)))
    updateSignIn(route, signIn, answer)
    return answer
  }
  return Object.assign(call, { stream })
}

function createFollowMethod({ load, signIn, client, apiKey, wait }: MethodParts, build: Build) {
  const follow = (input?: CallInput, { webSocket, ...options }: FollowOptions = {}) => {
    const parts = build(input, options)
    const openWithToken = async (state: StreamState) => {
      const token = apiKey ?? (await signIn.getFresh())
      return token ? openSocket({ ...parts, token }, state) : null
    }
    return followEvents(parts, { load, wait, openSocket: webSocket ? openWithToken : undefined })
  }
  const createUrl = async (input?: CallInput, options?: CallOptions) => {
    const { ticket } = await client.identity.streamTickets.create({}, options)
    return build({ ...input, ticket }).url
  }
  return Object.assign(follow, { createUrl })
}

type Build = (input?: CallInput, options?: CallOptions) => RequestParts

/** Store the tokens of a sign-in, and forget them after a sign-out. */
function updateSignIn({ id, traits }: Route, signIn: SignIn, answer: unknown): void {
  const tokens = traits.has('public') ? readTokens(answer) : null
  if (tokens) signIn.set(tokens)
  if (id === 'identity.auth.logout') signIn.set(null)
}

async function readAnswer(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type')
  if (!type) return undefined
  if (type.includes('json')) return response.json()
  const file = await response.blob()
  return new File([file], readFilename(response.headers.get('content-disposition')), { type: file.type })
}

/** Read the name of a download, which the service encodes by RFC 8187. Without one it is empty. */
function readFilename(disposition: string | null): string {
  return decodeURIComponent(/filename\*=UTF-8''([^;]*)/.exec(disposition ?? '')?.[1] ?? '')
}
