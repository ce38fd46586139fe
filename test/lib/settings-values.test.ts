import { describe, expect, it } from 'vitest'
import { parseOwnerUrl, settings } from '#config.ts'
import { createLocalSettings } from '#local/settings.ts'
import { cloudflareSettings, parseCloudflareConfig } from '#platform/cloudflare/settings.ts'
import { nodeSettings, parseNodeConfig } from '#platform/node/settings.ts'
import { sampleSettings } from '#test/support/settings.ts'

const worker = createLocalSettings('cloudflare', {
  api: 'http://127.0.0.1:1',
  localServer: { port: 1, origin: 'http://127.0.0.1:1' },
  database: 'none',
  databasePort: 1,
})
const s3 = {
  S3_ENDPOINT: 'https://s3.example.com',
  S3_BUCKET: 'uploads',
  S3_ACCESS_KEY_ID: 'id-1',
  S3_SECRET_ACCESS_KEY: 'secret-1',
}
const url = 'https://receiver.example.com'
const key = 'key-of-somebody-0123456789'
/** A valid value of each setting that the sample lacks. */
const validValues: Record<string, string> = {
  ...worker,
  ...sampleSettings,
  ...s3,
  REDIS_TIMEOUT_MS: '250',
  UPLOAD_TIMEOUT_MS: '10000',
  READY_CACHE_MS: '5000',
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-team=ops',
  OTEL_TRACES_SAMPLER_ARG: '0.5',
  OTEL_SERVICE_NAME: 'support',
  OTEL_RESOURCE_ATTRIBUTES: 'service.namespace=desk',
  STREAM_HEARTBEAT_MS: '25000',
  MAIL_CALLS_PER_SECOND: '4',
  MAIL_REPLY_TO: 'support@example.com',
  AI_FALLBACK_API_KEY: key,
  AI_FALLBACK_BASE_URL: url,
  AI_FALLBACK_MODEL: 'model-2',
  AI_EMBEDDING_MODEL: 'embedding-1',
  AI_PRICES: '{"*":{"input":1,"output":2}}',
  AI_UNPAID_DAILY_BUDGET: '50',
  AI_REDACTION: 'all',
  OUTBOUND_PORTS: '443',
  JWT_ISSUER: url,
  JWT_AUDIENCE: url,
  PASSKEY_RP_ID: 'example.com',
  SELF_SERVE_ENABLED: 'true',
  INVITE_REQUIRED: 'true',
  PORT: '8787',
  HOST: '127.0.0.1',
  DATABASE_CONNECTIONS: '10',
  REDIS_URL: 'redis://redis.example.com',
  SMTP_URL: 'smtps://u:p@mail.example.com',
  LOG_FORMAT: 'json',
  JOB_CONCURRENCY: '10',
  ASSETS_DIR: 'dist/assets',
  OBJECTS_DIR: 'objects',
  S3_REGION: 'us-east-1',
}

/** What files of settings, shells, templates and tired people write, made from a valid value. */
const wrongValues: Record<string, (valid: string) => string> = {
  empty: () => '',
  blank: () => '   ',
  'another type': () => '{"a":"b"}',
  'without a scheme': () => 'mail.example.com',
  'wrong scheme': () => 'gopher://mail.example.com',
  'trailing quote': (valid) => `${valid}"`,
  newline: (valid) => `${valid}\n`,
  'too long': (valid) => valid + 'x'.repeat(20_000),
  'an example': () => 'postgres://app_runtime:pw@ep-name-pooler.eu-central-1.aws.neon.tech/neondb',
  undefined: () => 'undefined',
  null: () => 'null',
  '0x10': () => '0x10',
  '1e3': () => '1e3',
  NaN: () => 'NaN',
  negative: () => '-1',
  several: (valid) => `${valid},${valid}`,
  'user only': () => 'postgres://app_runtime@',
  'digits of another script': () => '١٢٣',
  'trailing blank': (valid) => `${valid} `,
  'path of a file': () => '/run/secrets/value',
}

