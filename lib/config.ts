import { z } from 'zod'
import { redactions } from './ai/redaction.ts'

const Keys = z.string().transform((text, ctx) => {
  const keys = z
    .array(z.strictObject({ kid: z.string().min(1), secret: z.string().min(32) }))
    .min(1)
    .max(2)
  try {
    return keys.parse(JSON.parse(text))
  } catch {
    ctx.addIssue({ code: 'custom', message: 'must be a JSON list of one or two {kid, secret}, secrets of 32 characters or more' })
    return z.NEVER
  }
})
/** Each key is 32 bytes. */
const isKey = (text: string) => /^[A-Za-z0-9+/]{43}=$/.test(text)
const VaultKeys = z.string().transform((text, ctx) => {
  const keys = z.array(z.strictObject({ version: z.int().min(1), key: z.string().refine(isKey) })).min(1)
  try {
    return keys.parse(JSON.parse(text))
  } catch {
    ctx.addIssue({ code: 'custom', message: 'must be a JSON list of {version, key}, each key 32 bytes in base64' })
    return z.NEVER
  }
})
const Origins = z.string().transform((text) =>
  text
    .split(',')
    .map((origin) => origin.trim())
    .filter(Boolean),
)
const Flag = z.enum(['true', 'false']).transform((text) => text === 'true')
/** An empty text is no secret. */
const OptionalSecret = z
  .string()
  .transform((text) => text || undefined)
  .optional()
const Url = z.url().transform((url) => url.replace(/\/$/, ''))

const Settings = z.object({
  VERSION: z.string().default('dev').describe('Shown by /health.'),
  PUBLIC_BASE_URL: Url.describe('Where the world reaches this Worker; signed jobs are checked against it.'),
  FRONTEND_URL: Url.describe('Where links in mails and messages lead.'),
  CORS_ORIGINS: Origins.default([]).describe('Origins that may call from a browser, comma separated.'),
  DATABASE_URL: z.string().describe('Connection string of the role app_runtime.'),
  DATABASE_PLATFORM_URL: z.string().describe('Connection string of the role app_platform.'),
  NEON_HTTP_ENDPOINT: Url.optional().describe('SQL over HTTP, when not where Neon has it.'),
  NEON_WS_PROXY: z.string().optional().describe('host:port/path of the WebSocket tunnel, when not where Neon has it.'),
  UPSTASH_REDIS_REST_URL: Url.describe('Rate limits.'),
  UPSTASH_REDIS_REST_TOKEN: z.string().describe('Its token.'),
  REDIS_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(50)
    .max(10_000)
    .default(250)
    .describe('How long a rate limit is waited for before the fallback.'),
  QSTASH_URL: Url.default('https://qstash.upstash.io').describe('Delayed jobs.'),
  QSTASH_TOKEN: z.string().describe('Publishes jobs.'),
  QSTASH_CURRENT_SIGNING_KEY: z.string().describe('Verifies jobs.'),
  QSTASH_NEXT_SIGNING_KEY: z.string().describe('Verifies jobs while keys are rotated.'),
  STREAM_HEARTBEAT_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(60_000)
    .default(25_000)
    .describe('Between two heartbeats of the escalation stream, each of which ends the streams of who is not signed in any more.'),
  RESEND_API_KEY: z.string().describe('Mail.'),
  RESEND_BASE_URL: Url.default('https://api.resend.com').describe('Where the mail provider is.'),
  MAIL_FROM: z.string().describe('Sender of every mail, as `Name <address>`.'),
  SALES_EMAIL: z.email().optional().describe('Who hears of sales leads; unset, they are stored and no mail is sent.'),
  FEEDBACK_EMAIL: z.email().optional().describe('Who hears of feedback; unset, it is stored and only its author gets a mail.'),
  ANALYTICS_URL: Url.optional().describe('Where product analytics are captured, as PostHog has it; off when it or the key is unset.'),
  ANALYTICS_KEY: z.string().min(1).optional().describe('Its project key.'),
  STRIPE_SECRET_KEY: OptionalSecret.describe('Billing; without it the portal and the webhook answer 503.'),
  STRIPE_WEBHOOK_SECRET: OptionalSecret.describe("Verifies the billing provider's events."),
  STRIPE_BASE_URL: Url.default('https://api.stripe.com').describe('Where the billing provider is.'),
  OPENAI_API_KEY: z.string().min(1).describe('The models behind everything that is AI.'),
  OPENAI_BASE_URL: Url.default('https://api.openai.com/v1').describe(
    'Where they are; anything that speaks chat completions with JSON Schema.',
  ),
  OPENAI_MODEL: z.string().min(1).default('gpt-5-mini').describe('Which of them; it must take images.'),
  AI_REDACTION: z
    .enum(redactions)
    .default('secrets')
    .describe('What is masked before it leaves for the model: `secrets`; `all`, so also addresses and paths; or `none`.'),
  DNS_URL: Url.default('https://cloudflare-dns.com/dns-query').describe('DNS over HTTPS, to see where a webhook leads.'),
  OUTBOUND_ALLOWED_ORIGIN: Url.optional().describe('The one http origin that webhooks may reach; only `npm start` sets it.'),
  JWT_KEYS: Keys.describe('Signing keys of access tokens; the first signs, all verify.'),
  CREDENTIALS_KEY: VaultKeys.describe("Seals the secrets of accounts' ticketing systems; the first seals, all open."),
  SELF_SERVE_ENABLED: Flag.default(true).describe('Whether anybody may register without a platform invite code.'),
  INVITE_REQUIRED: Flag.default(false).describe('Whether registering needs a platform invite code while self-serve is off.'),
  GOOGLE_CLIENT_ID: z.string().min(1).optional().describe('Sign-in with Google; its operations are 404 without it.'),
  GOOGLE_CLIENT_SECRET: z.string().min(1).optional().describe('Its secret; without one it is a public client.'),
  GOOGLE_ISSUER: Url.default('https://accounts.google.com').describe('Where its discovery document is.'),
  MICROSOFT_CLIENT_ID: z.string().min(1).optional().describe('Sign-in with Microsoft; its operations are 404 without it.'),
  MICROSOFT_CLIENT_SECRET: z.string().min(1).optional().describe('Its secret; without one it is a public client.'),
  MICROSOFT_ISSUER: Url.default('https://login.microsoftonline.com/common/v2.0').describe(
    'Where its discovery document is; `common` and `organizations` take people of every tenant.',
  ),
  OAUTH_REDIRECT_BASE: Url.optional().describe(
    'Identity providers send the browser back to /oauth/google/callback or /oauth/microsoft/callback below it; FRONTEND_URL when not given.',
  ),
  CHECK_RESPONSES: Flag.default(false).describe('Hold every answer against its schema: development and tests.'),
})

export type Config = z.infer<typeof Settings>

/** The environment's settings, with the descriptions that README's table is checked against. */
export const settings = Settings.shape

/** Throws one sentence that names every setting that is missing or wrong, and no value of any. */
export function parseConfig(env: Record<string, unknown>): Config {
  const parsed = Settings.safeParse(env)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The configuration is not usable. ${wrong.join('; ')}`)
}
