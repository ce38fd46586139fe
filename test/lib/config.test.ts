import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type * as z from 'zod'
import { settings } from '#config.ts'
import { root } from '#local/root.ts'
import { cloudflareSettings, parseCloudflareConfig } from '#platform/cloudflare/settings.ts'
import { nodeSettings, parseNodeConfig } from '#platform/node/settings.ts'
import { sampleSettings } from '#test/support/settings.ts'

const readme = join(root, 'functions/README.md')

const groups: Record<string, Record<string, z.ZodType>> = {
  settings,
  'settings-cloudflare': cloudflareSettings,
  'settings-node': nodeSettings,
}

/** Return a settings table of functions/README.md. Run with UPDATE=1 to write them. */
function settingsTable(name: string, shape: Record<string, z.ZodType>): string {
  const rows = Object.entries(shape).map(([setting, schema]) => {
    const fallback = schema.safeParse(undefined)
    const hasNoDefault = fallback.data === undefined || JSON.stringify(fallback.data) === '[]'
    const isObject = typeof fallback.data === 'object' && !Array.isArray(fallback.data)
    const defaultValue = hasNoDefault
      ? 'none'
      : `\`${isObject ? JSON.stringify(fallback.data) : fallback.data}\``
    return `| \`${setting}\` | ${schema.description ?? ''} | ${fallback.success ? defaultValue : '**required**'} |`
  })
  return [
    `<!-- ${name} -->`,
    '| setting | what it is | default |',
    '|---|---|---|',
    ...rows,
    `<!-- /${name} -->`,
  ].join('\n')
}

