import type { Config } from '#config.ts'
import { lazyOpenAi } from './ai/lazy-openai.ts'
import { noAnalytics } from './analytics/analytics.ts'
import { posthogAnalytics } from './analytics/posthog.ts'
import { createAcknowledgementTokens } from './auth/acknowledgement-tokens.ts'
import { createDeviceTokens } from './auth/device-tokens.ts'
import { createExportTokens } from './auth/export-tokens.ts'
import { lazyIdentityProvider } from './auth/lazy-oidc.ts'
import { lazyWebauthn } from './auth/lazy-webauthn.ts'
import type { IdentityProviders } from './auth/oidc.ts'
import { createAccessTokens } from './auth/tokens.ts'
import { createUnsubscribeTokens } from './auth/unsubscribe-tokens.ts'
import { createVault } from './auth/vault.ts'
import { createAccountReferences } from './billing/account-reference.ts'
import { lazyStripe } from './billing/lazy-stripe.ts'
import { chatWebhooks } from './chat/webhooks.ts'
import { resendMail } from './mail/resend.ts'
import { dnsOverHttps } from './net/dns.ts'
import { outboundGuard } from './net/guard.ts'
import type { Ports } from './ports.ts'
import { createPsaOpener } from './psa/open.ts'
import { httpWebhooks } from './webhooks/http-webhooks.ts'

/** The ports that differ between the platforms. */
export type PlatformPorts = Pick<Ports, 'queue' | 'realtime' | 'uploads' | 'assets' | 'cache' | 'passwords'>

/** Create the ports that are the same on every platform: the clients of the vendors that both call. */
export function createSharedPorts(config: Config): Omit<Ports, keyof PlatformPorts> {
  const { ANALYTICS_URL, ANALYTICS_KEY } = config
  const guard = outboundGuard(dnsOverHttps(config.DNS_URL), {
    allowedOrigin: config.OUTBOUND_ALLOWED_ORIGIN,
    ports: config.OUTBOUND_PORTS,
    ownAddresses: [config.PUBLIC_BASE_URL, config.FRONTEND_URL],
  })
  return {
    config,
    tokens: createAccessTokens(config),
    deviceTokens: createDeviceTokens(config),
    exportTokens: createExportTokens(config),
    unsubscribeTokens: createUnsubscribeTokens(config),
    acknowledgementTokens: createAcknowledgementTokens(config),
    identity: identityProviders(config),
    mail: resendMail({ key: config.RESEND_API_KEY, baseUrl: config.RESEND_BASE_URL, from: config.MAIL_FROM }),
    chat: chatWebhooks(),
    webhooks: httpWebhooks(),
    analytics: ANALYTICS_URL && ANALYTICS_KEY ? posthogAnalytics({ url: ANALYTICS_URL, key: ANALYTICS_KEY }) : noAnalytics,
    billing: lazyStripe({
      secretKey: config.STRIPE_SECRET_KEY,
      webhookSecret: config.STRIPE_WEBHOOK_SECRET,
      baseUrl: config.STRIPE_BASE_URL,
      references: createAccountReferences(config.JWT_KEYS),
    }),
    ai: lazyOpenAi({ key: config.OPENAI_API_KEY, baseUrl: config.OPENAI_BASE_URL, model: config.OPENAI_MODEL }),
    guard,
    passkeys: lazyWebauthn(passkeySite(config)),
    vault: createVault(config.CREDENTIALS_KEY),
    psa: createPsaOpener(guard),
  }
}

/** Return where passkeys are used: on the pages of the frontend. */
function passkeySite({ FRONTEND_URL, PASSKEY_RP_ID }: Config): { rpId: string; origin: string } {
  const { hostname, origin } = new URL(FRONTEND_URL)
  return { rpId: PASSKEY_RP_ID ?? hostname, origin }
}

function identityProviders(config: Config): IdentityProviders {
  const { GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, GOOGLE_ISSUER, MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET } = config
  const base = config.OAUTH_REDIRECT_BASE ?? config.FRONTEND_URL
  const providers: IdentityProviders = {}
  if (GOOGLE_CLIENT_ID) {
    const client = { clientId: GOOGLE_CLIENT_ID, clientSecret: GOOGLE_CLIENT_SECRET, redirectUri: `${base}/oauth/google/callback` }
    providers.google = lazyIdentityProvider({ name: 'google', issuer: GOOGLE_ISSUER, ...client })
  }
  if (MICROSOFT_CLIENT_ID) {
    const client = { clientId: MICROSOFT_CLIENT_ID, clientSecret: MICROSOFT_CLIENT_SECRET, redirectUri: `${base}/oauth/microsoft/callback` }
    providers.microsoft = lazyIdentityProvider({ name: 'microsoft', issuer: config.MICROSOFT_ISSUER, ...client })
  }
  return providers
}
