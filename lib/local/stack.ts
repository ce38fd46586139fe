import pg from 'pg'
import { openWire } from '../db/client.ts'
import { openAccountScope } from '../db/scope.ts'
import type { Event } from '../events/events.ts'
import { emit, publishDeliveries } from '../events/outbox.ts'
import { qstashQueue } from '../queue/qstash.ts'
import { localClientId } from './identity.ts'
import { modelName } from './model/model.ts'
import { createNeon } from './neon.ts'
import { freePort } from './ports.ts'
import { type Databases, moveDatabaseClock, platformPassword, runtimePassword } from './postgres.ts'
import { startRelay } from './relay.ts'
import { type LocalServer, startLocalServer } from './server.ts'
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
  /** 0 takes any free port. */
  port: number
  localPort: number
  redisUrl?: string | undefined
  /** Where uploads are kept; gone with the stack when not said. */
  objectsDir?: string
  /** Settings on top of the local ones; undefined leaves one of those out. */
  settings?: Record<string, string | undefined>
  onLog?: (line: string) => void
  /** False takes the hub of the escalation stream away. */
  hub?: boolean
  /** What the desk's demo escalation does. */
  escalate?: (stack: Stack, input: unknown) => Promise<unknown>
}

export interface Stack {
  /** Where the Worker answers, without a slash at the end. */
  api: string
  local: LocalServer
  settings: Record<string, string>
  ownerUrl: string
  /** How many requests the database's HTTP endpoint has had. */
  roundTrips(): number
  /** Writes an event as the service does and publishes its deliveries; answers the delivery ids. */
  emit(accountId: string, event: Event): Promise<string[]>
  /** What Cloudflare does each minute. */
  tick(): Promise<void>
  /** How many escalation streams are open in an account. */
  subscribers(accountId: string): Promise<number>
  close(): Promise<void>
}

/** The built Worker in workerd with every vendor's stand-in, on one database of `cluster`. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { cluster, database } = options
  const ownerUrl = await cluster.database(database, options.template)
  const relay = await startRelay(cluster.port)
  const neon = createNeon(() => relay.port)
  const port = options.port || (await freePort())
  const api = `http://127.0.0.1:${port}`
  let roundTrips = 0
  const local = await startLocalServer({
    port: options.localPort,
    api,
    accountOf: (email) => accountOf(ownerUrl, email),
    secrets,
    redisUrl: options.redisUrl,
    redisName: database,
    rawHandler: (request, response) => {
      if (request.url === '/sql') roundTrips++
      return neon.handle(request, response)
    },
    onUpgrade: (request, socket, head) => neon.upgrade(request, socket, head),
    move: async (offsetMs) => {
      await moveDatabaseClock(cluster.port, database, offsetMs)
      await stack.tick()
    },
    escalate: (input) => (options.escalate ? options.escalate(stack, input) : Promise.reject(new Error('No demo here'))),
  })
  local.faults.onChange(() => {
    const mode = local.faults.peek('postgres')?.mode
    relay.set(mode === 'hang' || mode === 'slow' ? mode : mode ? 'down' : 'open', local.faults.peek('postgres')?.delay_ms)
  })
  const settings = given({ ...localSettings(api, local, database), ...options.settings })
  const images = new URL(`${local.origin}/images`)
  const worker = await startWorker({
    port,
    settings,
    images,
    dataDir: options.objectsDir,
    hub: options.hub,
    onLog: options.onLog ?? (() => {}),
  })
  const stack: Stack = {
    api,
    local,
    settings,
    ownerUrl,
    roundTrips: () => roundTrips,
    emit: (accountId, event) => emitInto(settings, accountId, event),
    tick: () => worker.tick(),
    subscribers: (accountId) => worker.subscribers(accountId),
    async close() {
      await worker.dispose()
      await Promise.all([local.close(), neon.close().catch(() => {})])
      await relay.close()
    },
  }
  return stack
}

function given(settings: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

async function accountOf(ownerUrl: string, email: string): Promise<string> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ account_id: string }>('select account_id from users where lower(email) = lower($1)', [email])
    if (!rows[0]) throw new Error(`Nobody here has the address ${email}.`)
    return rows[0].account_id
  } finally {
    await client.end()
  }
}

/** The settings that make the Worker talk to the stand-ins instead of the vendors. */
function localSettings(api: string, local: LocalServer, database: string): Record<string, string> {
  const { port, origin } = local
  return {
    VERSION: 'local',
    PUBLIC_BASE_URL: api,
    FRONTEND_URL: 'https://app.supportflow.example',
    // The second is the local server's own page that plays the frontend.
    CORS_ORIGINS: `http://localhost:5173,${origin}`,
    // The host names which stand-in to ask; the stand-in knows where PostgreSQL is.
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

/** Writes an event as the service does, through its own emit, and publishes its deliveries; answers their ids. */
export async function emitInto(settings: Record<string, string>, accountId: string, event: Event): Promise<string[]> {
  const { DATABASE_PLATFORM_URL = '', NEON_HTTP_ENDPOINT, QSTASH_URL = '', QSTASH_TOKEN = '', PUBLIC_BASE_URL = '' } = settings
  const wire = openWire({ url: DATABASE_PLATFORM_URL, httpEndpoint: NEON_HTTP_ENDPOINT })
  const ids = await emit(openAccountScope(wire, accountId, event.actorId).db, event)
  // What the queue does not take now, the sweep finds.
  await publishDeliveries(qstashQueue({ url: QSTASH_URL, token: QSTASH_TOKEN, target: PUBLIC_BASE_URL }), ids).catch(() => {})
  return ids
}
