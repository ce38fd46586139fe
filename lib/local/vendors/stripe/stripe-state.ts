import { randomBytes } from 'node:crypto'

export interface Customer {
  id: string
  email: string | null
  deleted: boolean
  metadata: Record<string, string>
}
export interface LocalSubscription {
  id: string
  customer: string
  status: 'active' | 'past_due' | 'unpaid' | 'canceled'
  price: string
  /** When it was created, which is the start of the billing cycle, in seconds since the epoch. */
  anchor: number
  cancelAtPeriodEnd: boolean
  metadata: Record<string, string>
}

/** A hosted page on which somebody subscribes to a price. */
export interface CheckoutSession {
  id: string
  status: 'open' | 'complete'
  /** Null for a new customer. */
  customer: string | null
  email: string | null
  reference: string | null
  price: string
  subscriptionMetadata: Record<string, string>
  successUrl: string
  cancelUrl: string
  /** In seconds since the epoch. */
  expiresAt: number
}

/** The data of the Stripe emulator, by id. */
export interface StripeState {
  customers: Map<string, Customer>
  subscriptions: Map<string, LocalSubscription>
  /** Open portal sessions by the token in their URL. Anyone with the token can use the session. */
  portals: Map<string, { customer: string; returnUrl: string }>
  /** Checkout sessions by the token in their URL. */
  checkouts: Map<string, CheckoutSession>
}

/** Return the parameters `name[key]` of a form as an object. */
export function parseMetadata(form: Record<string, string>, name: string): Record<string, string> {
  const entries = Object.entries(form).flatMap(([key, value]) => {
    const inner = key.startsWith(`${name}[`) && key.endsWith(']') ? key.slice(name.length + 1, -1) : ''
    return inner ? [[inner, value] as const] : []
  })
  return Object.fromEntries(entries)
}

/** Create an id in Stripe's format. */
export const createId = (prefix: string): string => `${prefix}_local${randomBytes(9).toString('hex')}`
