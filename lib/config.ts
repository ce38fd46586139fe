import * as z from 'zod'
import { defaultPrices, PriceTable } from './rules/ai/prices.ts'
import { redactionLevels } from './rules/masking/levels.ts'
import {
  count,
  Domain,
  Email,
  Flag,
  findSlip,
  Name,
  numberBetween,
  OwnToken,
  oneOf,
  Password,
  PostgresUrl,
  Token,
  Url,
} from './rules/settings/values.ts'
import { requireDecimals } from './rules/text/decimal.ts'

/**
 * The version of this code. A test holds it to package.json, which the Worker's bundle should not contain.
 */
export const version = '1.0.0'

/** A list of keys as JSON. A wrong one is told without a part of it, which could be a key. */
function parseKeys<Schema extends z.ZodType>(schema: Schema, message: string) {
  return z.string().transform((text, ctx): z.output<Schema> => {
    try {
      return schema.parse(JSON.parse(text))
    } catch {
      ctx.addIssue({ code: 'custom', message })
      return z.NEVER
    }
  })
}
const Keys = parseKeys(
  z
    .array(z.strictObject({ kid: z.string().min(1), secret: z.string().min(32) }))
    .min(1)
    .max(2),
  'must be a JSON list of one or two {kid, secret}, secrets of 32 characters or more',
)
/** Each key is 32 bytes. */
const Key = z.string().regex(/^[A-Za-z0-9+/]{43}=$/)
const VaultKeys = parseKeys(
  z.array(z.strictObject({ version: z.int().min(1), key: Key })).min(1),
  'must be a JSON list of {version, key}, each key 32 bytes in base64',
)
const KeyId = z.string().min(1).max(100)
/** The first key signs. A key without its secret half is only published. */
const RecordKeys = parseKeys(
  z
    .tuple(
      [z.strictObject({ kid: KeyId, key: Key })],
      z.union([
        z.strictObject({ kid: KeyId, key: Key }),
        z.strictObject({ kid: KeyId, x: z.string().regex(/^[\w-]{43}$/) }),
      ]),
    )
    .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length),
  'must be a JSON list of {kid, key}, each key 32 bytes in base64, with a kid of its own; earlier ones may be {kid, x} with the public key',
)
/** Texts separated by commas. */
export const CommaList = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)
/** Port numbers separated by commas. */
const portsMessage = 'must be port numbers from 1 to 65535, separated by commas, such as `443,8443`'
const Port = z
  .string()
  .regex(/^\d{1,5}$/, portsMessage)
  .transform(Number)
  .pipe(z.int().min(1, portsMessage).max(65_535, portsMessage))
const Ports = CommaList.pipe(z.array(Port).min(1, portsMessage))

/**
 * What browsers send as `Origin`: a scheme, a host and a port. On a developer's machine the port may be any.
 */
const originsMessage =
  'must be origins without a path, separated by commas, such as `https://app.example.com`'
