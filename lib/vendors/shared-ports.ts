import type { Config } from '#config.ts'
import type { AiPort } from './ai/ai.ts'
import { createCircuit } from './ai/circuit.ts'
import type { EmbeddingsPort } from './ai/embeddings.ts'
import { noAnalytics } from './analytics/analytics.ts'
import { posthogAnalytics } from './analytics/posthog.ts'
import { createAcknowledgementTokens } from './auth/acknowledgement-tokens.ts'
import { createApprovalTokens } from './auth/approval-tokens.ts'
import { createChatLinkTokens } from './auth/chat-link-tokens.ts'
import { createDeviceTokens } from './auth/device-tokens.ts'
import { createExportTokens } from './auth/export-tokens.ts'
import type { IdentityProvider, IdentityProviders, ProviderSettings } from './auth/oidc.ts'
import { createSso } from './auth/open-sso.ts'
import { createRecordSigner } from './auth/record-signer.ts'
import { createReviewTokens } from './auth/review-tokens.ts'
import { createAccessTokens } from './auth/tokens.ts'
import { createUnsubscribeTokens } from './auth/unsubscribe-tokens.ts'
import { createVault } from './auth/vault.ts'
import { createAccountReferences } from './billing/account-reference.ts'
import type { BillingPort } from './billing/billing.ts'
import { chatWebhooks } from './chat/webhooks.ts'
import { lazyPort } from './lazy-port.ts'
import { type MailPort, noMail } from './mail/mail.ts'
import { resendMail } from './mail/resend.ts'
import { dnsOverHttps } from './net/dns.ts'
import { outboundGuard } from './net/guard.ts'
import { createPhoneOpener } from './phone/open.ts'
import type { Ports } from './ports.ts'
import { createPsaOpener } from './psa/open.ts'
import { createRunnerOpener } from './runner/open.ts'
import { httpWebPush } from './web-push/http-web-push.ts'
import { noWebPush, type WebPushPort } from './web-push/web-push.ts'
import { httpWebhooks } from './webhooks/http-webhooks.ts'

/** The ports that differ between the platforms. */
export type PlatformPorts = Pick<
  Ports,
  'queue' | 'realtime' | 'uploads' | 'assets' | 'files' | 'cache' | 'passwords' | 'readCertificate'
>

/** Create the ports that are the same on every platform: the clients of the vendors that both call. */
export function createSharedPorts(config: Config): Omit<Ports, keyof PlatformPorts> {
  const { ANALYTICS_URL, ANALYTICS_KEY } = config
  const dns = dnsOverHttps(config.DNS_URL)
  const guard = outboundGuard(dns, {
    allowedOrigin: config.OUTBOUND_ALLOWED_ORIGIN,
    ports: config.OUTBOUND_PORTS,
    ownAddresses: [config.PUBLIC_BASE_URL, config.FRONTEND_URL],
  })
  const webhooks = httpWebhooks()
  return {
    config,
    tokens: createAccessTokens(config),
    deviceTokens: createDeviceTokens(config),
    exportTokens: createExportTokens(config),
    unsubscribeTokens: createUnsubscribeTokens(config),
    acknowledgementTokens: createAcknowledgementTokens(config),
    approvalTokens: createApprovalTokens(config),
    reviewTokens: createReviewTokens(config),
    chatLinkTokens: createChatLinkTokens(config),
    identity: identityProviders(config),
    sso: createSso(guard, redirectBase(config)),
    mail: createMail(config),
    chat: chatWebhooks(),
    webPush: createWebPush(config),
    webhooks,
    analytics:
      ANALYTICS_URL && ANALYTICS_KEY
        ? posthogAnalytics({ url: ANALYTICS_URL, key: ANALYTICS_KEY })
        : noAnalytics,
    billing: createBilling(config),
    ai: createAi(config),
    embeddings: createEmbeddings(config),
    guard,
    dns,
    // The library parses certificates.
    passkeys: lazyPort(
      async () => (await import('./auth/webauthn.ts')).createWebauthn(passkeySite(config)),
      {},
    ),
    vault: createVault(config.CREDENTIALS_KEY),
    recordSigner: createRecordSigner(config.RECORD_KEYS),
    phone: createPhoneOpener(guard, webhooks),
    psa: createPsaOpener(guard),
    runner: createRunnerOpener(guard),
    // The library is larger than the client of the model.
    mcp: lazyPort(async () => (await import('./mcp/client.ts')).createMcpClient(guard), {}),
  }
}

