import { openAi } from './ai/openai.ts'
import { noAnalytics } from './analytics/analytics.ts'
import { posthogAnalytics } from './analytics/posthog.ts'
import { type AssetsBinding, staticAssets } from './assets/assets.ts'
import { type IdentityProviders, identityProvider } from './auth/oidc.ts'
import { createAccessTokens } from './auth/tokens.ts'
import { createVault } from './auth/vault.ts'
import { stripeBilling } from './billing/stripe.ts'
import { redisCache } from './cache/cache.ts'
import { createLimiter } from './cache/limiter.ts'
import { chatWebhooks } from './chat/webhooks.ts'
import type { Config } from './config.ts'
import { openDatabase } from './db/client.ts'
import type { Services } from './http/app.ts'
import { resendMail } from './mail/resend.ts'
import { dnsOverHttps } from './net/dns.ts'
import { outboundGuard } from './net/guard.ts'
import { createPsaOpener } from './psa/open.ts'
import { qstashQueue } from './queue/qstash.ts'
import { durableRealtime, type HubNamespace } from './realtime/durable.ts'
import { type ImagesBinding, imagesConversion } from './uploads/images.ts'
import { type R2Bucket, r2Objects } from './uploads/r2.ts'

/** The Worker's bindings. A binding may be missing when nothing uses it. */
export interface Bindings {
  UPLOADS?: R2Bucket
  IMAGES?: ImagesBinding
  ASSETS?: AssetsBinding
  ESCALATION_HUB?: HubNamespace
}

/** Create every service from the settings. The only place that chooses vendors. */
export function createServices(config: Config, log: Services['log'], bindings: Bindings = {}): Services {
  const { UPLOADS, IMAGES, ASSETS, ESCALATION_HUB } = bindings
  const { ANALYTICS_URL, ANALYTICS_KEY } = config
  const guard = outboundGuard(dnsOverHttps(config.DNS_URL), config.OUTBOUND_ALLOWED_ORIGIN)
  const neon = { httpEndpoint: config.NEON_HTTP_ENDPOINT, wsProxy: config.NEON_WS_PROXY }
  return {
    ports: {
      config,
      tokens: createAccessTokens(config.JWT_KEYS),
      identity: identityProviders(config),
      queue: qstashQueue({ url: config.QSTASH_URL, token: config.QSTASH_TOKEN, target: config.PUBLIC_BASE_URL }),
      realtime: durableRealtime(ESCALATION_HUB),
      mail: resendMail({ key: config.RESEND_API_KEY, baseUrl: config.RESEND_BASE_URL, from: config.MAIL_FROM }),
      chat: chatWebhooks(),
      analytics: ANALYTICS_URL && ANALYTICS_KEY ? posthogAnalytics({ url: ANALYTICS_URL, key: ANALYTICS_KEY }) : noAnalytics,
      billing: stripeBilling({
        secretKey: config.STRIPE_SECRET_KEY,
        webhookSecret: config.STRIPE_WEBHOOK_SECRET,
        baseUrl: config.STRIPE_BASE_URL,
      }),
      uploads: { ...r2Objects(UPLOADS, config.UPLOAD_TIMEOUT_MS), ...imagesConversion(IMAGES, config.UPLOAD_TIMEOUT_MS) },
      ai: openAi({ key: config.OPENAI_API_KEY, baseUrl: config.OPENAI_BASE_URL, model: config.OPENAI_MODEL }),
      assets: staticAssets(ASSETS),
      guard,
      cache: redisCache(config.UPSTASH_REDIS_REST_URL, config.UPSTASH_REDIS_REST_TOKEN, config.REDIS_TIMEOUT_MS),
      vault: createVault(config.CREDENTIALS_KEY),
      psa: createPsaOpener(guard),
    },
    limiter: createLimiter(config.UPSTASH_REDIS_REST_URL, config.UPSTASH_REDIS_REST_TOKEN, config.REDIS_TIMEOUT_MS),
    runtime: openDatabase({ url: config.DATABASE_URL, ...neon }),
    platform: openDatabase({ url: config.DATABASE_PLATFORM_URL, ...neon }),
    log,
  }
}

function identityProviders(config: Config): IdentityProviders {
  const { GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, GOOGLE_ISSUER, MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET } = config
  const base = config.OAUTH_REDIRECT_BASE ?? config.FRONTEND_URL
  const providers: IdentityProviders = {}
  if (GOOGLE_CLIENT_ID) {
    const client = { clientId: GOOGLE_CLIENT_ID, clientSecret: GOOGLE_CLIENT_SECRET, redirectUri: `${base}/oauth/google/callback` }
    providers.google = identityProvider({ name: 'google', issuer: GOOGLE_ISSUER, ...client })
  }
  if (MICROSOFT_CLIENT_ID) {
    const client = { clientId: MICROSOFT_CLIENT_ID, clientSecret: MICROSOFT_CLIENT_SECRET, redirectUri: `${base}/oauth/microsoft/callback` }
    providers.microsoft = identityProvider({ name: 'microsoft', issuer: config.MICROSOFT_ISSUER, ...client })
  }
  return providers
}
