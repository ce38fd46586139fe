import Stripe from 'stripe'
import { createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import { readSentence } from '#vendors/net/refusal.ts'
import type { AccountReferences } from './account-reference.ts'
import type { BillingChange, BillingPort, Checkout, ProviderResult, Subscription } from './billing.ts'

export interface StripeSettings {
  secretKey: string | undefined
  webhookSecret: string | undefined
  baseUrl: string
  references: AccountReferences
}

const toleranceSeconds = 300
// Keeps a byte order mark, because the signature covers every byte.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const timeoutMs = 5000
const maxBytes = 1024 * 1024

/** Create a billing port that uses Stripe. Without its keys every call returns `not_configured`. */
export function stripeBilling({
  secretKey,
  webhookSecret,
  baseUrl,
  references,
}: StripeSettings): BillingPort {
  const stripe = secretKey ? openStripe(secretKey, baseUrl) : null
  return {
    isConfigured: stripe !== null,
    createReference: references.sign,
    createPortalUrl: (customer, return_url) =>
      callStripe(
        stripe,
        secretKey,
        async ({ billingPortal }) => (await billingPortal.sessions.create({ customer, return_url })).url,
      ),
    createCheckoutUrl: (checkout) =>
      callStripe(stripe, secretKey, (client) => createCheckoutUrl(client, checkout)),
    // It also cancels the customer's subscriptions at once: https://docs.stripe.com/api/customers/delete
    deleteCustomer: (id) =>
      callStripe(stripe, secretKey, async ({ customers }) => {
        await customers.del(id)
        return null
      }),
    getSubscription: (id) =>
      callStripe(stripe, secretKey, async ({ subscriptions }) =>
        toSubscription(await subscriptions.retrieve(id), references),
      ),
    async readEvent({ bytes, headers }) {
      if (!stripe || !webhookSecret) return { ok: false, reason: 'not_configured' }
      try {
        const signature = headers.get('stripe-signature') ?? ''
        const event = await stripe.webhooks.constructEventAsync(
          decoder.decode(bytes),
          signature,
          webhookSecret,
          toleranceSeconds,
        )
        const { id, type, created } = event
        return {
          ok: true,
          value: { id, type, at: toTime(created), change: await readChange(event, references) },
        }
      } catch {
        return { ok: false, reason: 'unsigned' }
      }
    },
  }
}

function openStripe(secretKey: string, baseUrl: string): Stripe {
  const fetchBounded = createBoundedFetch('billing', { timeoutMs, maxBytes })
  // The client takes a host without a path. Its one retry uses the same idempotency key.
  const toBase = async (url: string | URL | Request, init?: RequestInit) => {
    const { pathname, search } = new URL(String(url))
    const response = await fetchBounded(`${baseUrl}${pathname}${search}`, init)
    // The client would read a redirect as an answer.
    if (response.status >= 300 && response.status < 400)
      throw new Error('The billing provider sent a redirect')
    return response
  }
  const httpClient = Stripe.createFetchHttpClient(toBase as typeof fetch)
  return new Stripe(secretKey, { httpClient, maxNetworkRetries: 1, timeout: timeoutMs, telemetry: false })
}

/**
 * The subscription's own events carry the reference too, so they link the customer even before the checkout's
 * event arrives.
 */
async function createCheckoutUrl(
  stripe: Stripe,
  { priceId, reference, customerId, email, successUrl, cancelUrl }: Checkout,
): Promise<string> {
  // Stripe refuses a customer together with an address: https://docs.stripe.com/api/checkout/sessions/create
  const { url } = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: priceId, quantity: 1 }],
    client_reference_id: reference,
    subscription_data: { metadata: { account_id: reference } },
    ...(customerId === null ? { customer_email: email } : { customer: customerId }),
    success_url: successUrl,
    cancel_url: cancelUrl,
  })
  if (url === null) throw new Error('The checkout session has no page')
  return url
}

