import { Hono, type Context as HonoContext } from 'hono'
import { cors } from 'hono/cors'
import { routePath } from 'hono/route'
import { getPath } from 'hono/utils/url'
import type { Database } from '#db/database.ts'
import { SettingError } from '#db/require-connection.ts'
import type { Caller } from '#db/scope.ts'
import { toDatabaseProblem } from '#db/sqlstate.ts'
import type { Log } from '#log.ts'
import { type MetricsPort, record, recordWith, toStatusClass } from '#metrics.ts'
import { Problem } from '#problem.ts'
import { releaseParts } from '#rules/audience.ts'
import type { Budget } from '#rules/budget.ts'
import { createTraceparent, recordSpans, runInSpan, runInTrace, type Tracer } from '#trace.ts'
import type { Limiter } from '#vendors/cache/limiter.ts'
import { renderPage } from '#vendors/mail/page.ts'
import { isOutage } from '#vendors/net/outage.ts'
import type { Ports } from '#vendors/ports.ts'
import { readDelegatedCaller } from './delegated-caller.ts'
import { isAllowedOrigin } from './origins.ts'
import { respond, respondJson, setHeader } from './respond.ts'
import { readRunningTask } from './running-task.ts'

/** What the app needs from its environment. Created once per isolate or process. */
export interface Services {
  ports: Ports
  limiter: Limiter
  /** Database connection as app_runtime. */
  runtime: Database
  /** Database connection as app_platform. */
  platform: Database
  /** The dependencies of `/ready` that this process replaces by its own memory. */
  inProcess: readonly ('redis' | 'hub')[]
  /** Return the address of the client. `env` is what the entry passed to `app.fetch`. */
  readClientAddress(request: Request, env: unknown): string
  /**
   * Wait for a turn of the event loop before a large body is read. Undefined in a Worker, where no request
   * may wait for a promise of another.
   */
  takeTurn?: (() => Promise<void>) | undefined
  log: Log
  metrics: MetricsPort
  /** Where spans are sent; nowhere if it is undefined. */
  tracer?: Tracer | undefined
  /** Answer a request inside this process. Set when the app is assembled. */
  dispatch?:
    | ((request: Request, env: object, execution: Execution) => Response | Promise<Response>)
    | undefined
}

/** The part of the platform's execution context that a request uses. */
export interface Execution {
  waitUntil(promise: Promise<unknown>): void
  passThroughOnException(): void
  props: unknown
}

export interface Variables {
  requestId: string
  /** The headers of the response, by lower-case name. */
  headers: Record<string, string>
  ip: string
  operation: string
  /** The secret of a stream that a ticket opened. */
  reconnectSecret: string | undefined
  caller: Caller | null
  /** The work that an operation may still cause, and has caused. */
  budget: Budget
  failure: unknown
  /** Whether a browser opened the page of an operation, so that a failure is a page too. */
  wantsPage: boolean
}
export type Env = { Variables: Variables }
export type C = HonoContext<Env>

/**
 * Create the app without operations: traces, metrics, request ids, headers, CORS, the log line, 404, 405 and
 * 500.
 */
export function createApp(services: Services): Hono<Env> {
  const app = new Hono<Env>({ getPath: getPathWithoutSlash })
  const { CORS_ORIGINS } = services.ports.config
  const isAllowed = (origin: string) => isAllowedOrigin(CORS_ORIGINS, origin)
  const preflight = cors({
    origin: (origin) => (isAllowed(origin) ? origin : null),
    allowHeaders,
    exposeHeaders,
    maxAge: 600,
  })
  app.use((c, next) => recordWith(services.metrics, () => traceRequest(c, services.tracer, next)))
  app.use(async (c, next) => {
    const startedAt = performance.now()
    c.set('requestId', readRequestId(c.req.raw))
    c.set('ip', isClientUnknown(c.env) ? '' : services.readClientAddress(c.req.raw, c.env))
    c.set('headers', { ...defaultHeaders, 'x-request-id': c.get('requestId') })
    const origin = c.req.header('origin')
    if (c.req.method === 'OPTIONS') {
      const answer = await preflight(c, next)
      Object.assign(c.get('headers'), Object.fromEntries(answer?.headers ?? []))
      c.res = respond(c, null, answer?.status ?? 204)
    } else {
      if (origin && isAllowed(origin)) setHeader(c, 'access-control-allow-origin', origin)
      await next()
    }
    recordRequest(c, startedAt)
    logRequest(app, c, startedAt, services)
  })
  app.notFound((c) => respondProblem(c as C, createRouteProblem(app, c.req.path, c.req.method)))
  app.onError((error, c) => respondProblem(c as C, toProblem(error), error))
  return app
}

/** The address of a stored request's client is not stored, and a chat tool does not tell that of its user. */
function isClientUnknown(env: unknown): boolean {
  const delegated = readDelegatedCaller(env)
  return readRunningTask(env) !== undefined || (delegated !== undefined && !delegated.scopes)
}

const allowHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Prefer',
  'X-Request-Id',
  'Last-Event-ID',
  'traceparent',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'Mcp-Method',
  'Mcp-Name',
]
const exposeHeaders = [
  'Content-Disposition',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-Request-Id',
  'WWW-Authenticate',
]
const defaultHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-site',
  'access-control-expose-headers': exposeHeaders.join(','),
  vary: 'Origin',
}

function readRequestId(request: Request): string {
  const id = request.headers.get('x-request-id')
  return id && /^[\w.:-]{8,128}$/.test(id) ? id : crypto.randomUUID()
}

