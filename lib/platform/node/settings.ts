import * as z from 'zod'
import { CommaList, type Config, parseSettings, settings, Url } from '#config.ts'

const count = (least: number, most: number) => z.coerce.number().int().min(least).max(most)

/** A password is sent over TLS only. */
const SmtpUrl = z
  .url({ protocol: /^smtps?$/, error: 'must be smtp://… or smtps://…' })
  .refine(
    (text) => !(new URL(text).username && new URL(text).searchParams.get('tls') === 'off'),
    'must not have a password without TLS',
  )

/** The settings that only Node needs. */
export const nodeSettings = {
  PORT: count(0, 65_535).default(8787).describe('Port to listen on. 0 uses any free port.'),
  HOST: z.string().min(1).default('0.0.0.0').describe('Address to listen on.'),
  TRUSTED_PROXIES: CommaList.default([]).describe(
    'Addresses or CIDR ranges of reverse proxies, separated by commas. Only their CLIENT_ADDRESS_HEADER is believed.',
  ),
  CLIENT_ADDRESS_HEADER: z
    .string()
    .toLowerCase()
    .default('x-forwarded-for')
    .describe("Header in which the proxies name the client's address."),
  DATABASE_CONNECTIONS: count(2, 500).default(10).describe('Connections to PostgreSQL per role and process.'),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe(
      'Redis for rate limits, the cache and live events. Without it they stay in the memory of this process, so run one process only.',
    ),
  QSTASH_TOKEN: z
    .string()
    .min(1)
    .optional()
    .describe('Token of QStash, to use it as the queue. Without it, jobs are stored in PostgreSQL.'),
  QSTASH_URL: Url.default('https://qstash.upstash.io').describe('Address of QStash.'),
  QSTASH_CURRENT_SIGNING_KEY: z.string().min(1).optional().describe('Key that verifies jobs of QStash.'),
  QSTASH_NEXT_SIGNING_KEY: z
    .string()
    .min(1)
    .optional()
    .describe('Second key that verifies jobs of QStash, for rotation.'),
  SMTP_URL: SmtpUrl.optional().describe(
    'Mail server, used instead of Resend: `smtps://user:password@host:465`, or `smtp://…:587` with STARTTLS, or `smtp://host:25?tls=off` for a relay in your own network. Encode the user and the password like a URL.',
  ),
  CERTIFICATE_PROBE: z
    .string()
    .regex(/^[\w.-]+:\d{1,5}$/)
    .optional()
    .describe(
      'Where the certificates of all domains are read, as `host:port`, instead of their own servers. Set by `npm start` alone.',
    ),
  METRICS_TOKEN: z
    .string()
    .min(20)
    .optional()
    .describe('Bearer token with which Prometheus fetches /metrics. Without it the path answers 404.'),
  LOG_FORMAT: z
    .enum(['json', 'pretty'])
    .default('json')
    .describe('`json` for programs, `pretty` for people.'),
  JOB_CONCURRENCY: count(1, 100).default(10).describe('Jobs that one process runs at the same time.'),
  ASSETS_DIR: z
    .string()
    .min(1)
    .default('dist/assets')
    .describe('Folder of the static files that `npm run build` writes.'),
  OBJECTS_DIR: z.string().min(1).optional().describe('Folder for uploads, if they are not stored in S3.'),
  S3_ENDPOINT: z.url().optional().describe('Address of an S3-compatible store for uploads.'),
  S3_BUCKET: z.string().min(1).optional().describe('Name of the bucket.'),
  S3_REGION: z.string().min(1).default('us-east-1').describe('Region of the bucket.'),
  S3_ACCESS_KEY_ID: z.string().min(1).optional().describe('Access key id of the store.'),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional().describe('Secret access key of the store.'),
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
