import type { Subscription } from './billing.ts'

/** The stored billing state of an account, and two facts about the event: isReplayed and matchingPlan. Times are RFC 3339. */
export interface BillingState {
  customerId: string | null
  subscriptionId: string | null
  status: 'trialing' | 'free' | 'active' | 'past_due' | 'unpaid' | 'canceled'
  /** The provider's time of the newest event that changed the subscription. */
  eventAt: string | null
  /** Whether the event was processed before. */
  isReplayed: boolean
  /** The plan that contains a price of the event's subscription. Null if no plan does. */
  matchingPlan: string | null
}

export interface EventState {
  /** The provider's time of the event, RFC 3339 in whole seconds. */
  at: string
  customerId: string
  /** Null for an event without a subscription. */
  subscription: Pick<Subscription, 'id' | 'status'> | null
  /** Whether `subscription` was fetched from the provider after the event arrived. Otherwise it is the state in the event. */
  isFetched: boolean
}

/** What an event changes. `tie`: another event of the same second was applied, so only the provider knows the current state. */
export type EventDecision =
  | { isStored: false; outcome: 'unknown_customer' | 'replayed' | 'tie' }
  | {
      isStored: true
      outcome: 'applied' | 'unknown_price' | 'stale' | 'ignored'
      linksCustomer: boolean
      changesSubscription: boolean
    }

/**
 * Decide what an event changes in the account it belongs to, found by customer, subscription or account id. `state` is null if no account
 * was found.
 */
export function decideEvent(state: BillingState | null, event: EventState): EventDecision {
  if (!state) return { isStored: false, outcome: 'unknown_customer' }
  if (state.isReplayed) return { isStored: false, outcome: 'replayed' }
  const { subscription } = event
  const msSinceLastEvent = state.eventAt === null ? 1 : Date.parse(event.at) - Date.parse(state.eventAt)
  if (subscription && msSinceLastEvent === 0 && !event.isFetched) return { isStored: false, outcome: 'tie' }
  // After the provider deleted a customer, events of the known subscription do not link the customer again.
  const linksCustomer = state.customerId !== event.customerId && (!subscription || state.subscriptionId !== subscription.id)
  const keepSubscription = (outcome: 'applied' | 'stale' | 'ignored') =>
    ({ isStored: true, outcome, linksCustomer, changesSubscription: false }) as const
  if (!subscription) return keepSubscription('applied')
  if (msSinceLastEvent < 0) return keepSubscription('stale')
  if (endsFormerSubscription(state, subscription)) return keepSubscription('ignored')
  const outcome = state.matchingPlan === null ? 'unknown_price' : 'applied'
  return { isStored: true, outcome, linksCustomer, changesSubscription: true }
}

/** Return whether the event ends a subscription that another, paid one has replaced. */
function endsFormerSubscription(state: BillingState, { id, status }: Pick<Subscription, 'id' | 'status'>): boolean {
  const isOther = state.subscriptionId !== null && state.subscriptionId !== id
  const isPaid = state.status === 'active' || state.status === 'past_due'
  return isOther && isPaid && (status === 'unpaid' || status === 'canceled')
}