it.each(Object.entries(groups))(
  'describes every setting of the group %s in functions/README.md',
  async (name, shape) => {
    const text = await readFile(readme, 'utf8')
    if (process.env.UPDATE)
      await writeFile(
        readme,
        text.replace(new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`), () =>
          settingsTable(name, shape),
        ),
      )
    expect(await readFile(readme, 'utf8')).toContain(settingsTable(name, shape))
    for (const schema of Object.values(shape)) expect(schema.description).toBeTruthy()
  },
)

it.each([
  ['Cloudflare', parseCloudflareConfig, { ...settings, ...cloudflareSettings }],
  ['Node', parseNodeConfig, { ...settings, ...nodeSettings }],
] as const)(
  'on %s, reports every missing or invalid setting, but not its value',
  (_platform, parseConfig, shape) => {
    const parse = () => parseConfig({ JWT_KEYS: 'secret-value', PUBLIC_BASE_URL: 'secret-value' })
    const required = Object.entries(shape).filter(([, schema]) => !schema.safeParse(undefined).success)
    expect(required.length).toBeGreaterThan(5)
    for (const [name] of required) expect(parse).toThrow(new RegExp(`\\b${name}: `))
    expect(parse).not.toThrow(/secret-value/)
  },
)

it.each([
  ['authorization=Bearer%20a%3Db, x-team = ops', { authorization: 'Bearer a=b', 'x-team': 'ops' }],
  ['', {}],
])('OBS-08 reads the headers of the receiver of spans from %j', (text, headers) => {
  expect(
    parseNodeConfig({ ...sampleSettings, OBJECTS_DIR: 'x', OTEL_EXPORTER_OTLP_HEADERS: text })
      .OTEL_EXPORTER_OTLP_HEADERS,
  ).toEqual(headers)
})

it.each(['secret-value', '=secret-value', 'name=%E0%A4%A', 'na me=secret-value'])(
  'OBS-09 refuses headers of the receiver of spans that are not valid, without their value: %s',
  (text) => {
    const parse = () =>
      parseNodeConfig({ ...sampleSettings, OBJECTS_DIR: 'x', OTEL_EXPORTER_OTLP_HEADERS: text })
    expect(parse).toThrow('OTEL_EXPORTER_OTLP_HEADERS: must be name=value pairs')
    expect(parse).not.toThrow('secret-value')
  },
)

const key = (length: number) => JSON.stringify([{ kid: 'k', secret: 's'.repeat(length) }])
const vaultKey = (changes: object) => JSON.stringify([{ version: 1, key: `${'A'.repeat(43)}=`, ...changes }])
const recordKeys = (changes: object, ...others: object[]) =>
  JSON.stringify([{ kid: 'k', key: `${'A'.repeat(43)}=`, ...changes }, ...others])
const node = (changes: Record<string, string | undefined>) =>
  parseNodeConfig({ ...sampleSettings, OBJECTS_DIR: 'x', ...changes })
const qstash = { QSTASH_TOKEN: 't', QSTASH_CURRENT_SIGNING_KEY: 'a', QSTASH_NEXT_SIGNING_KEY: 'b' }

it.each<[string, string | undefined, unknown]>([
  ['REDIS_TIMEOUT_MS', undefined, 250],
  ['REDIS_TIMEOUT_MS', '50', 50],
  ['REDIS_TIMEOUT_MS', '10000', 10_000],
  ['UPLOAD_TIMEOUT_MS', '50', 50],
  ['UPLOAD_TIMEOUT_MS', '30000', 30_000],
  ['UPLOAD_TIMEOUT_MS', undefined, 10_000],
  ['READY_TOKEN', 't'.repeat(20), 't'.repeat(20)],
  ['READY_CACHE_MS', '0', 0],
  ['READY_CACHE_MS', '60000', 60_000],
  ['OTEL_TRACES_SAMPLER_ARG', '0', 0],
  ['OTEL_TRACES_SAMPLER_ARG', undefined, 1],
  ['STREAM_HEARTBEAT_MS', '100', 100],
  ['STREAM_HEARTBEAT_MS', '60000', 60_000],
  ['MAIL_CALLS_PER_SECOND', '0.5', 0.5],
  ['MAIL_CALLS_PER_SECOND', '1000', 1000],
  ['OUTBOUND_PORTS', '1, 65535', [1, 65_535]],
  ['CORS_ORIGINS', 'https://a.example,, https://b.example', ['https://a.example', 'https://b.example']],
  ['PUBLIC_BASE_URL', 'https://api.example/', 'https://api.example'],
  ['CORS_ORIGINS', 'https://App.example/, http://localhost:80', ['https://app.example', 'http://localhost']],
  ['CORS_ORIGINS', 'http://localhost:*,http://127.0.0.1:*', ['http://localhost:*', 'http://127.0.0.1:*']],
  ['MAIL_FROM', 'Support Flow <mail@flow.example>', 'Support Flow <mail@flow.example>'],
  ['MAIL_FROM', 'mail@flow.example', 'mail@flow.example'],
  ['PORT', '', 8787],
  ['OTEL_TRACES_SAMPLER_ARG', '', 1],
  ['OUTBOUND_PORTS', '', [443]],
  ['ANALYTICS_KEY', '', undefined],
  ['STRIPE_SECRET_KEY', '', undefined],
  ['STRIPE_SECRET_KEY', 'k', 'k'],
  ['SUPER_ADMIN_MFA', 'false', false],
  ['SUPER_ADMIN_MFA', undefined, true],
  ['SELF_SERVE_ENABLED', undefined, true],
  ['INVITE_REQUIRED', undefined, false],
  ['INVITE_REQUIRED', 'true', true],
  ['CHECK_RESPONSES', undefined, false],
  ['JWT_KEYS', key(32), [{ kid: 'k', secret: 's'.repeat(32) }]],
  ['CREDENTIALS_KEY', vaultKey({}), [{ version: 1, key: `${'A'.repeat(43)}=` }]],
  ['RECORD_KEYS', recordKeys({}), [{ kid: 'k', key: `${'A'.repeat(43)}=` }]],
  [
    'RECORD_KEYS',
    recordKeys({}, { kid: 'j', x: 'A'.repeat(43) }),
    expect.arrayContaining([{ kid: 'j', x: 'A'.repeat(43) }]),
  ],
  ['PORT', '0', 0],
  ['PORT', '65535', 65_535],
  ['DATABASE_CONNECTIONS', '2', 2],
  ['DATABASE_CONNECTIONS', '500', 500],
  ['JOB_CONCURRENCY', '1', 1],
  ['JOB_CONCURRENCY', '100', 100],
  ['METRICS_TOKEN', 't'.repeat(20), 't'.repeat(20)],
  ['SHUTDOWN_TIMEOUT_MS', '100', 100],
  ['SHUTDOWN_TIMEOUT_MS', '600000', 600_000],
  ['CLIENT_ADDRESS_HEADER', 'X-Real-IP', 'x-real-ip'],
  ['REDIS_URL', 'rediss://r.example', 'rediss://r.example'],
])('OBS-15 reads %s from %j as %j', (name, text, value) => {
  expect(node({ [name]: text })[name as 'PORT']).toEqual(value)
})

it.each([
  ['REDIS_TIMEOUT_MS', '49'],
  ['REDIS_TIMEOUT_MS', '10001'],
  ['REDIS_TIMEOUT_MS', '250.5'],
  ['UPLOAD_TIMEOUT_MS', '49'],
  ['UPLOAD_TIMEOUT_MS', '30001'],
  ['READY_TOKEN', 't'.repeat(19)],
  ['READY_CACHE_MS', '-1'],
  ['READY_CACHE_MS', '60001'],
  ['OTEL_TRACES_SAMPLER_ARG', '-0.1'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
  ['STREAM_HEARTBEAT_MS', '99'],
  ['STREAM_HEARTBEAT_MS', '60001'],
  ['MAIL_CALLS_PER_SECOND', '0'],
  ['MAIL_CALLS_PER_SECOND', '1001'],
  ['OUTBOUND_PORTS', '0'],
  ['OUTBOUND_PORTS', '65536'],
  ['CORS_ORIGINS', 'https://app.example/path'],
  ['CORS_ORIGINS', 'https://app.example?x=1'],
  ['CORS_ORIGINS', 'app.example'],
  ['CORS_ORIGINS', 'https://app.example:*'],
  ['CORS_ORIGINS', '*'],
  ['OPENAI_BASE_URL', 'ftp://api.example'],
  ['AI_FALLBACK_BASE_URL', 'ftp://api.example'],
  ['RESEND_BASE_URL', 'javascript:alert(1)'],
  ['MAIL_FROM', 'Support Flow'],
  ['MAIL_FROM', 'Support <support>'],
  ['MAIL_FROM', ''],
  ['JWT_KEYS', key(31)],
  ['JWT_KEYS', '[]'],
  ['JWT_KEYS', JSON.stringify(Array(3).fill({ kid: 'k', secret: 's'.repeat(32) }))],
  ['JWT_KEYS', JSON.stringify([{ kid: '', secret: 's'.repeat(32) }])],
  ['CREDENTIALS_KEY', '[]'],
  ['CREDENTIALS_KEY', vaultKey({ version: 0 })],
  ['CREDENTIALS_KEY', vaultKey({ key: `${'A'.repeat(42)}=` })],
  ['RECORD_KEYS', '[]'],
  ['RECORD_KEYS', recordKeys({ key: `${'A'.repeat(42)}=` })],
  ['RECORD_KEYS', recordKeys({}, { kid: 'k', x: 'A'.repeat(43) })],
  ['RECORD_KEYS', JSON.stringify([{ kid: 'k', x: 'A'.repeat(43) }])],
  ['PORT', '65536'],
  ['DATABASE_CONNECTIONS', '1'],
  ['DATABASE_CONNECTIONS', '501'],
  ['JOB_CONCURRENCY', '0'],
  ['JOB_CONCURRENCY', '101'],
  ['METRICS_TOKEN', 't'.repeat(19)],
  ['SHUTDOWN_TIMEOUT_MS', '99'],
  ['SHUTDOWN_TIMEOUT_MS', '600001'],
  ['REDIS_URL', 'http://r.example'],
  ['OBJECTS_DIR', ''],
])('refuses %s as %j', (name, text) =>
  expect(() => node({ [name]: text })).toThrow(new RegExp(`^The configuration is invalid. ${name}`)),
)

it.each([
  [{ S3_BUCKET: 'b' }, ['S3_ENDPOINT', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']],
  [{ ...qstash, QSTASH_TOKEN: '' }, ['QSTASH_TOKEN']],
  [{ ...qstash, QSTASH_NEXT_SIGNING_KEY: undefined }, ['QSTASH_NEXT_SIGNING_KEY']],
  [{ OBJECTS_DIR: undefined }, ['OBJECTS_DIR']],
  [{ OBJECTS_DIR: 'x', AI_FALLBACK_API_KEY: 'k' }, ['AI_FALLBACK_MODEL']],
])('with %j misses %j', (changes, names) => {
  const without = {
    S3_ENDPOINT: undefined,
    S3_BUCKET: undefined,
    S3_ACCESS_KEY_ID: undefined,
    S3_SECRET_ACCESS_KEY: undefined,
  }
  const noQueue = {
    QSTASH_TOKEN: undefined,
    QSTASH_CURRENT_SIGNING_KEY: undefined,
    QSTASH_NEXT_SIGNING_KEY: undefined,
  }
  const message = `The configuration is invalid. ${names.map((name) => `${name}: is missing`).join('; ')}`
  expect(() => node({ ...without, ...noQueue, ...changes })).toThrow(new Error(message))
})
