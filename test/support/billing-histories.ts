import { randomBytes } from 'node:crypto'
import type { Service } from './app.ts'
import { createReference, postSignedEvent } from './billing.ts'
import { expectStatus } from './expect-status.ts'

type Status = 'active' | 'past_due' | 'unpaid' | 'paused' | 'canceled'
type Plan = 'pro' | 'team' | null

/**
 * An event of a history. `customer` and `subscription` are numbers, from which each account has ids of its
 * own.
 */
export type HistoryEvent =
  | {
      kind: 'subscription'
      subscription: number
      customer: number
      createdAt: number
      status: Status
      plan: Plan
      cancelsAt?: number
    }
  | { kind: 'customer' | 'checkout' | 'customer_deleted'; customer: number }

/**
 * An event and its time, in seconds after the start of the history. No two events of a history have the same
 * time.
 */
export type TimedEvent = HistoryEvent & { at: number }

const startedAt = 1_790_000_000
const prices = { pro: 'price_local_pro_monthly', team: 'price_local_team_annual' }

/** Return signed events of a history for a new set of customers and subscriptions. */
export async function buildEvents(service: Service, accountId: string, history: readonly TimedEvent[]) {
  const tag = randomBytes(6).toString('hex')
  const reference = await createReference(service, accountId)
  return {
    tag,
    events: history.map((event, n) => ({
      id: `evt_${tag}_${n}`,
      created: startedAt + event.at,
      ...buildEvent(event, tag, reference),
    })),
  }
}

function buildEvent(event: TimedEvent, tag: string, reference: string) {
  const customer = `cus_${event.customer}_${tag}`
  switch (event.kind) {
    case 'customer':
      return {
        type: 'customer.created',
        data: { object: { object: 'customer', id: customer, metadata: { account_id: reference } } },
      }
    case 'customer_deleted':
      return { type: 'customer.deleted', data: { object: { object: 'customer', id: customer } } }
    case 'checkout':
      return {
        type: 'checkout.session.completed',
        data: {
          object: {
            object: 'checkout.session',
            client_reference_id: reference,
            customer,
            subscription: null,
          },
        },
      }
    case 'subscription': {
      const price = { id: event.plan ? prices[event.plan] : 'price_support' }
      const end = startedAt + 86_400 + event.subscription
      const object = {
        ...{
          object: 'subscription',
          id: `sub_${event.subscription}_${tag}`,
          customer,
          status: event.status,
          metadata: {},
        },
        ...{
          created: startedAt + event.createdAt,
          billing_cycle_anchor: startedAt,
          cancel_at: event.cancelsAt ?? null,
        },
        items: { data: [{ price, current_period_end: end }] },
      }
      return { type: subscriptionTypes[event.status], data: { object } }
    }
  }
}

const subscriptionTypes: Record<Status, string> = {
  active: 'customer.subscription.updated',
  past_due: 'customer.subscription.updated',
  unpaid: 'customer.subscription.updated',
  paused: 'customer.subscription.paused',
  canceled: 'customer.subscription.deleted',
}

export async function deliver(service: Service, event: object): Promise<string> {
  const response = await postSignedEvent(service, event)
  expectStatus(response, 200)
  return response.body.outcome
}

/** Select what the events of a history may change in an account. */
export async function selectOutcome(service: Service, accountId: string) {
  const [row] = await service.sql<{
    plan: string
    status: string
    subscription: string | null
    customer: string | null
  }>(
    `select plan, subscription_status as status, provider_subscription_id as subscription, billing_customer_id as customer
       from accounts where id = $1`,
    [accountId],
  )
  return row
}

/**
 * Return what an account must have after all events of a history, whatever their order: the last event of
 * each subscription says its state, and of those whose customer was linked the best one counts.
 */
export function expectOutcome(history: readonly TimedEvent[], tag: string) {
  const byTime = history.toSorted((a, b) => a.at - b.at)
  const links = byTime
    .filter(({ kind }) => kind === 'customer' || kind === 'checkout')
    .map(({ customer }) => customer)
  const deleted = byTime.filter(({ kind }) => kind === 'customer_deleted').map(({ customer }) => customer)
  const states = new Map(
    byTime.flatMap((event) => (event.kind === 'subscription' ? [[event.subscription, event] as const] : [])),
  )
  const order = ['active', 'past_due', 'unpaid', 'canceled']
  const rank = ({ status }: { status: Status }) => order.indexOf(status === 'paused' ? 'unpaid' : status)
  const [best] = [...states.values()]
    .filter(({ customer, plan }) => plan && links.includes(customer))
    .sort((a, b) => rank(a) - rank(b) || b.createdAt - a.createdAt)
  const open = links.filter((customer) => !deleted.includes(customer))
  const customer = best && open.includes(best.customer) ? best.customer : open.at(-1)
  // All of them began during the trial.
  const counts = best && best.status !== 'canceled'
  return {
    plan: counts ? best.plan : 'enterprise',
    status: counts ? (best.status === 'paused' ? 'unpaid' : best.status) : 'trialing',
    subscription: best ? `sub_${best.subscription}_${tag}` : null,
    customer: customer === undefined ? null : `cus_${customer}_${tag}`,
  }
}