/** A slash at the end of a path does not count. The pages of the documentation are folders. */
function getPathWithoutSlash(request: Request): string {
  const path = getPath(request)
  return path.length > 1 && path.endsWith('/') && !path.startsWith('/docs/') ? path.slice(0, -1) : path
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Find the route of a method and a path. A route of every method with a wildcard is middleware. */
function findRoute(app: Hono<Env>, method: string, path: string) {
  const routes = app.router.match(method, path)[0].map(([[, route]]) => route)
  return routes.findLast((route) => route.method !== 'ALL' || !route.path.includes('*'))
}

/** Return 405 if the path supports other methods, otherwise 404. */
function createRouteProblem(app: Hono<Env>, path: string, method: string): Problem {
  const others = methods.filter((other) => other !== method && findRoute(app, other, path))
  // What answers GET answers HEAD.
  const allowed = others.flatMap((other) => (other === 'GET' ? ['GET', 'HEAD'] : [other]))
  return others.length > 0
    ? new Problem('method_not_allowed', undefined, { headers: { allow: allowed.join(', ') } })
    : new Problem('not_found')
}

/**
 * Run a request in the trace of its caller, as a span. A request that this process makes to itself stays in
 * its trace.
 */
function traceRequest(c: C, tracer: Tracer | undefined, next: () => Promise<void>): Promise<void> {
  const run = () =>
    runInSpan('request', 'server', async (span) => {
      await next()
      const { status } = c.res
      span.name = c.get('operation') ?? 'request'
      span.failed = status >= 500
      // https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server. The path stays out: it has ids and codes.
      Object.assign(span.attributes, {
        'http.request.method': c.req.method,
        ...(c.get('operation') ? { 'http.route': routePath(c, -1) } : {}),
        'http.response.status_code': status,
        ...(span.failed ? { 'error.type': String(status) } : {}),
      })
    })
  return runInTrace(c.req.header('traceparent') ?? createTraceparent(), () => recordSpans(tracer, run))
}

// Paths that are no operation, such as /health.
const noOperation = 'none'

function recordRequest(c: C, started: number): void {
  const operation = c.get('operation') ?? noOperation
  record('requests', { operation, status: toStatusClass(c.res.status) })
  record('requestDuration', { operation }, (performance.now() - started) / 1000)
}

function logRequest(app: Hono<Env>, c: C, started: number, services: Services): void {
  const failure = c.get('failure')
  const operation = c.get('operation') ?? null
  services.log({
    at: new Date().toISOString(),
    level: c.res.status >= 500 ? 'error' : 'info',
    request_id: c.get('requestId'),
    method: c.req.method,
    operation,
    ...(operation ? {} : { path: findPattern(app, c.req.path) }),
    status: c.res.status,
    ms: Math.round(performance.now() - started),
    work_steps: c.get('budget')?.getSpent().steps ?? null,
    user_id: c.get('caller')?.userId ?? null,
    account_id: c.get('caller')?.accountId ?? null,
    ...(suspicious.has(c.res.status) ? { client_address: c.get('ip') } : {}),
    ...(failure && c.res.status >= 500 ? { error: describe(failure) } : {}),
    ...describeOrigin(c, services),
  })
}

// Who sends many of these may be guessing. The address is there for whoever blocks them, and in no other
// line.
const suspicious: ReadonlySet<number> = new Set([401, 403, 404, 405, 429])

/**
 * Return the pattern of the path of a request that is no operation; null for an unknown one, which could be a
 * code that somebody pasted.
 */
function findPattern(app: Hono<Env>, path: string): string | null {
  for (const method of methods) {
    const route = findRoute(app, method, path)
    if (route) return route.path
  }
  return null
}

/** Name the origin of a page that may not call, because its browser only says that the call failed. */
function describeOrigin(c: C, { ports }: Services): { refused_origin?: string } {
  const origin = c.req.header('origin')
  const { CORS_ORIGINS, PUBLIC_BASE_URL } = ports.config
  const isOrigin = origin !== undefined && URL.canParse(origin) && new URL(origin).origin === origin
  const isKnown =
    !isOrigin || origin === new URL(PUBLIC_BASE_URL).origin || isAllowedOrigin(CORS_ORIGINS, origin)
  return isKnown ? {} : { refused_origin: origin.slice(0, 200) }
}

/**
 * Describe an error for the log by name, code and stack. Its message is left out, because it may quote what
 * the client sent; that of a wrong setting is for the operator.
 */
export function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const code = 'code' in error ? error.code : undefined
  const stack = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 6)
    .map((line) => line.trim())
  return {
    name: error.name,
    code,
    ...(error instanceof SettingError ? { message: error.message } : {}),
    stack,
    ...(error.cause ? { cause: describe(error.cause) } : {}),
  }
}

/** Convert an error to a Problem. An unknown error becomes a 500. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const problem = toDatabaseProblem(error)
  if (problem && problem.kind !== 'internal') return problem
  return isOutage(error)
    ? new Problem('unavailable', undefined, { cause: error, headers: { 'retry-after': '5' } })
    : new Problem('internal', undefined, { cause: error })
}

/** Respond with a Problem and store the original error for the log line. */
export function respondProblem(c: C, problem: Problem, error: unknown = problem): Response {
  c.set('failure', error)
  Object.assign(c.get('headers'), problem.headers)
  if (!c.get('wantsPage')) return respondJson(c, problem.toJson(), problem.status)
  setHeader(c, 'content-type', 'text/html; charset=utf-8')
  setHeader(c, 'content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
  const title =
    problem.status === 410
      ? 'This link has ended'
      : problem.status === 404
        ? 'This link leads nowhere'
        : 'This did not work'
  return respond(c, renderPage(releaseParts({ title, text: problem.message })), problem.status)
}
