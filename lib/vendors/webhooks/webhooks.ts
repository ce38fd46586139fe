import type { Released } from '#rules/audience.ts'

/** One attempt to deliver a message. */
export interface WebhookMessage {
  /** The header `webhook-id`. It stays the same in every attempt. */
  id: string
  /** The exact body. */
  payload: Released<string>
  /** `whsec_…`: the current secret first, and after a rotation the previous one. */
  secrets: readonly string[]
}

/** The result of one attempt. `body` is the start of the response. */
export interface WebhookResult {
  ok: boolean
  status: number | null
  error: string | null
  /** The receiver wants no more messages. */
  isGone: boolean
  retryAfterSeconds: number | undefined
  body: string | null
  durationMs: number
}

export interface WebhookPort {
  /**
   * Send once and follow no redirect. Never throw. The caller checks the URL with the outbound guard first.
   */
  send(url: string, message: WebhookMessage): Promise<WebhookResult>
}
