import type { RawBody } from '../net/raw-body.ts'

/** What the provider says of one subscription; always all of it, never a difference. */
export interface Subscription {
  id: string
  customerId: string
  /** The account its maker named in the metadata, if any. */
  accountId: string | null
  status: 'active' | 'past_due' | 'unpaid' | 'canceled'
  priceIds: string[]
  /** RFC 3339. */
  currentPeriodEnd: string | null
  /** From when billing periods are counted, RFC 3339. */
  anchor: string | null
}

/** What an event tells; null when it is nothing that is followed here. */
export type Told =
  | { kind: 'linked'; accountId: string; customerId: string; subscriptionId: string | null }
  | { kind: 'customer_gone'; customerId: string }
  | { kind: 'subscription'; subscription: Subscription }

export interface BillingEvent {
  id: string
  type: string
  /** The provider's time of it, whole seconds, RFC 3339. */
  at: string
  told: Told | null
}

/** `unknown`: the provider has no such customer or subscription. */
export type Answered<T> = { ok: true; value: T } | { ok: false; reason: 'not_configured' | 'unknown' | 'failed' }

export interface BillingPort {
  /** Whether there is a provider at all: every question is `not_configured` when there is none. */
  readonly isConfigured: boolean
  /** The address of a page where the customer manages paying: short-lived, and whoever has it is let in. */
  portalUrl(customerId: string, returnUrl: string): Promise<Answered<string>>
  /** The event in a body that the provider signed within the last five minutes; `unsigned` for any other body. */
  readEvent(body: RawBody): Promise<{ ok: true; value: BillingEvent } | { ok: false; reason: 'not_configured' | 'unsigned' }>
  /** A subscription as it is at this moment; null for one that is of no consequence yet. */
  subscription(id: string): Promise<Answered<Subscription | null>>
}
