import { request as httpRequest } from 'node:http'
import pg from 'pg'
import { expect, inject, onTestFinished } from 'vitest'
import { parseConfig } from '#config.ts'
import openapi from '#functions/openapi.json' with { type: 'json' }
import type { Services } from '#http/app.ts'
import { commonFailures } from '#http/openapi/responses.ts'
import { openCluster, withSuperuser } from '#local/postgres.ts'
import { type Stack, type StackOptions, startStack } from '#local/stack.ts'
import { openPool } from '#platform/node/pool.ts'
import { problems } from '#problem.ts'
import { createAccessTokens } from '#vendors/auth/tokens.ts'
import { countStart } from './costs.ts'
import { expectStatus } from './expect-status.ts'
import { templateDatabase } from './template-database.ts'

/** A service under test: the shared one, or a test file's own one with its own database, faults and clock. */
export interface Service {
  /** Origin of the service, without a slash at the end. */
  api: string
  /** Answer a request without HTTP, on Node. */
  fetch?: ((request: Request) => Promise<Response>) | undefined
  /** What the app uses, on Node. */
  services?: Services | undefined
  /** Connection string of the database owner. */
  ownerUrl: string
  /** Origin of the local emulators and the local dashboard. */
  localOrigin: string
  settings: Record<string, string>
  /**
   * Run a statement as the database owner. A statement with values is prepared, which makes repeated calls
   * faster.
   */
  sql: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>
}

const pools = new Map<string, pg.Pool>()
// Plans are cached while the tables are still empty. Forcing index scans keeps them fast when the tables
// fill.
const plannerOptions = '-c enable_seqscan=off -c plan_cache_mode=force_generic_plan'

function createServiceHandle({ api, fetch, services, localServer, ownerUrl, settings }: Stack): Service {
  const sql = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) => {
    const pool =
      pools.get(ownerUrl) ??
      openPool({
        connectionString: ownerUrl,
        max: 4,
        idleTimeoutMillis: 60_000,
        allowExitOnIdle: true,
        options: plannerOptions,
      })
    pools.set(ownerUrl, pool)
    return (
      await pool.query<Row>({ text, values, ...(values.length > 0 ? { name: nameStatement(text) } : {}) })
    ).rows
  }
  return { api, fetch, services, localOrigin: localServer.origin, ownerUrl, settings, sql }
}

// Test files run in parallel. With the default time-out the rate limiter would treat Redis as unavailable on
// a busy machine.
const longTimeouts = { REDIS_TIMEOUT_MS: '5000' }
// Tests do not wait for their turn at the mail provider, unless they are about it.
const fastMails = { MAIL_CALLS_PER_SECOND: '1000' }
const manyMailRequests = 1_000_000

const statementNames = new Map<string, string>()

/** Return the name under which connections prepare a statement. */
function nameStatement(text: string): string {
  const name = statementNames.get(text) ?? `statement_${statementNames.size + 1}`
  statementNames.set(text, name)
  return name
}

const holder = globalThis as { sharedService?: Promise<Service> }

/**
 * Return the service that the test files of this process share. Do not set faults or move the clock there.
 */
export function sharedService(): Promise<Service> {
  holder.sharedService ??= startOwnService()
  return holder.sharedService
}

/** Connect to the shared service's database as its owner. */
export async function connectAsOwner(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: (await sharedService()).ownerUrl })
  await client.connect()
  return client
}

/** A service with its own stack. `log` contains the lines that the service has logged. */
export interface OwnService extends Service {
  stack: Stack
  log: string[]
  close(): Promise<void>
}

let stackCount = 0

/**
 * Start a service with its own database, faults and clock, for a test that would disturb others. Close it in
 * afterAll.
 */
