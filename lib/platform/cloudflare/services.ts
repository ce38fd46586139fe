import { measureDatabase } from '#db/measure-database.ts'
import { type ConnectionSetting, requireConnection } from '#db/require-connection.ts'
import type { Services } from '#http/app.ts'
import { withTraceId } from '#log.ts'
import { firstCallFactor } from '#vendors/cache/availability.ts'
import { measureRedis } from '#vendors/cache/measure-redis.ts'
import { createRedisCache } from '#vendors/cache/redis-cache.ts'
import { createRedisLimiter } from '#vendors/cache/redis-limiter.ts'
import { filesInProcess } from '#vendors/files/files.ts'
import { openTracer } from '#vendors/otlp/open-tracer.ts'
import { qstashQueue } from '#vendors/queue/qstash.ts'
import { createSharedPorts } from '#vendors/shared-ports.ts'
import { type AnalyticsDataset, analyticsEngineMetrics } from './analytics-engine.ts'
import { type AssetsBinding, staticAssets } from './assets.ts'
import { type ImagesBinding, imagesConversion } from './images.ts'
import { openNeon } from './neon.ts'
import { wasmPasswords } from './passwords.ts'
import { type R2Bucket, r2Objects } from './r2.ts'
import { durableRealtime, type HubNamespace } from './realtime.ts'
import { openRestRedis } from './redis.ts'
import type { CloudflareConfig } from './settings.ts'

/** The Worker's bindings. A binding may be missing when nothing uses it. */
export interface Bindings {
  UPLOADS?: R2Bucket
  IMAGES?: ImagesBinding
  ASSETS?: AssetsBinding
  ESCALATION_HUB?: HubNamespace
  METRICS?: AnalyticsDataset
}

/** Create every service of the Worker from the settings and bindings. */
export function createCloudflareServices(
  config: CloudflareConfig,
  log: Services['log'],
  bindings: Bindings = {},
): Services {
  const { UPLOADS, IMAGES, ASSETS, ESCALATION_HUB, METRICS } = bindings
  const { UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN, REDIS_TIMEOUT_MS, UPLOAD_TIMEOUT_MS } = config
  const redis = measureRedis(
    openRestRedis(UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN, REDIS_TIMEOUT_MS * firstCallFactor),
  )
  const neon = { httpEndpoint: config.NEON_HTTP_ENDPOINT, wsProxy: config.NEON_WS_PROXY }
  const open = (setting: ConnectionSetting) =>
    requireConnection(openNeon({ url: config[setting], ...neon }), setting, config)
  return {
    ports: {
      ...createSharedPorts(config),
      queue: qstashQueue({
        url: config.QSTASH_URL,
        token: config.QSTASH_TOKEN,
        target: config.PUBLIC_BASE_URL,
      }),
      realtime: durableRealtime(ESCALATION_HUB),
      uploads: { ...r2Objects(UPLOADS, UPLOAD_TIMEOUT_MS), ...imagesConversion(IMAGES, UPLOAD_TIMEOUT_MS) },
      assets: staticAssets(ASSETS),
      files: filesInProcess(),
      cache: createRedisCache(redis, REDIS_TIMEOUT_MS),
      passwords: wasmPasswords(),
      // A socket shows its addresses only:
      // https://developers.cloudflare.com/workers/runtime-apis/tcp-sockets/#socketinfo
      readCertificate: null,
    },
    limiter: createRedisLimiter(redis, REDIS_TIMEOUT_MS, log),
    runtime: measureDatabase(open('DATABASE_URL'), 'runtime'),
    platform: measureDatabase(open('DATABASE_PLATFORM_URL'), 'platform'),
    inProcess: [],
    // Cloudflare sets this header itself:
    // https://developers.cloudflare.com/fundamentals/reference/http-headers/
    readClientAddress: (request) => request.headers.get('cf-connecting-ip') ?? 'unknown',
    log: withTraceId(log),
    metrics: analyticsEngineMetrics(METRICS),
    tracer: openTracer(config, withTraceId(log)),
  }
}
