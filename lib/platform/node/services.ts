import { measureDatabase } from '#db/measure-database.ts'
import { type ConnectionSetting, requireConnection, SettingError } from '#db/require-connection.ts'
import { describe, type Services } from '#http/app.ts'
import { withTraceId } from '#log.ts'
import type { CachePort } from '#vendors/cache/cache.ts'
import type { Limiter } from '#vendors/cache/limiter.ts'
import { measureRedis } from '#vendors/cache/measure-redis.ts'
import { createRedisCache } from '#vendors/cache/redis-cache.ts'
import { createRedisLimiter } from '#vendors/cache/redis-limiter.ts'
import type { MailPort } from '#vendors/mail/mail.ts'
import { smtpMail } from '#vendors/mail/smtp.ts'
import { openTracer } from '#vendors/otlp/open-tracer.ts'
import { createSignInCheck } from '#vendors/realtime/active-sign-ins.ts'
import { createSharedPorts } from '#vendors/shared-ports.ts'
import { createCertificateReader } from './certificates.ts'
import { createAddressReader } from './client-address.ts'
import { createFiles } from './files.ts'
import { sharpConversion } from './images.ts'
import { createMemoryCache } from './memory-cache.ts'
import { createMemoryLimiter } from './memory-limiter.ts'
import { createMetricsRegistry, type MetricsRegistry } from './metrics-registry.ts'
import { folderObjects } from './objects-folder.ts'
import { s3Objects } from './objects-s3.ts'
import { nativePasswords } from './passwords.ts'
import { openPostgres } from './postgres.ts'
import { type NodeQueue, openQueue } from './queue.ts'
import { openRedis, type RedisConnection } from './redis.ts'
import type { NodeConfig } from './settings.ts'
import { folderAssets } from './static-files.ts'
import { createMemoryRealtime, type NodeRealtime } from './streams-in-memory.ts'
import { createRedisRealtime } from './streams-in-redis.ts'
import { createTurns } from './turns.ts'

export interface NodeServicesOptions {
  log: Services['log']
  /** Called before each round trip to PostgreSQL. */
  onRoundTrip?: (() => void) | undefined
}

export interface NodeServices {
  services: Services
  realtime: NodeRealtime
  queue: NodeQueue
  metrics: MetricsRegistry
  /**
   * Wait until Redis has answered for the first time, at most 2 s. Without it, the first calls would count as
   * failures of Redis. Also load the clients that the Worker loads on first use: this process starts once, so
   * its first requests should not wait for them.
   */
  waitUntilReady(): Promise<void>
  /**
   * Throw a SettingError if a connection is of another role, or a key is not that of the database. A database
   * that is away is logged: the service also starts without it, and the first call checks again.
   */
  checkConnections(): Promise<void>
  /** Call `listener` whenever Redis is back after it was lost. */
  onRedisReturn(listener: () => void): void
  /** Close every connection. */
  close(): Promise<void>
}

// How long spans wait for others, in milliseconds.
const flushIntervalMs = 2000