export async function startOwnService(
  settings: Record<string, string | undefined> = {},
  {
    platform = 'node',
    hub = true,
    createEscalation,
    mailRequestsPerSecond = manyMailRequests,
    // Without them, no relay copies each byte to and from PostgreSQL.
    databaseFaults = false,
    // To keep it when the service closes.
    database,
    cluster,
  }: Partial<
    Pick<
      StackOptions,
      | 'platform'
      | 'hub'
      | 'createEscalation'
      | 'mailRequestsPerSecond'
      | 'databaseFaults'
      | 'database'
      | 'cluster'
    >
  > = {},
): Promise<OwnService> {
  const log: string[] = []
  const { postgresPort, servicePort } = inject('shared')
  const temporaryDatabase = `flow_${process.pid}_${++stackCount}`
  const starting = startStack({
    platform,
    cluster: cluster ?? { ...openCluster(postgresPort), port: servicePort },
    database: database ?? temporaryDatabase,
    // A cluster of the test has no template.
    ...(cluster ? {} : { template: templateDatabase }),
    port: 0,
    localPort: 0,
    settings: { ...longTimeouts, ...fastMails, ...settings },
    mailRequestsPerSecond,
    databaseFaults,
    hub,
    ...(createEscalation ? { createEscalation } : {}),
    onLog: (line) => log.push(line),
  })
  const stack = await countStart(platform, starting)
  logsByApi.set(stack.api, log)
  const service = createServiceHandle(stack)
  const close = async () => {
    await pools.get(stack.ownerUrl)?.end()
    pools.delete(stack.ownerUrl)
    await stack.close()
    if (!database && !cluster) await dropDatabase(postgresPort, temporaryDatabase)
  }
  return { ...service, stack, log, close }
}

/** Drop a database, also while somebody is connected to it. Its files may be in memory. */
async function dropDatabase(port: number, name: string): Promise<void> {
  await withSuperuser(port, 'postgres', (client) => client.query(`drop database ${name} with (force)`))
}

export interface ApiResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the body it expects
  body: any
  text: string
  /** What the log says of a 500. */
  error?: unknown
}

interface RequestOptions {
  body?: unknown
  /** The exact bytes to send, instead of `body` as JSON. */
  raw?: string | Uint8Array
  headers?: Record<string, string>
  token?: string | null
}

/** Send a request to /api/v1, and expect a status that the OpenAPI document declares for the operation. */
export async function request(
  service: Pick<Service, 'api' | 'fetch'>,
  method: string,
  path: string,
  { body, raw, headers = {}, token }: RequestOptions = {},
): Promise<ApiResponse> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const sendRequest = service.fetch ?? fetch
  const outgoing = new Request(`${service.api}/api/v1${path}`, {
    method,
    headers: {
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...authorizationHeader(token),
      ...headers,
    },
    body: (content as RequestInit['body']) ?? null,
    redirect: 'manual',
  })
  const response = await sendRequest(outgoing)
  const text = await readText(method, response)
  const declaredStatuses = findDeclaredStatuses(method, path)
  if (declaredStatuses)
    expect(
      declaredStatuses,
      `${method} ${path} returned ${response.status}, which it does not declare: ${text}`,
    ).toContain(String(response.status))
  const isJson = response.headers.get('content-type')?.includes('json')
  const answer = {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : null,
    text,
  }
  return response.status === 500
    ? { ...answer, error: findLoggedError(service.api, response.headers.get('x-request-id')) }
    : answer
}

const logsByApi = new Map<string, string[]>()

/** Return the error of a request by its log line: its name, its code, such as an SQLSTATE, and its stack. */
function findLoggedError(api: string, requestId: string | null): unknown {
  return (logsByApi.get(api) ?? [])
    .map((line) => JSON.parse(line))
    .findLast((line) => line.request_id === requestId && line.error)?.error
}

export function authorizationHeader(token: string | null | undefined): Record<string, string> {
  return token ? { authorization: `Bearer ${token}` } : {}
}

/**
 * Send a request whose content-length is `size`, without its body. A server that refuses a body without
 * reading it closes the connection, and a client that is still writing would then fail instead of receiving
 * the response.
 */
export function sendHeadersOnly(
  url: string,
  method: string,
  size: number,
  headers: Record<string, string>,
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, {
      method: method.toUpperCase(),
      agent: false,
      headers: { 'content-type': 'application/json', ...headers, 'content-length': String(size) },
    })
    outgoing.once('error', reject)
    outgoing.once('response', async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      outgoing.removeAllListeners('error').on('error', () => {})
      outgoing.destroy()
      const pairs = Object.entries(response.headers).map(
        ([name, value]) => [name, String(value)] as [string, string],
      )
      const isJson = response.headers['content-type']?.includes('json')
      resolve({
        status: response.statusCode ?? 0,
        headers: new Headers(pairs),
        body: isJson && text ? JSON.parse(text) : null,
        text,
      })
    })
    outgoing.flushHeaders()
  })
}

