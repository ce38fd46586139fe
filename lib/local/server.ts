import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { listen } from '#platform/node/server.ts'
import { readTraceId, runInTrace } from '#trace.ts'
import type { ProviderName } from '#vendors/auth/oidc.ts'
import { type Clock, createClock } from './clock.ts'
import { createDashboard, type Dashboard } from './dashboard/dashboard.ts'
import { createPreviewRoutes } from './dashboard/preview-routes.ts'
import { createSignInRoutes } from './dashboard/sign-in-page.ts'
import type { DemoUser } from './dashboard/state.ts'
import type { CurrentCode } from './dashboard/totp-codes.ts'
import { createAnalyticsRoutes } from './vendors/analytics.ts'
import { buildArticles } from './vendors/articles/data.ts'
import { createHuduRoutes } from './vendors/articles/hudu.ts'
import { createItGlueRoutes } from './vendors/articles/it-glue.ts'
import { createChatRoutes } from './vendors/chat/chat.ts'
import { createSlackPressRoutes } from './vendors/chat/slack-presses.ts'
import { createDnsRoutes } from './vendors/dns.ts'
import { faultMiddleware } from './vendors/fault-middleware.ts'
import { createFaults, type Faults } from './vendors/faults.ts'
import { createHookRoutes } from './vendors/hooks.ts'
import { createIdentityRoutes } from './vendors/identity/identity.ts'
import { createOrganisationRoutes } from './vendors/identity/organisation.ts'
import { createProvisioningRoutes } from './vendors/identity/provisioning.ts'
import { createImagesRoutes } from './vendors/images.ts'
import { createMcpDocsRoutes } from './vendors/mcp/docs.ts'
import { createOpenaiRoutes } from './vendors/openai/openai.ts'
import { createTwilioRoutes } from './vendors/phone/twilio.ts'
import { createPhoneWebhookRoutes } from './vendors/phone/webhook.ts'
import { createPsa } from './vendors/psa/psa.ts'
import { createQstash, type Qstash } from './vendors/qstash/qstash.ts'
import { createRedisRoutes } from './vendors/redis/redis.ts'
import { createResendRoutes } from './vendors/resend.ts'
import { createTacticalRmmRoutes } from './vendors/runner/tactical-rmm.ts'
import { createStripe } from './vendors/stripe/stripe.ts'
import { createPushRoutes } from './vendors/web-push.ts'

/**
 * The secrets that the emulators check or sign with. The tests and the local development stack each provide
 * their own.
 */
export interface LocalSecrets {
  redisToken: string
  qstashToken: string
  qstashCurrentSigningKey: string
  qstashNextSigningKey: string
  resendKey: string
  resendWebhookSecret: string
  analyticsKey: string
  /** The client secret at every identity provider. */
  identitySecret: string
  stripeKey: string
  stripeWebhookSecret: string
  openaiKey: string
}

type RequestHandler = (req: IncomingMessage, res: ServerResponse) => boolean

