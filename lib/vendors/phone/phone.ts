import type { Released } from '#rules/audience.ts'
import type { SendResult } from '#vendors/net/send-result.ts'

/** What speaks to phones: Twilio, or a gateway with its API; or a program of the account that takes webhooks. */
export const phoneProviders = ['twilio', 'webhook'] as const
export type PhoneProvider = (typeof phoneProviders)[number]

export const phoneChannels = ['sms', 'voice'] as const
export type PhoneChannel = (typeof phoneChannels)[number]

/** A gateway with its secret. Never log it. */
export interface PhoneGateway {
  provider: PhoneProvider
  /** The base of the API without a slash at the end, or the address of the webhook. */
  baseUrl: string
  /** Twilio: the account, which starts with AC. */
  accountSid: string | null
  /** Twilio: the API key, which starts with SK; null signs in as the account. */
  apiKeySid: string | null
  /** Twilio: the secret of the key, or the token of the account. Webhook: `whsec_…`, which signs the messages. */
  secret: string
  /** The number that messages and calls come from, in E.164; null where the program of the account decides. */
  sender: string | null
}

export interface PhoneMessage {
  /** The same at each attempt. */
  id: string
  /** `sms`: a text message. `voice`: a call in which the text is said. */
  kind: PhoneChannel
  /** A number in E.164. */
  to: string
  text: Released<string>
}

/** `isGatewayFault`: the gateway is wrongly set up or away, whatever the number. */
export type PhoneResult = SendResult & { isGatewayFault?: boolean }

/** Calls to the gateway of one account. */
export interface PhonePort {
  /** Send once, and follow no redirect. Never throw. After a timeout it may have been sent. */
  send(message: PhoneMessage): Promise<PhoneResult>
}

export type OpenPhone = (gateway: PhoneGateway) => PhonePort