function createBilling({
  STRIPE_SECRET_KEY,
  STRIPE_WEBHOOK_SECRET,
  STRIPE_BASE_URL,
  JWT_KEYS,
}: Config): BillingPort {
  const references = createAccountReferences(JWT_KEYS)
  const settings = {
    secretKey: STRIPE_SECRET_KEY,
    webhookSecret: STRIPE_WEBHOOK_SECRET,
    baseUrl: STRIPE_BASE_URL,
    references,
  }
  const load = async () => (await import('./billing/stripe.ts')).stripeBilling(settings)
  return lazyPort(load, { isConfigured: STRIPE_SECRET_KEY !== undefined, createReference: references.sign })
}

/** Push services may write to the contact: https://www.rfc-editor.org/rfc/rfc8292#section-2.1 */
function createWebPush({ VAPID_PRIVATE_KEY, MAIL_REPLY_TO, PUBLIC_BASE_URL }: Config): WebPushPort {
  if (!VAPID_PRIVATE_KEY) return noWebPush
  const contact = MAIL_REPLY_TO ? `mailto:${MAIL_REPLY_TO}` : PUBLIC_BASE_URL
  return httpWebPush({ privateKey: VAPID_PRIVATE_KEY, contact })
}

function createMail({
  RESEND_API_KEY,
  RESEND_BASE_URL,
  MAIL_FROM,
  MAIL_REPLY_TO,
  RESEND_WEBHOOK_SECRET,
}: Config): MailPort {
  if (!RESEND_API_KEY || !MAIL_FROM) return noMail
  const settings = { key: RESEND_API_KEY, baseUrl: RESEND_BASE_URL, from: MAIL_FROM }
  return resendMail({ ...settings, replyTo: MAIL_REPLY_TO, webhookSecret: RESEND_WEBHOOK_SECRET })
}

function createAi(config: Config): AiPort {
  const { AI_FALLBACK_API_KEY: key, AI_FALLBACK_BASE_URL: baseUrl, AI_FALLBACK_MODEL: model } = config
  const second = key && model ? openLazily({ key, baseUrl, model }, null) : undefined
  const first = { key: config.OPENAI_API_KEY, baseUrl: config.OPENAI_BASE_URL, model: config.OPENAI_MODEL }
  return openLazily(first, second ? { ai: second, circuit: createCircuit() } : null)
}

function createEmbeddings({
  OPENAI_API_KEY: key,
  OPENAI_BASE_URL: baseUrl,
  AI_EMBEDDING_MODEL: model,
}: Config): EmbeddingsPort {
  const load = async () =>
    (await import('./ai/openai.ts')).openAi({ key: key ?? '', baseUrl, model: model ?? '' })
  return lazyPort(load, { model: model ?? '', isConfigured: key !== undefined && model !== undefined })
}

/** The client of the model is a tenth of the code. */
function openLazily(
  { key, baseUrl, model }: { key: string | undefined; baseUrl: string; model: string },
  fallback: AiPort['fallback'],
): AiPort {
  const load = async () => (await import('./ai/openai.ts')).openAi({ key: key ?? '', baseUrl, model })
  return lazyPort(load, { model, isConfigured: key !== undefined, fallback: fallback ?? null })
}

/** Return where passkeys are used: on the pages of the frontend. */
function passkeySite({ FRONTEND_URL, PASSKEY_RP_ID }: Config): { rpId: string; origin: string } {
  const { hostname, origin } = new URL(FRONTEND_URL)
  return { rpId: PASSKEY_RP_ID ?? hostname, origin }
}

function identityProviders(config: Config): IdentityProviders {
  const {
    GOOGLE_CLIENT_ID,
    GOOGLE_CLIENT_SECRET,
    GOOGLE_ISSUER,
    MICROSOFT_CLIENT_ID,
    MICROSOFT_CLIENT_SECRET,
  } = config
  const base = redirectBase(config)
  const providers: IdentityProviders = {}
  if (GOOGLE_CLIENT_ID) {
    const client = {
      clientId: GOOGLE_CLIENT_ID,
      clientSecret: GOOGLE_CLIENT_SECRET,
      redirectUri: `${base}/oauth/google/callback`,
    }
    providers.google = createIdentityProvider({ name: 'google', issuer: GOOGLE_ISSUER, ...client })
  }
  if (MICROSOFT_CLIENT_ID) {
    const client = {
      clientId: MICROSOFT_CLIENT_ID,
      clientSecret: MICROSOFT_CLIENT_SECRET,
      redirectUri: `${base}/oauth/microsoft/callback`,
    }
    providers.microsoft = createIdentityProvider({
      name: 'microsoft',
      issuer: config.MICROSOFT_ISSUER,
      ...client,
    })
  }
  return providers
}

const redirectBase = ({ OAUTH_REDIRECT_BASE, FRONTEND_URL }: Config) => OAUTH_REDIRECT_BASE ?? FRONTEND_URL

function createIdentityProvider(settings: ProviderSettings): IdentityProvider {
  return lazyPort(async () => (await import('./auth/oidc.ts')).identityProvider(settings), {})
}
