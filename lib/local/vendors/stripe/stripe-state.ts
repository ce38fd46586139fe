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
  /** Start of the billing cycle, in seconds since the epoch. */
  anchor: number
  metadata: Record<string, string>
}

/** The data of the Stripe emulator, by id. */
export interface StripeState {
  customers: Map<string, Customer>
  subscriptions: Map<string, LocalSubscription>
  /** Open portal sessions by the token in their URL. Anyone with the token can use the session. */
  portals: Map<string, { customer: string; returnUrl: string }>
}

/** Create an id in Stripe's format. */
export const createId = (prefix: string): string => `${prefix}_local${randomBytes(9).toString('hex')}`
