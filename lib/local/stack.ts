import type { Outbox } from '../db/outbox-entry.ts'
import { openAccountScope } from '../db/scope.ts'
import type { Event } from '../events/events.ts'
import { enqueueEvent } from '../outbox/events.ts'
import { toMessage } from '../outbox/messages.ts'
import { openNeon } from '../platform/cloudflare/neon.ts'
import { qstashQueue } from '../queue/qstash.ts'
import type { Message } from '../queue/queue.ts'
import { localClientId } from './identity.ts'
import { modelName } from './model/model.ts'
import { createNeon } from './neon.ts'
import { findFreePort } from './ports.ts'
import { type Databases, moveDatabaseClock, platformPassword, runtimePassword } from './postgres.ts'
import { type Relay, startRelay } from './relay.ts'
import { type LocalServer, startLocalServer } from './server.ts'
import { selectUserByEmail } from './users.ts'
import { startWorker } from './worker.ts'

const secrets = {
  redisToken: 'local-redis-token',
  qstashToken: 'local-qstash-token',
  qstashCurrentSigningKey: 'sig_local_current_0123456789abcdef',
  qstashNextSigningKey: 'sig_local_next_0123456789abcdef0',
  resendKey: 're_local_0123456789',
  analyticsKey: 'phc_local_0123456789',
  identitySecret: 'local-identity-secret',
  stripeKey: 'sk_local_0123456789',
  openaiKey: 'sk-local-0123456789',
  stripeWebhookSecret: 'whsec_local_0123456789',
}
const credentialsKey = JSON.stringify([{ version: 1, key: Buffer.from('thirty-two-bytes-for-one-laptop!').toString('base64') }])
const jwtKeys = JSON.stringify([{ kid: 'local', secret: 'a-key-for-one-laptop-and-nowhere-else' }])

export interface StackOptions {
  cluster: Databases
  database: string
  template?: string
  /** Port of the Worker. 0 uses any free port. */
  port: number
  /** Port of the local emulators. 0 uses any free port. */
  localPort: number
  /** URL of a real Redis. Without it, ioredis-mock is used. */
  redisUrl?: string | undefined
  /** Folder for uploads. By default a temporary one that is removed when the stack closes. */
  objectsDir?: string
  /** Settings that replace the local ones. A value of undefined removes a setting. */
  settings?: Record<string, string | undefined>
  onLog?: (line: string) => void
  /** Whether the Worker has the hub of the escalation stream, true by default. */
  hub?: boolean
  /** Port for Chrome DevTools; no inspector by default. */
  inspectorPort?: number | undefined
  /** Create the dashboard's demo escalation. */
  createEscalation?: (stack: Stack, input: unknown) => Promise<unknown>
}

export interface Stack {
  /** Origin of the Worker, without a slash at the end. */
  api: string
  localServer: LocalServer
  settings: Record<string, string>
  /** Connection string of the database owner. */
  ownerUrl: string
  /** Count the requests to the database's HTTP endpoint so far. */
  countRoundTrips(): number
  /** Write an event as the service does, publish its deliveries, and return their ids. */
  emitEvent(accountId: string, event: Event): Promise<string[]>
  /** Run the cron trigger, as Cloudflare does each minute. */
  runCron(): Promise<void>
  /** Count the open escalation streams of an account. */
  countSubscribers(accountId: string): Promise<number>
  close(): Promise<void>
}

/** Start the built Worker in workerd, with local emulators of all vendors and one database of `cluster`. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { cluster, database } = options
  const ownerUrl = await cluster.createDatabase(database, options.template)
  const relay = await startRelay(cluster.port)
  const neon = createNeon(() => relay.port)
  const port = options.port || (await findFreePort())
  const api = `http://127.0.0.1:${port}`
  let roundTripCount = 0
  const localServer = await startLocalServer({
    port: options.localPort,
    api,
    findAccountId: async (email) => (await selectUserByEmail(ownerUrl, email)).account_id,
    secrets,
    redisUrl: options.redisUrl,
    redisName: database,
    rawHandler: (request, response) => {
      if (request.url === '/sql') roundTripCount++
      return neon.handle(request, response)
    },
    onUpgrade: (request, socket, head) => neon.upgrade(request, socket, head),
    moveClock: async (offsetMs) => {
      await moveDatabaseClock(cluster.port, database, offsetMs)
      await stack.runCron()
    },
    createEscalation: async (input) => {
      if (!options.createEscalation) throw new Error('The demo escalation is not available here')
      return options.createEscalation(stack, input)
    },
  })
  simulateDatabaseFaults(localServer, relay)
  const settings = omitUndefined({ ...localSettings(api, localServer, database), ...options.settings })
  const images = new URL(`${localServer.origin}/images`)
  const worker = await startWorker({
    port,
    settings,
    images,
    dataDir: options.objectsDir,
    hub: options.hub,
    inspectorPort: options.inspectorPort,
    onLog: options.onLog ?? (() => {}),
  })
  const stack: Stack = {
    api,
    localServer,
    settings,
    ownerUrl,
    countRoundTrips: () => roundTripCount,
    emitEvent: (accountId, event) => emitEvent(settings, accountId, event),
    runCron: () => worker.runCron(),
    countSubscribers: (accountId) => worker.countSubscribers(accountId),
    async close() {
      await worker.dispose()
      await Promise.all([localServer.close(), neon.close().catch(() => {})])
      await relay.close()
    },
  }
  return stack
}

/** Make the relay follow the faults of the service `postgres`. Every mode except `hang` and `slow` closes the connections. */
function simulateDatabaseFaults({ faults }: LocalServer, relay: Relay): void {
  faults.onChange(() => {
    const fault = faults.peek('postgres')
    if (!fault) relay.setMode('open')
    else if (fault.mode === 'hang' || fault.mode === 'slow') relay.setMode(fault.mode, fault.delay_ms)
    else relay.setMode('down')
  })
}