// What no schema can judge: only its maker knows whether a key is right.
const fitsKeys = ['without a scheme', 'wrong scheme', '0x10', '1e3', 'negative', 'user only']
const fitsNames = [...fitsKeys, 'digits of another script']
/** The wrong values that a setting must take, by the setting. */
const fits: Record<string, readonly string[]> = {
  ...Object.fromEntries(
    [
      ...['RESEND_API_KEY', 'RESEND_WEBHOOK_SECRET', 'ANALYTICS_KEY', 'STRIPE_SECRET_KEY'],
      ...['STRIPE_WEBHOOK_SECRET', 'OPENAI_API_KEY', 'AI_FALLBACK_API_KEY', 'GOOGLE_CLIENT_ID'],
      ...['GOOGLE_CLIENT_SECRET', 'MICROSOFT_CLIENT_ID', 'MICROSOFT_CLIENT_SECRET'],
      ...['UPSTASH_REDIS_REST_TOKEN', 'QSTASH_TOKEN', 'QSTASH_CURRENT_SIGNING_KEY'],
      ...['QSTASH_NEXT_SIGNING_KEY', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
    ].map((name) => [name, fitsKeys]),
  ),
  ...Object.fromEntries(
    [
      ...['VERSION', 'OPENAI_MODEL', 'AI_FALLBACK_MODEL', 'AI_EMBEDDING_MODEL', 'JWT_ISSUER'],
      ...['JWT_AUDIENCE', 'S3_BUCKET', 'S3_REGION', 'OTEL_SERVICE_NAME'],
    ].map((name) => [name, fitsNames]),
  ),
  READY_TOKEN: ['wrong scheme', 'user only'],
  METRICS_TOKEN: ['wrong scheme', 'user only'],
  CORS_ORIGINS: ['several'],
  OUTBOUND_PORTS: ['several'],
  TRUSTED_PROXIES: ['several'],
  OTEL_EXPORTER_OTLP_HEADERS: ['several'],
  OTEL_RESOURCE_ATTRIBUTES: ['several'],
  PASSKEY_RP_ID: ['without a scheme', '0x10', '1e3'],
  HOST: ['without a scheme', '0x10', '1e3'],
  ASSETS_DIR: ['without a scheme', 'digits of another script', 'path of a file'],
  OBJECTS_DIR: ['without a scheme', 'digits of another script', 'path of a file'],
}

const platforms = [
  ['Node', { ...settings, ...nodeSettings }, sampleSettings, parseNodeConfig],
  ['a Worker', { ...settings, ...cloudflareSettings }, worker, parseCloudflareConfig],
] as const

describe.each(platforms)('a wrong setting of %s', (_, shape, sample, parse) => {
  const base: Record<string, string> = { OBJECTS_DIR: 'objects', ...sample }
  /** Return the message of the refusal; null when the value is taken. */
  function refuse(name: string, value: string): string | null {
    const beside = name.startsWith('S3_')
      ? s3
      : name === 'AI_FALLBACK_MODEL'
        ? { AI_FALLBACK_API_KEY: key }
        : {}
    try {
      parse({
        ...base,
        ...beside,
        ...(name === 'AI_FALLBACK_API_KEY' ? { AI_FALLBACK_MODEL: 'm' } : {}),
        [name]: value,
      })
      return null
    } catch (error) {
      return (error as Error).message
    }
  }

  it.each(Object.keys(shape))('OPS-12 %s ends in one sentence with its name and the remedy', (name) => {
    const valid = validValues[name] ?? ''
    expect([name, valid !== '', refuse(name, valid)]).toEqual([name, true, null])
    const wrong = Object.entries(wrongValues).flatMap(([kind, change]) => {
      const value = change(valid)
      const message = refuse(name, value)
      if (message === null) return value === '' || fits[name]?.includes(kind) ? [] : [`${kind}: is taken`]
      if (fits[name]?.includes(kind)) return [`${kind}: is refused: ${message}`]
      const isSentence =
        message.startsWith(`The configuration is invalid. ${name}: `) &&
        /: (?:is missing$|is (?:blank:|still|the) |must .{10,}$)/.test(message) &&
        !/\n|Invalid|Too |expected|received|; \w+:/.test(message) &&
        message.length < 400
      return isSentence ? [] : [`${kind}: ${message}`]
    })
    expect(wrong).toEqual([])
  })
})

it('OPS-12 the owner of the database does not connect through the pooler of Neon', () => {
  const read = (host: string) =>
    parseOwnerUrl({ DATABASE_OWNER_URL: `postgres://owner:pw@${host}.eu-central-1.aws.neon.tech/neondb` })
  expect(() => read('ep-cool-moon-123456-pooler')).toThrow(
    /DATABASE_OWNER_URL: .* remove `-pooler` from its host/,
  )
  expect(read('ep-cool-moon-123456')).toContain('ep-cool-moon-123456.eu')
})