const AnyLocalPort = z.string().regex(/^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]):\*$/, originsMessage)
const Origins = CommaList.pipe(
  z.array(
    z.union([AnyLocalPort, Url], { error: originsMessage }).transform((text, ctx) => {
      if (text.endsWith(':*')) return text
      const url = URL.parse(text)
      if (url?.href === `${url?.origin}/`) return url?.origin ?? ''
      ctx.addIssue({ code: 'custom', message: originsMessage })
      return z.NEVER
    }),
  ),
)
/** `Name <address>`, or an address alone. */
const Sender = z
  .string()
  .regex(
    /^(?:[^<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
    'must be one address, or `Name <address>`, such as `Support <support@example.com>`',
  )

/**
 * A parser of `name=value` pairs, as OpenTelemetry writes headers and attributes:
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/#specifying-headers-via-environment-variables
 */
const namePairs = (read: (pairs: [string, string][]) => Record<string, string>) =>
  z.string().transform((text, ctx) => {
    const pairs = text.split(',').filter((pair) => pair.trim())
    try {
      return read(pairs.map((pair) => readPair(pair)))
    } catch {
      ctx.addIssue({
        code: 'custom',
        message: 'must be name=value pairs, separated by commas, with URL-encoded values',
      })
      return z.NEVER
    }
  })
function readPair(pair: string): [name: string, value: string] {
  const separator = pair.indexOf('=')
  if (separator < 1) throw new TypeError('The name has no value')
  return [pair.slice(0, separator).trim(), decodeURIComponent(pair.slice(separator + 1).trim())]
}

const Settings = z.object({
  VERSION: Name.default(version).describe('Version that /health shows, if not that of the code.'),
  PUBLIC_BASE_URL: Url.describe('Public address of this service.'),
  FRONTEND_URL: Url.describe('Address of the frontend, for links in mails and messages.'),
  CORS_ORIGINS: Origins.default([]).describe(
    'Origins that may call from a browser, separated by commas. `http://localhost:*` allows each port of this machine.',
  ),
  DATABASE_URL: PostgresUrl.describe('Connection string of the role app_runtime.'),
  DATABASE_PLATFORM_URL: PostgresUrl.describe('Connection string of the role app_platform.'),
  REDIS_TIMEOUT_MS: count(50, 10_000)
    .default(250)
    .describe(
      'Time-out of a call to Redis, in milliseconds. A call that opens a connection may take four times as long.',
    ),
  UPLOAD_TIMEOUT_MS: count(50, 30_000)
    .default(10_000)
    .describe('Time-out of a call to the object store or the image decoder, in milliseconds.'),
  READY_TOKEN: OwnToken.optional().describe(
    'Bearer token with which /ready names each dependency. Other callers only see the status.',
  ),
  READY_CACHE_MS: count(0, 60_000)
    .default(5000)
    .describe('How long /ready repeats its result, in milliseconds.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: Url.optional().describe(
    'Receiver of OpenTelemetry spans (OTLP over HTTP, JSON), without /v1/traces. No spans if unset.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: namePairs((pairs) => Object.fromEntries(new Headers(pairs)))
    .default({})
    .describe('Headers of the calls to it, as `name=value`, separated by commas; values are URL-encoded.'),
  OTEL_TRACES_SAMPLER_ARG: numberBetween(0, 1)
    .default(1)
    .describe('Share of the traces whose spans are sent, from 0 to 1 (the sampler is `traceidratio`).'),
  OTEL_SERVICE_NAME: Name.default('support-flow-service').describe('Name of this service in its spans.'),
  OTEL_RESOURCE_ATTRIBUTES: namePairs(Object.fromEntries)
    .default({})
    .describe(
      'More attributes of its spans, such as `deployment.environment.name=production`, written like the headers.',
    ),
  STREAM_HEARTBEAT_MS: count(100, 60_000)
    .default(25_000)
    .describe(
      'Heartbeat interval of the escalation stream, in milliseconds. Each heartbeat also closes streams whose sign-in has ended; sockets are checked every 12 intervals.',
    ),
  RESEND_API_KEY: Token.optional().describe(
    'Key of the mail provider. Without a provider, operations that need an e-mail answer 503.',
  ),
  RESEND_BASE_URL: Url.default('https://api.resend.com').describe('Address of the mail provider.'),
  RESEND_WEBHOOK_SECRET: Token.optional().describe(
    'Secret that verifies the events of the mail provider. Without it they are answered with 503.',
  ),
  MAIL_CALLS_PER_SECOND: numberBetween(0.01, 1000)
    .default(4)
    .describe(
      'Calls to the mail provider per second, of all processes together. Resend allows 5; each sends up to 100 mails.',
    ),
  MAIL_FROM: Sender.optional().describe(
    'Sender of every mail, as `Name <address>`. Required with a mail provider.',
  ),
  MAIL_REPLY_TO: Email.optional().describe(
    'Where answers to mails go, such as the address of your support. If unset, they go to the sender.',
  ),
  VAPID_PRIVATE_KEY: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url, as `npm run init` writes them')
    .optional()
    .describe(
      'Private key of P-256 that signs notifications in browsers (Web Push), 32 bytes in base64url. Without it these operations answer 503. Another key ends every subscription.',
    ),
  SALES_EMAIL: Email.optional().describe('Receives a mail per sales lead. If unset, leads are only stored.'),
  FEEDBACK_EMAIL: Email.optional().describe(
    'Receives a mail per feedback. If unset, only the author gets one.',
  ),
  ANALYTICS_URL: Url.optional().describe(
    'Address of PostHog or a compatible service. Analytics are off if it or the key is unset.',
  ),
  ANALYTICS_KEY: Token.optional().describe('Project key of PostHog.'),
  STRIPE_SECRET_KEY: Token.optional().describe(
    'Key of Stripe. Without it the portal and the webhook answer 503.',
  ),
  STRIPE_WEBHOOK_SECRET: Token.optional().describe("Secret that verifies Stripe's events."),
  STRIPE_BASE_URL: Url.default('https://api.stripe.com').describe('Address of Stripe.'),
  OPENAI_API_KEY: Token.optional().describe(
    'Key of the AI provider. Without it, operations that need AI answer 503.',
  ),
  OPENAI_BASE_URL: Url.default('https://api.openai.com/v1').describe(
    'Address of the AI provider, or of a compatible server such as Azure OpenAI, Ollama, vLLM, llama.cpp, LiteLLM or Gemini.',
  ),
  OPENAI_MODEL: Name.default('gpt-6.1-terra').describe('Model name. The model must accept images.'),
  AI_FALLBACK_API_KEY: Token.optional().describe(
    'Key of a second AI provider, which answers while the first one fails. Without it there is none.',
  ),
  AI_FALLBACK_BASE_URL: Url.default('https://api.openai.com/v1').describe(
    'Address of the second AI provider.',
  ),
  AI_FALLBACK_MODEL: Name.optional().describe(
    'Model of the second AI provider. Required with its key; its price is in AI_PRICES.',
  ),
  AI_EMBEDDING_MODEL: Name.optional().describe(
    'Model of the AI provider that embeds texts, so that sources are also found by meaning. Its price is in AI_PRICES. If unset, by words alone.',
  ),
  AI_PRICES: PriceTable.default(defaultPrices).describe(
    'Dollars per million tokens by model, as JSON; `*` for every other model.',
  ),
  AI_UNPAID_DAILY_BUDGET: numberBetween(0, 1_000_000)
    .default(50)
    .describe(
      'Dollars that all accounts on trial or without a subscription together may spend on AI per day (UTC).',
    ),
  AI_REDACTION: oneOf(redactionLevels)
    .default('secrets')
    .describe(
      'What is masked before texts are sent to the model: `secrets`, `all` (also addresses and paths) or `none`.',
    ),
  DNS_URL: Url.default('https://cloudflare-dns.com/dns-query').describe(
    'DNS over HTTPS, to check the addresses of webhooks.',
  ),
  OUTBOUND_PORTS: Ports.default([443]).describe(
    'Ports of webhooks and ticketing systems, separated by commas.',
  ),
  OUTBOUND_ALLOWED_ORIGIN: Url.optional().describe(
    'The only http origin that webhooks may call. Set by `npm start` alone.',
  ),
  JWT_KEYS: Keys.describe(
    'Keys of access tokens, a JSON list of {kid, secret}. The first signs, all verify.',
  ),
  JWT_ISSUER: Name.optional().describe(
    '`iss` of the tokens that this service signs and accepts. PUBLIC_BASE_URL if unset.',
  ),
  JWT_AUDIENCE: Name.optional().describe('`aud` of access tokens. PUBLIC_BASE_URL/api/v1 if unset.'),
  CREDENTIALS_KEY: VaultKeys.describe(
    'Keys that encrypt stored secrets, a JSON list of {version, key}. The first encrypts, all decrypt.',
  ),
  RECORD_KEYS: RecordKeys.describe(
    'Keys that sign records and archives, a JSON list of {kid, key}. The first signs. Earlier ones stay as {kid, x}, so that what they signed can be verified.',
  ),
  SUPER_ADMIN_MFA: Flag.default(true).describe('Whether super admins must have a second factor.'),
  PASSKEY_RP_ID: Domain.optional().describe(
    'Domain that passkeys belong to. Host name of FRONTEND_URL if unset.',
  ),
  SELF_SERVE_ENABLED: Flag.default(true).describe(
    'Whether anyone may register without an invite code. Off, it needs INVITE_REQUIRED to have an effect.',
  ),
  INVITE_REQUIRED: Flag.default(false).describe(
    'Whether registration needs a platform invite code when self-serve is off.',
  ),
  GOOGLE_CLIENT_ID: Token.optional().describe(
    'Client id for sign-in with Google. Without it these operations answer 404.',
  ),
  GOOGLE_CLIENT_SECRET: Token.optional().describe('Client secret. Without it the client is public.'),
  GOOGLE_ISSUER: Url.default('https://accounts.google.com').describe(
    'Issuer, where the discovery document is.',
  ),
  MICROSOFT_CLIENT_ID: Token.optional().describe(
    'Client id for sign-in with Microsoft. Without it these operations answer 404.',
  ),
  MICROSOFT_CLIENT_SECRET: Token.optional().describe('Client secret. Without it the client is public.'),
  MICROSOFT_ISSUER: Url.default('https://login.microsoftonline.com/common/v2.0').describe(
    'Issuer, where the discovery document is. `common` and `organizations` accept users of every tenant.',
  ),
  OAUTH_REDIRECT_BASE: Url.optional().describe(
    'Base of the frontend’s OAuth pages /oauth/google/callback, /oauth/microsoft/callback and /oauth/consent. FRONTEND_URL if unset.',
  ),
  CHECK_RESPONSES: Flag.default(false).describe(
    'Check every answer against its declaration. For development and tests.',
  ),
})

export type Config = z.infer<typeof Settings>

/** The settings of every platform. A test compares them and each platform's own with functions/README.md. */
export const settings = Settings.shape

/** What only the commands of the operator need: they connect as the owner, and set the passwords of the roles. */
export const ownerSettings = {
  DATABASE_OWNER_URL: PostgresUrl.refine(
    // https://neon.com/docs/connect/connection-pooling
    (text) => !/^[^.]+-pooler\./.test(URL.parse(text)?.hostname ?? ''),
    'must be the unpooled connection string: remove `-pooler` from its host, because one connection holds a lock',
  ).describe('Connection string of the role that owns the database.'),
  RUNTIME_PASSWORD: Password.optional().describe('Password that `migrate` sets for app_runtime.'),
  PLATFORM_PASSWORD: Password.optional().describe('Password that `migrate` sets for app_platform.'),
}

/** Variables that the service must not keep: whoever breaks into it would be the owner of the database. */
export const ownerVariables = [
  ...Object.keys(ownerSettings),
  'OWNER_PASSWORD',
  'POSTGRES_PASSWORD',
  'PGPASSWORD',
]

/** Parse the connection string of the owner. */
export function parseOwnerUrl(env: Record<string, unknown>): string {
  const { DATABASE_OWNER_URL } = ownerSettings
  if (!env.DATABASE_OWNER_URL)
    throw new Error(
      'DATABASE_OWNER_URL is missing. This command is for a deployment, whose `.env.owner` has it; `npm run init` writes one. What `npm start` runs tells its state at /ready.',
    )
  return parseSettings({ DATABASE_OWNER_URL }, env).DATABASE_OWNER_URL
}

/**
 * Parse the settings in `shape`. Throw one error that names every missing or wrong setting, without any
 * value.
 */
export function parseSettings<S extends z.ZodRawShape>(
  shape: S,
  env: Record<string, unknown>,
): z.infer<z.ZodObject<S>> {
  // `NAME=` in a file of settings, and `${NAME:-}` of Docker Compose, mean that nothing is set.
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  if (variables.RESEND_API_KEY || variables.SMTP_URL) variables.MAIL_FROM ??= null
  if (variables.AI_FALLBACK_API_KEY) variables.AI_FALLBACK_MODEL ??= null
  const parsed = z.object(shape).safeParse(requireDecimals(shape, variables))
  const wrong = new Map<string, string>()
  for (const name of Object.keys(shape)) {
    const slip = typeof variables[name] === 'string' && findSlip(name, variables[name])
    if (slip) wrong.set(name, slip)
  }
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = String(path[0])
    if (!wrong.has(name)) wrong.set(name, variables[name] == null ? 'is missing' : message)
  }
  if (parsed.success && wrong.size === 0) return parsed.data
  const sentences = [...wrong].map(([name, message]) => `${name}: ${message}`)
  throw new Error(`The configuration is invalid. ${sentences.join('; ')}`)
}

/** Parse the settings that every platform needs. */
export function parseConfig(env: Record<string, unknown>): Config {
  return parseSettings(settings, env)
}
