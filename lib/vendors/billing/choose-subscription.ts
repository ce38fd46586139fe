import { providerStatuses, type Subscription } from './billing.ts'

/** What is stored of a subscription, as far as the choice needs it. Times are RFC 3339. */
export interface StoredSubscription {
  id: string
  customerId: string
  status: Subscription['status']
  /** The plan of its newest price that belongs to one; null if none did, as for an add-on. */
  plan: string | null
  createdAt: string
}

export interface StoredCustomer {
  id: string
  /** The provider's time of the newest event that named the account. */
  linkedAt: string | null
  isDeleted: boolean
}

/**
 * Return the subscription by which an account has its plan and its status; null without any to a plan. The
 * better paid one comes first, then the one created last. So an account with an active subscription to a plan
 * is never locked, and one that pays only for something else keeps its trial or the plan that staff gave it.
 */
export function chooseSubscription<T extends StoredSubscription>(subscriptions: readonly T[]): T | null {
  const [first] = subscriptions
    .filter(({ plan }) => plan !== null)
    .toSorted(
      (a, b) =>
        providerStatuses.indexOf(a.status) - providerStatuses.indexOf(b.status) ||
        Date.parse(b.createdAt) - Date.parse(a.createdAt) ||
        (a.id < b.id ? 1 : -1),
    )
  return first ?? null
}

/**
 * Return the customer whose portal an account opens: that of the chosen subscription, else the one linked
 * last. Deleted ones do not count.
 */
export function chooseCustomer(
  customers: readonly StoredCustomer[],
  subscription: StoredSubscription | null,
): string | null {
  const present = customers.filter(({ isDeleted }) => !isDeleted)
  const paying = present.find(({ id }) => id === subscription?.customerId)
  const newest = present.toSorted(
    (a, b) => Date.parse(b.linkedAt ?? epoch) - Date.parse(a.linkedAt ?? epoch) || (a.id < b.id ? 1 : -1),
  )
  return (paying ?? newest[0])?.id ?? null
}

const epoch = '1970-01-01T00:00:00Z'
