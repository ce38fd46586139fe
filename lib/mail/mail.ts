import type { Sent } from '../net/sent.ts'

export interface Mail {
  to: string
  replyTo?: string
  subject: string
  html: string
  text: string
}

export interface MailPort {
  /** All of them or none, in one call; the same key again sends nothing twice within the provider's 24 hours. */
  send(mails: Mail[], idempotencyKey: string): Promise<Sent>
  /** Throws when the provider does not answer as it should. */
  ping(): Promise<void>
}