function omitUndefined(settings: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** Return the settings with which the Worker calls the local emulators instead of the vendors. */
function localSettings(api: string, localServer: LocalServer, database: string): Record<string, string> {
  const { port, origin } = localServer
  return {
    VERSION: 'local',
    PUBLIC_BASE_URL: api,
    FRONTEND_URL: 'https://app.supportflow.example',
    // The second origin is that of the local sign-in pages.
    CORS_ORIGINS: `http://localhost:5173,${origin}`,
    // The emulator of Neon ignores the host of these URLs.
    DATABASE_URL: `postgres://app_runtime:${runtimePassword}@${database.replaceAll('_', '-')}.local/${database}`,
    DATABASE_PLATFORM_URL: `postgres://app_platform:${platformPassword}@${database.replaceAll('_', '-')}.local/${database}`,
    NEON_HTTP_ENDPOINT: `${origin}/sql`,
    NEON_WS_PROXY: `127.0.0.1:${port}/v2`,
    UPSTASH_REDIS_REST_URL: `${origin}/redis`,
    UPSTASH_REDIS_REST_TOKEN: secrets.redisToken,
    QSTASH_URL: `${origin}/qstash`,
    QSTASH_TOKEN: secrets.qstashToken,
    QSTASH_CURRENT_SIGNING_KEY: secrets.qstashCurrentSigningKey,
    QSTASH_NEXT_SIGNING_KEY: secrets.qstashNextSigningKey,
    RESEND_API_KEY: secrets.resendKey,
    RESEND_BASE_URL: `${origin}/resend`,
    STRIPE_SECRET_KEY: secrets.stripeKey,
    STRIPE_WEBHOOK_SECRET: secrets.stripeWebhookSecret,
    STRIPE_BASE_URL: `${origin}/stripe`,
    MAIL_FROM: 'Support Flow <notifications@supportflow.example>',
    SALES_EMAIL: 'sales@supportflow.example',
    FEEDBACK_EMAIL: 'feedback@supportflow.example',
    ANALYTICS_URL: `${origin}/analytics`,
    ANALYTICS_KEY: secrets.analyticsKey,
    OPENAI_API_KEY: secrets.openaiKey,
    OPENAI_BASE_URL: `${origin}/openai`,
    OPENAI_MODEL: modelName,
    DNS_URL: `${origin}/dns-query`,
    OUTBOUND_ALLOWED_ORIGIN: origin,
    GOOGLE_CLIENT_ID: localClientId('google'),
    GOOGLE_CLIENT_SECRET: secrets.identitySecret,
    GOOGLE_ISSUER: `${origin}/idp/google`,
    MICROSOFT_CLIENT_ID: localClientId('microsoft'),
    MICROSOFT_CLIENT_SECRET: secrets.identitySecret,
    MICROSOFT_ISSUER: `${origin}/idp/microsoft/common/v2.0`,
    OAUTH_REDIRECT_BASE: origin,
    JWT_KEYS: jwtKeys,
    CREDENTIALS_KEY: credentialsKey,
    CHECK_RESPONSES: 'true',
  }
}

/** Write an event as the service does, publish its deliveries, and return their ids. */
export async function emitEvent(settings: Record<string, string>, accountId: string, event: Event): Promise<string[]> {
  const { DATABASE_PLATFORM_URL = '', NEON_HTTP_ENDPOINT, QSTASH_URL = '', QSTASH_TOKEN = '', PUBLIC_BASE_URL = '' } = settings
  const database = openNeon({ url: DATABASE_PLATFORM_URL, httpEndpoint: NEON_HTTP_ENDPOINT })
  const messages: Message[] = []
  const ids: string[] = []
  const outbox: Outbox = (entry) => {
    if (entry.kind === 'live_event') return
    messages.push(toMessage(entry))
    ids.push(entry.id)
  }
  await enqueueEvent(openAccountScope(database, accountId, event.actorId, outbox).db, event)
  // If publishing fails, the sweep publishes the deliveries later.
  await qstashQueue({ url: QSTASH_URL, token: QSTASH_TOKEN, target: PUBLIC_BASE_URL })
    .publish(messages)
    .catch(() => {})
  return ids
}