export interface LocalServerOptions {
  /** 0 uses any free port. */
  port: number
  /** A loopback address. */
  host?: string
  clock?: Clock
  faults?: Faults
  secrets: LocalSecrets
  /** URL of a real Redis. Without it, ioredis-mock is used. */
  redisUrl?: string | undefined
  /** Separates the ioredis-mock data of several servers in one process. Ignored with `redisUrl`. */
  redisName: string
  /**
   * Origin of the Worker, for Stripe's events and the sign-in pages. Without it there are no sign-in pages.
   */
  api?: string
  /** Requests per second that the mail provider allows, by default as many as Resend. */
  mailRequestsPerSecond?: number | undefined
  /** Find the account of a user's e-mail address, for the dashboard. */
  findAccountId?: (email: string) => Promise<string>
  /** Create the service's reference of an account for the billing provider, the account id by default. */
  createReference?: (accountId: string) => Promise<string>
  /** Move PostgreSQL's clock and run cron when the dashboard's clock moves. */
  moveClock?: (offsetMs: number) => Promise<void>
  /** List the current codes of authenticator apps, for the dashboard. */
  listTotpCodes?: () => Promise<CurrentCode[]>
  /** Create the dashboard's demo escalation. Without it the route is 404. */
  createEscalation?: (input: unknown) => Promise<unknown>
  /** Count the jobs in PostgreSQL, for the dashboard. */
  countJobs?: (() => Promise<{ scheduled: number; delivering: number } | undefined>) | undefined
  /** The users that the dashboard signs in with one click. */
  users?: readonly DemoUser[] | undefined
  /** Wait for what earlier requests have left to do, such as messages that they publish. */
  finishEffects?: () => Promise<void>
  /** Called before everything else, for speed. Returns whether it has handled the request. */
  rawHandler?: RequestHandler
  onUpgrade?: (req: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Create further emulators, which are mounted at the root before the dashboard. */
  createExtraRoutes?: (local: { dashboard: Dashboard; clock: Clock; faults: Faults }) => Hono
}

export interface LocalServer {
  port: number
  origin: string
  clock: Clock
  faults: Faults
  dashboard: Dashboard
  qstash: Qstash
  close(): Promise<void>
}

/** Start all local emulators and the local dashboard on one loopback port. */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  const { clock = createClock(), faults = createFaults(), secrets, host = '127.0.0.1' } = options
  if (!/^(127\.|localhost$|::1$)/.test(host))
    throw new Error(`The local server listens on the loopback interface only, not on ${host}.`)
  const dashboard = createDashboard({ clock, faults })
  const { records } = dashboard
  const qstash = createQstash({
    clock,
    faults,
    records,
    finishEffects: options.finishEffects,
    token: secrets.qstashToken,
    currentSigningKey: secrets.qstashCurrentSigningKey,
    nextSigningKey: secrets.qstashNextSigningKey,
  })
  dashboard.addHooks({
    queue: qstash,
    createEscalation: options.createEscalation,
    api: options.api,
    users: options.users,
    countJobs: options.countJobs,
    listTotpCodes: options.listTotpCodes,
    moveClock: options.moveClock,
  })
  const redis = createRedisRoutes({
    token: secrets.redisToken,
    redisUrl: options.redisUrl,
    name: options.redisName,
  })
  const articles = buildArticles()
  const createIdp = (provider: ProviderName) =>
    createIdentityRoutes({ provider, clientSecret: secrets.identitySecret, clock, faults })
  // The origin is set below, once the port is known.
  const urls = { webhook: `${options.api ?? ''}/api/v1/billing/webhook`, origin: '' }
  const stripe = createStripe({
    records,
    clock,
    key: secrets.stripeKey,
    webhookSecret: secrets.stripeWebhookSecret,
    urls,
    createReference: options.createReference ?? (async (accountId) => accountId),
  })
  dashboard.routes.route(
    '/desk/billing/events',
    stripe.events.createRoutes(options.findAccountId ?? refuseEmail),
  )
  const app = mountRoutes({
    dashboard,
    faults,
    qstash: qstash.app,
    redis: redis.app,
    resend: createResendRoutes({
      records,
      clock,
      key: secrets.resendKey,
      requestsPerSecond: options.mailRequestsPerSecond,
      webhook: {
        url: `${options.api ?? ''}/api/v1/notifications/mail-webhook`,
        secret: secrets.resendWebhookSecret,
      },
    }),
    analytics: createAnalyticsRoutes({ records, key: secrets.analyticsKey }),
    openai: createOpenaiRoutes({ records, clock, faults, key: secrets.openaiKey }),
    stripe: stripe.app,
    psa: createPsa({ records, clock }),
    hudu: createHuduRoutes(articles, clock),
    itGlue: createItGlueRoutes(articles, clock),
    runner: createTacticalRmmRoutes(clock),
    mcpDocs: createMcpDocsRoutes(faults),
    twilio: createTwilioRoutes({ records, clock }),
    google: createIdp('google'),
    microsoft: createIdp('microsoft'),
    organisations: createOrganisationRoutes(secrets.identitySecret),
    provisioning: createProvisioningRoutes(options.api ?? ''),
    signInPages: options.api ? createSignInRoutes(options.api) : undefined,
    extraRoutes: options.createExtraRoutes?.({ dashboard, clock, faults }),
  })
  const handleDirectly: RequestHandler = (req, res) =>
    options.rawHandler?.(req, res) || (!faults.peek('redis') && redis.handle(req, res))
  const server = createHttpServer(app, handleDirectly, options)
  const stop = createStopper(server)
  const port = await listen(server, options.port, host)
  urls.origin = `http://${host}:${port}`
  return {
    port,
    origin: urls.origin,
    clock,
    faults,
    dashboard,
    qstash,
    async close() {
      faults.clear()
      await Promise.all([stop(), qstash.close(), redis.close()])
    },
  }
}

async function refuseEmail(): Promise<string> {
  throw new Error('This server cannot find accounts by e-mail address; send account_id instead.')
}