/** Create every service of the Node process from the settings. */
export function createNodeServices(
  config: NodeConfig,
  { onRoundTrip, ...options }: NodeServicesOptions,
): NodeServices {
  const log = withTraceId(options.log)
  const { DATABASE_CONNECTIONS: maxConnections, UPLOAD_TIMEOUT_MS, REDIS_URL, REDIS_TIMEOUT_MS } = config
  let onRedisReturn = () => {}
  const redis = REDIS_URL
    ? measureRedis(
        openRedis({ url: REDIS_URL, timeoutMs: REDIS_TIMEOUT_MS, log, onReturn: () => onRedisReturn() }),
      )
    : null
  const open = (setting: ConnectionSetting) =>
    requireConnection(openPostgres({ url: config[setting], maxConnections, onRoundTrip }), setting, config)
  const runtime = open('DATABASE_URL')
  const platform = open('DATABASE_PLATFORM_URL')
  const queue = openQueue(config, log)
  const files = createFiles(log)
  const metrics = createMetricsRegistry()
  const tracer = openTracer(config, log)
  const flushing = tracer && setInterval(() => void tracer.flush(), flushIntervalMs).unref()
  const streams = { heartbeatMs: config.STREAM_HEARTBEAT_MS, selectActiveSignIns: createSignInCheck(runtime) }
  const realtime = redis ? createRedisRealtime(redis, streams) : createMemoryRealtime(streams)
  const { limiter, cache } = redis ? createRedisStores(redis, REDIS_TIMEOUT_MS, log) : createMemoryStores()
  const services: Services = {
    ports: {
      ...createSharedPorts(config),
      ...openSmtp(config),
      queue: queue.port,
      realtime,
      uploads: { ...openObjects(config), ...sharpConversion(UPLOAD_TIMEOUT_MS) },
      assets: folderAssets(config.ASSETS_DIR),
      files,
      cache,
      passwords: nativePasswords(),
      readCertificate: createCertificateReader(config.CERTIFICATE_PROBE),
    },
    limiter,
    runtime: measureDatabase(runtime, 'runtime'),
    platform: measureDatabase(platform, 'platform'),
    inProcess: redis ? [] : ['redis', 'hub'],
    readClientAddress: createAddressReader(config.TRUSTED_PROXIES, config.CLIENT_ADDRESS_HEADER),
    takeTurn: createTurns(),
    log,
    metrics,
    tracer,
  }
  return {
    services,
    realtime,
    queue,
    metrics,
    onRedisReturn(listener) {
      onRedisReturn = listener
    },
    async waitUntilReady() {
      await Promise.all([
        redis?.waitUntilReady(),
        import('#vendors/ai/openai.ts'),
        import('#vendors/billing/stripe.ts'),
      ])
    },
    async checkConnections() {
      const checks = [runtime, platform].map((database) =>
        database.run([{ sql: 'select 1', parameters: [] }], { readOnly: false }),
      )
      for (const check of await Promise.allSettled(checks)) {
        if (check.status === 'fulfilled') continue
        if (check.reason instanceof SettingError) throw check.reason
        log({
          at: new Date().toISOString(),
          dependency: 'database',
          answers: false,
          error: describe(check.reason),
        })
      }
    },
    async close() {
      clearInterval(flushing)
      await tracer?.flush()
      redis?.close()
      files.close()
      await Promise.all([runtime.close(), platform.close(), queue.close()])
    },
  }
}

/** Return a mail port if a mail server is set, instead of the vendor that both platforms have. */
function openSmtp({ SMTP_URL, MAIL_FROM, MAIL_REPLY_TO }: NodeConfig): { mail?: MailPort } {
  return SMTP_URL && MAIL_FROM
    ? { mail: smtpMail({ url: SMTP_URL, from: MAIL_FROM, replyTo: MAIL_REPLY_TO }) }
    : {}
}

function openObjects({
  OBJECTS_DIR,
  UPLOAD_TIMEOUT_MS,
  ...config
}: NodeConfig): ReturnType<typeof folderObjects> {
  const {
    S3_ENDPOINT,
    S3_BUCKET = '',
    S3_ACCESS_KEY_ID = '',
    S3_SECRET_ACCESS_KEY = '',
    S3_REGION: region,
  } = config
  if (!S3_ENDPOINT) return folderObjects(OBJECTS_DIR ?? '', UPLOAD_TIMEOUT_MS)
  const credentials = { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY }
  return s3Objects({ endpoint: S3_ENDPOINT, bucket: S3_BUCKET, region, ...credentials }, UPLOAD_TIMEOUT_MS)
}

function createRedisStores(
  redis: RedisConnection,
  timeoutMs: number,
  log: Services['log'],
): { limiter: Limiter; cache: CachePort } {
  return { limiter: createRedisLimiter(redis, timeoutMs, log), cache: createRedisCache(redis, timeoutMs) }
}

/** Without Redis, the counts and the cache stay in this process. */
function createMemoryStores(): { limiter: Limiter; cache: CachePort } {
  return { limiter: createMemoryLimiter(), cache: createMemoryCache() }
}
