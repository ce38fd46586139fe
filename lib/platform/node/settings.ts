import * as z from 'zod'
import { CommaList, type Config, parseSettings, settings } from '#config.ts'
import {
  count,
  Folder,
  HostPort,
  ListenAddress,
  Name,
  OwnToken,
  oneOf,
  RedisUrl,
  SmtpUrl,
  Token,
  Url,
} from '#rules/settings/values.ts'

const proxiesMessage = 'must be addresses or CIDR ranges, separated by commas, such as `127.0.0.1,10.0.0.0/8`'
const Proxies = CommaList.pipe(
  z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: proxiesMessage })),
)

/** The settings that only Node needs. */
export const nodeSettings = {
  PORT: count(0, 65_535).default(8787).describe('Port to listen on. 0 uses any free port.'),
  HOST: ListenAddress.default('0.0.0.0').describe('Address to listen on.'),
  TRUSTED_PROXIES: Proxies.default([]).describe(
    'Addresses or CIDR ranges of reverse proxies, separated by commas. Only their CLIENT_ADDRESS_HEADER is believed.',
  ),
  CLIENT_ADDRESS_HEADER: z
    .string()
    .toLowerCase()
    .regex(/^[a-z][a-z-]*$/, 'must be the name of one header, such as `x-forwarded-for`')
    .default('x-forwarded-for')
    .describe("Header in which the proxies name the client's address."),
  DATABASE_CONNECTIONS: count(2, 500).default(10).describe('Connections to PostgreSQL per role and process.'),
  REDIS_URL: RedisUrl.optional().describe(
    'Redis for rate limits, the cache and live events. Without it they stay in the memory of this process, so run one process only.',
  ),
  QSTASH_TOKEN: Token.optional().describe(
    'Token of QStash, to use it as the queue. Without it, jobs are stored in PostgreSQL.',
  ),
  QSTASH_URL: Url.default('https://qstash.upstash.io').describe('Address of QStash.'),
  QSTASH_CURRENT_SIGNING_KEY: Token.optional().describe('Key that verifies jobs of QStash.'),
  QSTASH_NEXT_SIGNING_KEY: Token.optional().describe(
    'Second key that verifies jobs of QStash, for rotation.',
  ),
  SMTP_URL: SmtpUrl.optional().describe(
    'Mail server, used instead of Resend: `smtps://user:password@host:465`, or `smtp://…:587` with STARTTLS, or `smtp://host:25?tls=off` for a relay in your own network. Encode the user and the password like a URL.',
  ),
  CERTIFICATE_PROBE: HostPort.optional().describe(
    'Where the certificates of all domains are read, as `host:port`, instead of their own servers. Set by `npm start` alone.',
  ),
  METRICS_TOKEN: OwnToken.optional().describe(
    'Bearer token with which Prometheus fetches /metrics. Without it the path answers 404.',
  ),
  LOG_FORMAT: oneOf(['json', 'pretty']).default('json').describe('`json` for programs, `pretty` for people.'),
  JOB_CONCURRENCY: count(1, 100)
    .default(10)
    .describe('Jobs that one process runs at the same time, of one account half of them.'),
  ASSETS_DIR: Folder.default('dist/assets').describe('Folder of the static files, which the build writes.'),
  OBJECTS_DIR: Folder.optional().describe('Folder for uploads, if they are not stored in S3.'),
  S3_ENDPOINT: Url.optional().describe('Address of an S3-compatible store for uploads.'),
  S3_BUCKET: Name.optional().describe('Name of the bucket.'),
  S3_REGION: Name.default('us-east-1').describe('Region of the bucket.'),
  S3_ACCESS_KEY_ID: Token.optional().describe('Access key id of the store.'),
  S3_SECRET_ACCESS_KEY: Token.optional().describe('Secret access key of the store.'),
  SHUTDOWN_TIMEOUT_MS: count(100, 600_000)
    .default(20_000)
    .describe('How long a stop waits for requests, streams and jobs, in milliseconds.'),
}

export type NodeConfig = Config & z.infer<z.ZodObject<typeof nodeSettings>>

const s3Names = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const
const qstashNames = ['QSTASH_TOKEN', 'QSTASH_CURRENT_SIGNING_KEY', 'QSTASH_NEXT_SIGNING_KEY'] as const

/**
 * Parse the settings of Node. Throw one error that names every missing or wrong setting, without any value.
 */
export function parseNodeConfig(env: Record<string, unknown>): NodeConfig {
  return parseSettings({ ...settings, ...nodeSettings }, { ...env, ...findMissing(env) })
}

/**
 * Return an invalid value for each setting that another one makes necessary: a place for uploads must be
 * named, and the settings of S3 and of QStash come together.
 */
function findMissing(env: Record<string, unknown>): Record<string, null> {
  const names: string[] = []
  const isSet = (name: string) => env[name] !== undefined && env[name] !== ''
  for (const group of [s3Names, qstashNames])
    if (group.some(isSet)) names.push(...group.filter((name) => !isSet(name)))
  if (!isSet('OBJECTS_DIR') && !s3Names.some(isSet)) names.push('OBJECTS_DIR')
  return Object.fromEntries(names.map((name) => [name, null]))
}