type Routes = {
  dashboard: Dashboard
  faults: Faults
  psa: ReturnType<typeof createPsa>
  signInPages: Hono | undefined
  extraRoutes: Hono | undefined
} & Record<
  | 'qstash'
  | 'redis'
  | 'resend'
  | 'analytics'
  | 'stripe'
  | 'openai'
  | 'google'
  | 'microsoft'
  | 'organisations'
  | 'provisioning'
  | 'hudu'
  | 'itGlue'
  | 'runner'
  | 'mcpDocs'
  | 'twilio',
  Hono
>

function mountRoutes(routes: Routes): Hono<{ Bindings: HttpBindings }> {
  const { dashboard, faults, psa } = routes
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use((c, next) => {
    const traceparent = c.req.header('traceparent')
    return readTraceId(traceparent) ? runInTrace(traceparent, next) : next()
  })
  app.use(async (c, next) => {
    await next()
    // The pages show mails, whose links contain codes.
    if (c.res.headers.get('content-type')?.startsWith('text/html')) c.header('referrer-policy', 'no-referrer')
  })
  for (const service of ['redis', 'qstash', 'resend', 'analytics', 'openai'] as const) {
    // In Hono this pattern also matches the path without the slash, such as `/redis`.
    app.use(`/${service}/*`, faultMiddleware(faults, service))
  }
  for (const service of ['google', 'microsoft'] as const)
    app.use(`/idp/${service}/*`, faultMiddleware(faults, service))
  app.use('/stripe/v1/*', faultMiddleware(faults, 'stripe'))
  for (const path of ['/psa/*', '/halo/*']) app.use(path, psa.recordCalls, faultMiddleware(faults, 'psa'))
  for (const path of ['/hudu/*', '/it-glue/*']) app.use(path, faultMiddleware(faults, 'articles'))
  app.use('/tactical-rmm/*', faultMiddleware(faults, 'runner'))
  for (const path of ['/twilio/*', '/phone/*']) app.use(path, faultMiddleware(faults, 'phone'))
  app.use('/mcp-docs/mcp', faultMiddleware(faults, 'mcp'))
  app.use('/images/*', faultMiddleware(faults, 'images'))
  app.route('/redis', routes.redis)
  app.route('/qstash', routes.qstash)
  app.route('/resend', routes.resend)
  app.route('/analytics', routes.analytics)
  app.route('/stripe', routes.stripe)
  app.route('/openai', routes.openai)
  app.route('/psa', psa.connectwise)
  app.route('/halo', psa.halo)
  app.route('/hudu', routes.hudu)
  app.route('/it-glue', routes.itGlue)
  app.route('/tactical-rmm', routes.runner)
  app.route('/mcp-docs', routes.mcpDocs)
  app.route('/twilio', routes.twilio)
  app.route('/phone', createPhoneWebhookRoutes({ records: dashboard.records }))
  app.route('/images', createImagesRoutes())
  app.route('/', createSlackPressRoutes({ records: dashboard.records }))
  app.route('/chat', createChatRoutes({ records: dashboard.records, faults }))
  app.route('/', createHookRoutes({ records: dashboard.records, faults }))
  app.route('/', createPushRoutes({ records: dashboard.records, faults }))
  app.route('/', createPreviewRoutes())
  app.route('/dns-query', createDnsRoutes())
  app.route('/idp/google', routes.google)
  app.route('/idp/microsoft', routes.microsoft)
  app.route('/idp/org', routes.organisations)
  app.route('/idp/org', routes.provisioning)
  if (routes.signInPages) app.route('/', routes.signInPages)
  app.all('/redirected/:service', async (c) => {
    const { method, path } = c.req
    dashboard.records.add('redirect', {
      service: c.req.param('service'),
      method,
      path,
      body: await c.req.text(),
    })
    return c.text('redirected')
  })
  if (routes.extraRoutes) app.route('/', routes.extraRoutes)
  app.route('/', dashboard.routes)
  app.notFound((c) => c.json({ error: `Nothing at ${c.req.method} ${c.req.path}` }, 404))
  return app
}

function createHttpServer(
  app: Hono<{ Bindings: HttpBindings }>,
  handleDirectly: RequestHandler,
  { onUpgrade }: LocalServerOptions,
): Server {
  const listener = getRequestListener((request, env) => app.fetch(request, env as HttpBindings), {
    overrideGlobalObjects: false,
  })
  const server = createServer((req, res) => {
    if (!handleDirectly(req, res)) void listener(req, res)
  })
  // Clients reuse their connections. Closing an idle one just before its next use would look like a fault.
  server.keepAliveTimeout = 120_000
  if (onUpgrade) server.on('upgrade', onUpgrade)
  return server
}

/** Return a function that closes the server at once, including open and upgraded connections. */
function createStopper(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
}
