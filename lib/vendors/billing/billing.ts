import type { RawBody } from '#vendors/net/raw-body.ts'

/** The statuses of a subscription at the provider, the best first. */
export const providerStatuses = ['active', 'past_due', 'unpaid', 'canceled'] as const

/** The complete current state of one subscription at the provider. */
export interface Subscription {
  id: string
  customerId: string
  /** The account that a reference of ours in the subscription's metadata names, if any. */
  accountId: string | null
  status: (typeof providerStatuses)[number]
  priceIds: string[]
  /** When it was created, RFC 3339; null in an event that lacks it. */
  createdAt: string | null
  /** RFC 3339. */
  currentPeriodEnd: string | null
  /** When it will end, RFC 3339; null unless its end is planned. */
  cancelAt: string | null
  /** Whether its end is planned for the end of the paid period. */
  cancelsAtPeriodEnd: boolean
  /** Start of the billing periods, RFC 3339. */
  anchor: string | null
}

/** The change that an event reports. */
export type BillingChange =
  | { kind: 'linked'; accountId: string; customerId: string; subscriptionId: string | null }
  | { kind: 'customer_gone'; customerId: string }
  | { kind: 'subscription'; subscription: Subscription }

export interface BillingEvent {
  id: string
  type: string
  /** The provider's time in whole seconds, RFC 3339. */
  at: string
  /** Null for an event without effect here. */
  change: BillingChange | null
}

/** What somebody is to pay for on the provider's page. */
export interface Checkout {
  priceId: string
  /** The signed reference of the account, which the events of the checkout carry. */
  reference: string
  /** Null for a new customer, whose address is `email`. */
  customerId: string | null
  email: string
  successUrl: string
  cancelUrl: string
}

/**
 * The result of a call to the provider. `unknown`: it has no such customer, subscription or price. `message`:
 * the sentence of the provider.
 */
export type ProviderResult<T> =
  | { ok: true; value: T }
  | { ok: false; reason: 'not_configured' | 'unknown' | 'failed'; message?: string | undefined }

export interface BillingPort {
  /** Without a provider every call returns `not_configured`. */
  readonly isConfigured: boolean
  /**
   * Create the text by which events name an account: `client_reference_id` of a checkout, `account_id` in the
   * metadata of the others.
   */
  createReference(accountId: string): Promise<string>
  /** Create a short-lived page where the customer manages payment. Anyone with the address can open it. */
  createPortalUrl(customerId: string, returnUrl: string): Promise<ProviderResult<string>>
  /** Create a page where somebody subscribes to a price. It ends after a day. */
  createCheckoutUrl(checkout: Checkout): Promise<ProviderResult<string>>
  /**
   * Read the event of a body that the provider signed within the last five minutes; `unsigned` for any other
   * body.
   */
  readEvent(
    body: RawBody,
  ): Promise<{ ok: true; value: BillingEvent } | { ok: false; reason: 'not_configured' | 'unsigned' }>
  /** Delete a customer, which also cancels its subscriptions. */
  deleteCustomer(customerId: string): Promise<ProviderResult<null>>
  /** Return a subscription's current state; null for one that was never paid. */
  getSubscription(id: string): Promise<ProviderResult<Subscription | null>>
}
