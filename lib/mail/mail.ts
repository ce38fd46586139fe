import type { SendResult } from '../net/send-result.ts'

export interface Mail {
  to: string
  replyTo?: string
  subject: string
  html: string
  text: string
  headers?: Record<string, string>
}

export interface MailPort {
  /** Send all mails or none, in one call. A repeated call with the same key within 24 hours sends nothing. */
  send(mails: Mail[], idempotencyKey: string): Promise<SendResult>
  /** Throw when the provider does not answer. */
  ping(): Promise<void>
}
