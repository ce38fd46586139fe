import type { Config } from '#config.ts'
import type { AiPort } from './ai/ai.ts'
import type { EmbeddingsPort } from './ai/embeddings.ts'
import type { AnalyticsPort } from './analytics/analytics.ts'
import type { AssetsPort } from './assets/assets.ts'
import type { AcknowledgementTokens } from './auth/acknowledgement-tokens.ts'
import type { ApprovalTokens } from './auth/approval-tokens.ts'
import type { ChatLinkTokens } from './auth/chat-link-tokens.ts'
import type { DeviceTokens } from './auth/device-tokens.ts'
import type { ExportTokens } from './auth/export-tokens.ts'
import type { IdentityProviders } from './auth/oidc.ts'
import type { Passkeys } from './auth/passkeys.ts'
import type { PasswordHasher } from './auth/passwords.ts'
import type { RecordSigner } from './auth/record-signer.ts'
import type { ReviewTokens } from './auth/review-tokens.ts'
import type { SsoPort } from './auth/sso.ts'
import type { AccessTokens } from './auth/tokens.ts'
import type { UnsubscribeTokens } from './auth/unsubscribe-tokens.ts'
import type { Vault } from './auth/vault.ts'
import type { BillingPort } from './billing/billing.ts'
import type { CachePort } from './cache/cache.ts'
import type { ChatPort } from './chat/chat.ts'
import type { FilesPort } from './files/files.ts'
import type { MailPort } from './mail/mail.ts'
import type { McpPort } from './mcp/mcp.ts'
import type { ReadCertificate } from './net/certificate.ts'
import type { DnsRecords } from './net/dns.ts'
import type { OutboundGuard } from './net/guard.ts'
import type { OpenPhone } from './phone/phone.ts'
import type { OpenPsa } from './psa/psa.ts'
import type { QueuePort } from './queue/queue.ts'
import type { RealtimePort } from './realtime/realtime.ts'
import type { OpenRunner } from './runner/runner.ts'
import type { UploadsPort } from './uploads/uploads.ts'
import type { WebPushPort } from './web-push/web-push.ts'
import type { WebhookPort } from './webhooks/webhooks.ts'

/** Everything outside the database that a service may use: one port per kind of vendor. */
export interface Ports {
  config: Config
  tokens: AccessTokens
  deviceTokens: DeviceTokens
  exportTokens: ExportTokens
  unsubscribeTokens: UnsubscribeTokens
  acknowledgementTokens: AcknowledgementTokens
  approvalTokens: ApprovalTokens
  reviewTokens: ReviewTokens
  chatLinkTokens: ChatLinkTokens
  passwords: PasswordHasher
  /** Only those that are configured. */
  identity: IdentityProviders
  /** The providers of organisations. */
  sso: SsoPort
  queue: QueuePort
  realtime: RealtimePort
  mail: MailPort
  chat: ChatPort
  webPush: WebPushPort
  webhooks: WebhookPort
  analytics: AnalyticsPort
  billing: BillingPort
  uploads: UploadsPort
  ai: AiPort
  embeddings: EmbeddingsPort
  /** Static files deployed beside the bundle. */
  assets: AssetsPort
  files: FilesPort
  guard: OutboundGuard
  dns: DnsRecords
  readCertificate: ReadCertificate
  cache: CachePort
  passkeys: Passkeys
  vault: Vault
  recordSigner: RecordSigner
  phone: OpenPhone
  psa: OpenPsa
  runner: OpenRunner
  mcp: McpPort
  /** Ask every dependency, as `/ready` does. Set when the app is assembled. */
  checkDependencies?: (() => Promise<DependencyChecks>) | undefined
}

/**
 * `in_process`: this process keeps in its own memory what the dependency would store, so it must be the only
 * process.
 */
export const dependencyStates = ['ok', 'failed', 'in_process'] as const
export interface DependencyChecks {
  checks: Record<string, (typeof dependencyStates)[number]>
  /** Problems that will occur soon, as sentences. */
  warnings: string[]
}
