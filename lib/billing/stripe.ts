import Stripe from 'stripe'
import type { Answered, BillingPort, Subscription, Told } from './billing.ts'

interface Settings {
  secretKey: string | undefined
  webhookSecret: string | undefined
  baseUrl: string
}

const toleranceSeconds = 300
// Nothing is taken away: a signature is over every byte.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const timeoutMs = 5000

/** Stripe, or, without its keys, a port that says so. */
export function stripeBilling({ secretKey, webhookSecret, baseUrl }: Settings): BillingPort {
  const stripe = secretKey ? open(secretKey, baseUrl) : null
  return {
    isConfigured: stripe !== null,
    portalUrl: (customer, return_url) =>
      ask(stripe, async ({ billingPortal }) => (await billingPortal.sessions.create({ customer, return_url })).url),
    subscription: (id) => ask(stripe, async ({ subscriptions }) => subscriptionOf(await subscriptions.retrieve(id))),
    async readEvent({ bytes, headers }) {
      if (!stripe || !webhookSecret) return { ok: false, reason: 'not_configured' }
      try {
        const signature = headers.get('stripe-signature') ?? ''
        const event = await stripe.webhooks.constructEventAsync(decoder.decode(bytes), signature, webhookSecret, toleranceSeconds)
        const { id, type, created } = event
        return { ok: true, value: { id, type, at: time(created), told: toldBy(event) } }
      } catch {
        return { ok: false, reason: 'unsigned' }
      }
    },
  }
}

function open(secretKey: string, baseUrl: string): Stripe {
  // The client knows a host and no path; one retry is under the same idempotency key.
  const toBase = (url: string | URL | Request, init?: RequestInit) => {
    const { pathname, search } = new URL(String(url))
    return fetch(`${baseUrl}${pathname}${search}`, { ...init, redirect: 'manual' })
  }
  const httpClient = Stripe.createFetchHttpClient(toBase as typeof fetch)
  return new Stripe(secretKey, { httpClient, maxNetworkRetries: 1, timeout: timeoutMs, telemetry: false })
}

async function ask<T>(stripe: Stripe | null, work: (stripe: Stripe) => Promise<T>): Promise<Answered<T>> {
  if (!stripe) return { ok: false, reason: 'not_configured' }
  try {
    return { ok: true, value: await work(stripe) }
  } catch (error) {
    const unknown = error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'
    return { ok: false, reason: unknown ? 'unknown' : 'failed' }
  }
}

function toldBy(event: Stripe.Event): Told | null {
  switch (event.type) {
    case 'checkout.session.completed': {
      const { client_reference_id, metadata, customer, subscription } = event.data.object
      return linked(metadata?.account_id ?? client_reference_id, idOf(customer), idOf(subscription))
    }
    case 'customer.created':
    case 'customer.updated':
      return linked(event.data.object.metadata?.account_id, event.data.object.id, null)
    case 'customer.deleted':
      return { kind: 'customer_gone', customerId: event.data.object.id }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed': {
      const subscription = subscriptionOf(event.data.object)
      return subscription && { kind: 'subscription', subscription }
    }
    default:
      return null
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function linked(account: string | null | undefined, customerId: string | null, subscriptionId: string | null): Told | null {
  if (!account || !uuid.test(account) || !customerId) return null
  return { kind: 'linked', accountId: account, customerId, subscriptionId }
}

/** Ours for the provider's states; those that were never paid for are of no consequence. */
const statuses: Partial<Record<Stripe.Subscription.Status, Subscription['status']>> = {
  active: 'active',
  trialing: 'active',
  past_due: 'past_due',
  unpaid: 'unpaid',
  paused: 'unpaid',
  canceled: 'canceled',
}

function subscriptionOf({ id, customer, status, metadata, items, billing_cycle_anchor }: Stripe.Subscription): Subscription | null {
  const ours = statuses[status]
  const customerId = idOf(customer)
  if (!ours || !customerId) return null
  const ends = items.data.map(({ current_period_end }) => current_period_end).filter(Boolean)
  const account = metadata?.account_id ?? ''
  return {
    id,
    customerId,
    accountId: uuid.test(account) ? account : null,
    status: ours,
    priceIds: items.data.map(({ price }) => price.id),
    currentPeriodEnd: ends.length > 0 ? time(Math.max(...ends)) : null,
    anchor: billing_cycle_anchor ? time(billing_cycle_anchor) : null,
  }
}

function idOf(reference: string | { id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null)
}

const time = (seconds: number): string => new Date(seconds * 1000).toISOString()
