import { redisCache } from '../../cache/cache.ts'
import { createLimiter } from '../../cache/limiter.ts'
import type { Services } from '../../http/app.ts'
import { qstashQueue } from '../../queue/qstash.ts'
import { createSharedPorts } from '../../services.ts'
import { createAddressReader } from './client-address.ts'
import { sharpConversion } from './images.ts'
import { folderObjects } from './objects-folder.ts'
import { nativePasswords } from './passwords.ts'
import { openPostgres } from './postgres.ts'
import type { NodeConfig } from './settings.ts'
import { folderAssets } from './static-files.ts'

export interface NodeServicesOptions {
  log: Services['log']
  /** Called before each round trip to PostgreSQL. */
  onRoundTrip?: (() => void) | undefined
}

export interface NodeServices {
  services: Services
  /** Close every connection. */
  close(): Promise<void>
}

/** Create every service of the Node process from the settings. */
export function createNodeServices(config: NodeConfig, { log, onRoundTrip }: NodeServicesOptions): NodeServices {
  const { DATABASE_CONNECTIONS: maxConnections, UPLOAD_TIMEOUT_MS } = config
  const env = process.env as Record<string, string>
  const [url, token] = [env.UPSTASH_REDIS_REST_URL ?? '', env.UPSTASH_REDIS_REST_TOKEN ?? '']
  const runtime = openPostgres({ url: config.DATABASE_URL, maxConnections, onRoundTrip })
  const platform = openPostgres({ url: config.DATABASE_PLATFORM_URL, maxConnections, onRoundTrip })
  const services: Services = {
    ports: {
      ...createSharedPorts(config),
      queue: qstashQueue({ url: config.QSTASH_URL ?? '', token: config.QSTASH_TOKEN ?? '', target: config.PUBLIC_BASE_URL }),
      realtime: { publish: async () => {}, subscribe: async () => new ReadableStream(), ping: async () => {} },
      uploads: { ...folderObjects(config.OBJECTS_DIR ?? '', UPLOAD_TIMEOUT_MS), ...sharpConversion(UPLOAD_TIMEOUT_MS) },
      assets: folderAssets(config.ASSETS_DIR),
      cache: redisCache(url, token, config.REDIS_TIMEOUT_MS),
      passwords: nativePasswords(),
    },
    limiter: createLimiter(url, token, config.REDIS_TIMEOUT_MS),
    runtime,
    platform,
    readClientAddress: createAddressReader(config.TRUSTED_PROXIES, config.CLIENT_ADDRESS_HEADER),
    log,
  }
  return { services, close: async () => void (await Promise.all([runtime.close(), platform.close()])) }
}