async function callStripe<T>(
  stripe: Stripe | null,
  secretKey: string | undefined,
  work: (stripe: Stripe) => Promise<T>,
): Promise<ProviderResult<T>> {
  if (!stripe) return { ok: false, reason: 'not_configured' }
  try {
    return { ok: true, value: await work(stripe) }
  } catch (error) {
    const unknown =
      error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'
    // Only an answer has a sentence. The client repeats parts of a refused key.
    const said = error instanceof Stripe.errors.StripeError && error.statusCode ? error.message : ''
    const cleaned = said.replace(/\b[sr]k_[\w*]+/g, '…')
    const message = (await readSentence(cleaned, secretKey ? [secretKey] : [], 'all')) ?? undefined
    return { ok: false, reason: unknown ? 'unknown' : 'failed', message }
  }
}

async function readChange(event: Stripe.Event, references: AccountReferences): Promise<BillingChange | null> {
  switch (event.type) {
    case 'checkout.session.completed': {
      const { client_reference_id, metadata, customer, subscription } = event.data.object
      return toLink(
        await readAccount(references, metadata?.account_id ?? client_reference_id),
        getId(customer),
        getId(subscription),
      )
    }
    case 'customer.created':
    case 'customer.updated':
      return toLink(
        await readAccount(references, event.data.object.metadata?.account_id),
        event.data.object.id,
        null,
      )
    case 'customer.deleted':
      return { kind: 'customer_gone', customerId: event.data.object.id }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed': {
      const subscription = await toSubscription(event.data.object, references)
      return subscription && { kind: 'subscription', subscription }
    }
    default:
      return null
  }
}

/** Return the account that an event names. A reference that we did not sign names none. */
async function readAccount(
  { verify }: AccountReferences,
  reference: string | null | undefined,
): Promise<string | null> {
  return reference ? verify(reference) : null
}

function toLink(
  accountId: string | null,
  customerId: string | null,
  subscriptionId: string | null,
): BillingChange | null {
  return accountId && customerId ? { kind: 'linked', accountId, customerId, subscriptionId } : null
}

/** Maps Stripe's states. A state that is missing here means that the subscription was never paid. */
const statuses: Partial<Record<Stripe.Subscription.Status, Subscription['status']>> = {
  active: 'active',
  trialing: 'active',
  past_due: 'past_due',
  unpaid: 'unpaid',
  paused: 'unpaid',
  canceled: 'canceled',
}

/** Until API version 2025-03-31 the period's end was a field of the subscription; then it moved to the items. An event has the version of its
 * webhook:
 * https://docs.stripe.com/changelog/basil/2025-03-31/deprecate-subscription-current-period-start-and-end */
type AnySubscription = Stripe.Subscription & { current_period_end?: number | null }

async function toSubscription(
  subscription: AnySubscription,
  references: AccountReferences,
): Promise<Subscription | null> {
  const {
    id,
    customer,
    status,
    metadata,
    items,
    billing_cycle_anchor,
    created,
    cancel_at,
    cancel_at_period_end,
  } = subscription
  const mappedStatus = statuses[status]
  const customerId = getId(customer)
  if (!mappedStatus || !customerId) return null
  const ends = items.data.map(({ current_period_end }) => current_period_end).filter(Boolean)
  const periodEnd = ends.length > 0 ? Math.max(...ends) : subscription.current_period_end
  const cancelsAtPeriodEnd = cancel_at_period_end === true
  return {
    id,
    customerId,
    accountId: await readAccount(references, metadata?.account_id),
    status: mappedStatus,
    priceIds: items.data.map(({ price }) => price.id),
    createdAt: toTimeOrNull(created),
    currentPeriodEnd: toTimeOrNull(periodEnd),
    cancelAt: toTimeOrNull(cancel_at ?? (cancelsAtPeriodEnd ? periodEnd : null)),
    cancelsAtPeriodEnd,
    anchor: toTimeOrNull(billing_cycle_anchor),
  }
}

function getId(reference: string | { id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null)
}

const toTime = (seconds: number): string => new Date(seconds * 1000).toISOString()
const toTimeOrNull = (seconds: number | null | undefined): string | null => (seconds ? toTime(seconds) : null)
