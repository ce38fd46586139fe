import { modelName } from './model/model.ts'
import { platformPassword, runtimePassword } from './postgres.ts'
import type { LocalServer } from './server.ts'
import { localClientId } from './vendors/identity/identity.ts'

/** The secrets of the local emulators. */
export const secrets = {
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
  resendWebhookSecret: `whsec_${btoa('local-secret-of-mail-events')}`,
  vapidPrivateKey: Buffer.alloc(32, 'web push').toString('base64url'),
  readyToken: 'local-ready-token-0123456789',
  metricsToken: 'local-metrics-token-0123456789',
}
const credentialsKey = JSON.stringify([
  { version: 1, key: Buffer.from('thirty-two-bytes-for-one-laptop!').toString('base64') },
])
const recordKeys = JSON.stringify([{ kid: 'local', key: Buffer.alloc(32, 'record').toString('base64') }])
export const jwtKeys = [{ kid: 'local', secret: 'a-key-for-one-laptop-and-nowhere-else' }]

export type LocalPlatform = 'node' | 'cloudflare'

export interface LocalAddresses {
  api: string
  localServer: Pick<LocalServer, 'port' | 'origin'>
  database: string
  databasePort: number
}

/** Return the settings with which the service calls the local emulators instead of the vendors. */
export function createLocalSettings(
  platform: LocalPlatform,
  addresses: LocalAddresses,
): Record<string, string> {
  return {
    ...sharedSettings(addresses),
    ...(platform === 'node' ? nodeSettings(addresses) : cloudflareSettings(addresses)),
  }
}

/** Return the connection strings of the two roles at a host. */
export function createRoleUrls(host: string, database: string) {
  return {
    DATABASE_URL: `postgres://app_runtime:${runtimePassword}@${host}/${database}`,
    DATABASE_PLATFORM_URL: `postgres://app_platform:${platformPassword}@${host}/${database}`,
  }
}

function nodeSettings({
  api,
  localServer: { port },
  database,
  databasePort,
}: LocalAddresses): Record<string, string> {
  return {
    ...createRoleUrls(`127.0.0.1:${databasePort}`, database),
    PORT: new URL(api).port,
    HOST: '127.0.0.1',
    // As if Cloudflare were in front of it, so that both platforms read the same header.
    TRUSTED_PROXIES: '127.0.0.1',
    CLIENT_ADDRESS_HEADER: 'cf-connecting-ip',
    SHUTDOWN_TIMEOUT_MS: '2000',
    METRICS_TOKEN: secrets.metricsToken,
    // Without TLS, so that no domain of the emulated DNS is called.
    CERTIFICATE_PROBE: `127.0.0.1:${port}`,
  }
}

function cloudflareSettings({
  localServer: { port, origin },
  database,
}: LocalAddresses): Record<string, string> {
  return {
    // The emulator of Neon ignores the host of these URLs.
    ...createRoleUrls(`${database.replaceAll('_', '-')}.local`, database),
    NEON_HTTP_ENDPOINT: `${origin}/sql`,
    NEON_WS_PROXY: `127.0.0.1:${port}/v2`,
    UPSTASH_REDIS_REST_URL: `${origin}/redis`,
    UPSTASH_REDIS_REST_TOKEN: secrets.redisToken,
  }
}

function sharedSettings({ api, localServer: { origin } }: LocalAddresses): Record<string, string> {
  return {
    VERSION: 'local',
    READY_TOKEN: secrets.readyToken,
    PUBLIC_BASE_URL: api,
    FRONTEND_URL: 'https://app.supportflow.example',
    CORS_ORIGINS: 'http://localhost:*,http://127.0.0.1:*',
    QSTASH_URL: `${origin}/qstash`,
    QSTASH_TOKEN: secrets.qstashToken,
    QSTASH_CURRENT_SIGNING_KEY: secrets.qstashCurrentSigningKey,
    QSTASH_NEXT_SIGNING_KEY: secrets.qstashNextSigningKey,
    RESEND_API_KEY: secrets.resendKey,
    RESEND_BASE_URL: `${origin}/resend`,
    RESEND_WEBHOOK_SECRET: secrets.resendWebhookSecret,
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
    SUPER_ADMIN_MFA: 'false',
    JWT_KEYS: JSON.stringify(jwtKeys),
    CREDENTIALS_KEY: credentialsKey,
    VAPID_PRIVATE_KEY: secrets.vapidPrivateKey,
    RECORD_KEYS: recordKeys,
    CHECK_RESPONSES: 'true',
  }
}
