import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { ProviderName } from '../auth/oidc.ts'
import { analyticsRoutes } from './analytics.ts'
import { chatRoutes } from './chat.ts'
import { type Clock, createClock } from './clock.ts'
import { createDesk, type Desk } from './desk.ts'
import { dnsRoutes } from './dns.ts'
import { faulty } from './fault-middleware.ts'
import { createFaults, type Faults } from './faults.ts'
import { identityRoutes } from './identity.ts'
import { imagesRoutes } from './images.ts'
import { openaiRoutes } from './openai.ts'
import { createPsa } from './psa.ts'
import { createQstash, type Qstash } from './qstash.ts'
import { redisRoutes } from './redis.ts'
import { resendRoutes } from './resend.ts'
import { signInRoutes } from './sign-in-page.ts'
import { createStripe } from './stripe.ts'

export interface LocalSecrets {
  redisToken: string
  qstashToken: string
  qstashCurrentSigningKey: string
  qstashNextSigningKey: string
  resendKey: string
  analyticsKey: string
  /** Of this client at both identity providers. */
  identitySecret: string
  stripeKey: string
  stripeWebhookSecret: string
  openaiKey: string
}

export interface LocalServerOptions {
  /** 0 takes any free one. */
  port: number
  /** A loopback address. */
  host?: string
  clock?: Clock
  faults?: Faults
  secrets: LocalSecrets
  /** A real Redis; without it, ioredis-mock. */
  redisUrl?: string | undefined
  /** Keeps the data of several servers in one process apart. */
  redisName: string
  /** Where the Worker answers, for the pages that play its frontend and the billing provider's events; without it there are no pages. */
  api?: string
  /** The account of somebody's address, for the desk. */
  accountOf?: (email: string) => Promise<string>
  /** Moves Postgres and cron when the desk's clock moves. */
  move?: (offsetMs: number) => Promise<void>
  /** The desk's demo escalation; without it the route is 404. */
  escalate?: (input: unknown) => Promise<unknown>
  /** Tried before all else, for speed; true when it has taken the request. */
  rawHandler?: (req: IncomingMessage, res: ServerResponse) => boolean
  onUpgrade?: (req: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** More stand-ins, mounted at the root before the desk. */
  extra?: (local: { desk: Desk; clock: Clock; faults: Faults }) => Hono
}

export interface LocalServer {
  port: number
  origin: string
  clock: Clock
  faults: Faults
  desk: Desk
  qstash: Qstash
  close(): Promise<void>
}

/** All stand-ins of one laptop on one loopback port. */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  const { clock = createClock(), faults = createFaults(), secrets, host = '127.0.0.1' } = options
  if (!/^(127\.|localhost$|::1$)/.test(host)) throw new Error(`The local server listens on the loopback interface only, not on ${host}.`)
  const desk = createDesk({ clock, faults })
  const qstash = createQstash({
    clock,
    faults,
    records: desk.records,
    token: secrets.qstashToken,
    currentSigningKey: secrets.qstashCurrentSigningKey,
    nextSigningKey: secrets.qstashNextSigningKey,
  })
  desk.connect({ queue: qstash, escalate: options.escalate, ...(options.move ? { move: options.move } : {}) })
  const redis = redisRoutes({ token: secrets.redisToken, redisUrl: options.redisUrl, name: options.redisName })
  const resend = resendRoutes({ records: desk.records, clock, key: secrets.resendKey })
  const analytics = analyticsRoutes({ records: desk.records, key: secrets.analyticsKey })
  const openai = openaiRoutes({ records: desk.records, clock, faults, key: secrets.openaiKey })
  const idp = (provider: ProviderName) => identityRoutes({ provider, clientSecret: secrets.identitySecret, clock, faults })
  const places = { webhook: `${options.api ?? ''}/api/v1/billing/webhook`, origin: '' }
  const { stripeKey: key, stripeWebhookSecret: webhookSecret } = secrets
  const stripe = createStripe({ records: desk.records, clock, key, webhookSecret, places })
  desk.routes.route('/desk/billing/events', stripe.events.routes(options.accountOf ?? nobody))
  const psa = createPsa({ records: desk.records, clock })
  const app = assemble({
    ...{ desk, faults, qstash: qstash.app, redis: redis.app, resend, analytics, stripe: stripe.app, openai, psa },
    ...{ google: idp('google'), microsoft: idp('microsoft'), frontend: options.api ? signInRoutes(options.api) : undefined },
    extra: options.extra?.({ desk, clock, faults }),
  })
  const takes: Taking = (req, res) => options.rawHandler?.(req, res) || (!faults.peek('redis') && redis.handle(req, res))
  const server = serve(app, takes, options)
  const stop = stopper(server)
  const port = await listening(server, options.port, host)
  places.origin = `http://${host}:${port}`
  return {
    port,
    origin: places.origin,
    clock,
    faults,
    desk,
    qstash,
    async close() {
      faults.clear()
      await Promise.all([stop(), qstash.close(), redis.close()])
    },
  }
}

