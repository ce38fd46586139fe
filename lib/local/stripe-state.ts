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
  anchor: number
  metadata: Record<string, string>
}

export interface StripeState {
  customers: Map<string, Customer>
  subscriptions: Map<string, LocalSubscription>
  /** What a portal's address leads to; whoever has it is let in. */
  portals: Map<string, { customer: string; returnUrl: string }>
}

export const newId = (prefix: string): string => `${prefix}_local${randomBytes(9).toString('hex')}`