/** Read a response's text. An event stream opened by GET never ends, so only its first chunk is read. */
export async function readText(method: string, response: Response): Promise<string> {
  if (method !== 'GET' || !response.headers.get('content-type')?.startsWith('text/event-stream'))
    return response.text()
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

type OpenApiPaths = Record<string, Record<string, { responses: Record<string, unknown> }>>
const declaredPaths = Object.entries((openapi as unknown as { paths: OpenApiPaths }).paths ?? {}).map(
  ([path, methods]) => ({
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    // A path without parameters matches before one with parameters.
    rank: path.includes('{') ? 1 : 0,
    methods,
  }),
)
declaredPaths.sort((a, b) => a.rank - b.rank)

/** Return the statuses that the `default` response of a path stands for. */
function listCommonStatuses(hasParameters: boolean): string[] {
  return commonFailures
    .filter((kind) => kind !== 'not_found' || hasParameters)
    .map((kind) => String(problems[kind].status))
}

/** Return the statuses that the OpenAPI document declares for a request, or undefined for an unknown path. */
export function findDeclaredStatuses(method: string, path: string): string[] | undefined {
  const pathname = `/api/v1${path.split('?')[0]}`
  const declared = declaredPaths.find(
    ({ pattern, methods }) => pattern.test(pathname) && methods[method.toLowerCase()],
  )
  const statuses = Object.keys(declared?.methods[method.toLowerCase()]?.responses ?? {})
  return (
    declared && [...statuses, ...(statuses.includes('default') ? listCommonStatuses(declared.rank > 0) : [])]
  )
}

const signers = new Map<string, ReturnType<typeof createAccessTokens>>()

/** Sign an access token with the service's own keys. */
export async function signAccessToken(
  { settings }: Service,
  caller: { userId: string; accountId: string; signInId: string },
): Promise<string> {
  const origin = settings.PUBLIC_BASE_URL ?? ''
  const signer = signers.get(origin) ?? createAccessTokens(parseConfig(settings))
  signers.set(origin, signer)
  return signer.sign(caller)
}

/**
 * Return functions that call the local dashboard: list recorded messages and calls, set faults and move the
 * clock.
 */
export function dashboard(service: Pick<Service, 'localOrigin'>) {
  const send = (method: string, path: string, body?: unknown) =>
    fetch(service.localOrigin + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
  return {
    listRecords: async (
      name: 'mail' | 'chat' | 'phone' | 'queue' | 'push' | 'analytics' | 'redirect' | 'psa' | 'ai',
    ): Promise<ApiResponse['body'][]> =>
      (await fetch(`${service.localOrigin}/desk/${name}`)).json() as Promise<ApiResponse['body'][]>,
    /**
     * Wait for an e-mail to `email` in which `pattern` captures something other than `previous`, and return
     * the newest capture.
     */
    async waitForLink(email: string, pattern: RegExp, previous = ''): Promise<string> {
      const readNewestLink = async () => {
        const mails = (await (await fetch(`${service.localOrigin}/desk/mail`)).json()) as {
          to: string[]
          text: string
        }[]
        const links = mails.filter(({ to }) => to.includes(email)).map(({ text }) => pattern.exec(text)?.[1])
        return links.find((link) => link) ?? ''
      }
      await expect.poll(readNewestLink, { timeout: 60_000 }).not.toBe(previous)
      return readNewestLink()
    },
    clearRecords: (name: string) => send('DELETE', `/desk/${name}`),
    /** Set a fault, and clear all faults when the test ends. */
    setFault: async (fault: { service: string; mode: string; times?: number; delay_ms?: number }) => {
      expectStatus(await send('POST', '/desk/faults', fault), 201)
      // The service may already be closed when the test ends.
      onTestFinished(async () => void (await send('DELETE', '/desk/faults').catch(() => undefined)))
    },
    clearFaults: () => send('DELETE', '/desk/faults'),
    advanceClock: async (seconds: number) =>
      expectStatus(await send('POST', '/desk/clock', { advance_seconds: seconds }), 200),
  }
}