async function nobody(email: string): Promise<string> {
  throw new Error(`Nobody here has the address ${email}.`)
}

type Parts = {
  desk: Desk
  faults: Faults
  psa: ReturnType<typeof createPsa>
  frontend: Hono | undefined
  extra: Hono | undefined
} & Record<'qstash' | 'redis' | 'resend' | 'analytics' | 'stripe' | 'openai' | 'google' | 'microsoft', Hono>

function assemble(parts: Parts): Hono<{ Bindings: HttpBindings }> {
  const { desk, faults, qstash, redis, resend, analytics, stripe, openai, google, microsoft, psa, frontend, extra } = parts
  const app = new Hono<{ Bindings: HttpBindings }>()
  for (const service of ['redis', 'qstash', 'resend', 'analytics', 'openai'] as const) {
    // In Hono's router this pattern takes `/redis` itself too.
    app.use(`/${service}/*`, faulty(faults, service))
  }
  for (const service of ['google', 'microsoft'] as const) app.use(`/idp/${service}/*`, faulty(faults, service))
  app.use('/stripe/v1/*', faulty(faults, 'stripe'))
  for (const place of ['/psa/*', '/halo/*']) app.use(place, psa.recorded, faulty(faults, 'psa'))
  app.use('/images/*', faulty(faults, 'images'))
  app.route('/redis', redis)
  app.route('/qstash', qstash)
  app.route('/resend', resend)
  app.route('/analytics', analytics)
  app.route('/stripe', stripe)
  app.route('/openai', openai)
  app.route('/psa', psa.connectwise)
  app.route('/halo', psa.halo)
  app.route('/images', imagesRoutes())
  app.route('/chat', chatRoutes({ records: desk.records, faults }))
  app.route('/dns-query', dnsRoutes())
  app.route('/idp/google', google)
  app.route('/idp/microsoft', microsoft)
  if (frontend) app.route('/', frontend)
  app.all('/redirected/:service', async (c) => {
    const { method, path } = c.req
    desk.records.add('redirect', { service: c.req.param('service'), method, path, body: await c.req.text() })
    return c.text('redirected')
  })
  if (extra) app.route('/', extra)
  app.route('/', desk.routes)
  app.notFound((c) => c.json({ error: `Nothing at ${c.req.method} ${c.req.path}` }, 404))
  return app
}

type Taking = (req: IncomingMessage, res: ServerResponse) => boolean

function serve(app: Hono<{ Bindings: HttpBindings }>, takes: Taking, { onUpgrade }: LocalServerOptions): Server {
  const listener = getRequestListener((request, env) => app.fetch(request, env as HttpBindings), { overrideGlobalObjects: false })
  const server = createServer((req, res) => {
    if (!takes(req, res)) void listener(req, res)
  })
  // Clients keep their connections; one closed under them while idle would look like a fault.
  server.keepAliveTimeout = 120_000
  if (onUpgrade) server.on('upgrade', onUpgrade)
  return server
}

function listening(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Makes the function that ends the server at once, open connections and upgraded ones with it. */
function stopper(server: Server): () => Promise<void> {
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
