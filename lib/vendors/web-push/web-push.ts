import type { Released } from '#rules/audience.ts'
import type { SendResult } from '#vendors/net/send-result.ts'

/** Where a browser gets its messages, and the keys that only it can decrypt with; base64url. */
export interface BrowserSubscription {
  endpoint: string
  p256dh: string
  auth: string
}

/** What a browser shows. `url` is opened by a click. */
export interface PushMessage {
  title: string
  body: string
  url: string
  /** A newer message with the same topic replaces one that was not read yet. At most 32 characters of base64url. */
  topic: string
}

export interface WebPushPort {
  /** Whether there is a key that signs. */
  readonly isConfigured: boolean
  /** Return the public half of the key, which browsers subscribe with: 65 bytes, base64url. */
  getPublicKey(): Promise<string>
  /** Send once and follow no redirect. The caller checks the endpoint with the outbound guard first. */
  send(subscription: BrowserSubscription, message: Released<PushMessage>): Promise<SendResult>
}

/** The port of a service without a key: no browser can subscribe, and no message is sent. */
export const noWebPush: WebPushPort = {
  isConfigured: false,
  getPublicKey: () => Promise.reject(new Error('Web Push has no key')),
  send: async () => ({ ok: false, status: null, error: 'Web Push is not set up', gone: true }),
}
