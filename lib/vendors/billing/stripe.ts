import Stripe from 'stripe'
import * as z from 'zod'
import { parseJson } from '#rules/text/json.ts'
import { createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import { readSentence } from '#vendors/net/refusal.ts'
import { flag, list, optionalNumber, part, readItems, text } from '#vendors/net/wire.ts'
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
      const body = decoder.decode(bytes)
      const signature = headers.get('stripe-signature') ?? ''
      const isSigned = await stripe.webhooks.signature
        ?.verifyHeaderAsync(body, signature, webhookSecret, toleranceSeconds)
        .catch(() => false)
      if (!isSigned) return { ok: false, reason: 'unsigned' }
      const event = SignedEvent.safeParse(parseJson(body)).data
      if (!event) return { ok: false, reason: 'unsigned' }
      const { id, type, created, data } = event
      // A signed event is never refused for what it lacks: Stripe would repeat it for days, and then switch the
      // endpoint off.
      const change = created === null ? null : await readChange(type, data.object, references)
      return { ok: true, value: { id, type, at: toTime(created ?? 0), change } }
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

/** An event. Without its time it has no place among the others, so it changes nothing. */
const SignedEvent = z.object({
  id: z.string(),
  type: z.string(),
  created: optionalNumber,
  data: z.object({ object: z.looseObject({}) }),
})
/** The id of a record, which may stand for it or in it. */
const reference = z
  .unknown()
  .optional()
  .transform((value) =>
    text.parse(typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : value),
  )
const metadata = part(z.object({ account_id: text }))
const CheckoutSession = z.object({
  client_reference_id: text,
  metadata,
  customer: reference,
  subscription: reference,
})
const Customer = z.object({ id: reference, metadata })
// Until API version 2025-03-31 the period's end was a field of the subscription; then it moved to the items. An
// event has the version of its webhook:
// https://docs.stripe.com/changelog/basil/2025-03-31/deprecate-subscription-current-period-start-and-end
const SubscriptionWire = z.object({
  id: z.string(),
  customer: reference,
  status: text,
  metadata,
  items: part(z.object({ data: list })),
  billing_cycle_anchor: optionalNumber,
  created: optionalNumber,
  cancel_at: optionalNumber,
  cancel_at_period_end: flag,
  current_period_end: optionalNumber,
})
// Old versions name the plan, whose id is that of the price.
const SubscriptionItem = z.object({ price: reference, plan: reference, current_period_end: optionalNumber })

/** Return the change that an event reports; null if it reports none or lacks what a change needs. */
async function readChange(
  type: string,
  object: unknown,
  references: AccountReferences,
): Promise<BillingChange | null> {
  switch (type) {
    case 'checkout.session.completed': {
      const session = CheckoutSession.safeParse(object).data
      const account = session?.metadata?.account_id ?? session?.client_reference_id
      return toLink(
        await readAccount(references, account),
        session?.customer ?? null,
        session?.subscription ?? null,
      )
    }
    case 'customer.created':
    case 'customer.updated': {
      const customer = Customer.safeParse(object).data
      return toLink(await readAccount(references, customer?.metadata?.account_id), customer?.id ?? null, null)
    }
    case 'customer.deleted': {
      const customerId = Customer.safeParse(object).data?.id
      return customerId ? { kind: 'customer_gone', customerId } : null
    }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed': {
      const subscription = await toSubscription(object, references)
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
const statuses: Partial<Record<string, Subscription['status']>> = {
  active: 'active',
  trialing: 'active',
  past_due: 'past_due',
  unpaid: 'unpaid',
  paused: 'unpaid',
  canceled: 'canceled',
} satisfies Partial<Record<Stripe.Subscription.Status, Subscription['status']>>

async function toSubscription(object: unknown, references: AccountReferences): Promise<Subscription | null> {
  const wire = SubscriptionWire.safeParse(object).data
  const status = statuses[wire?.status ?? '']
  if (!wire?.customer || !status) return null
  const items = readItems('billing', SubscriptionItem, wire.items?.data ?? [])
  const ends = items.flatMap(({ current_period_end }) => current_period_end ?? [])
  const periodEnd = ends.length > 0 ? Math.max(...ends) : wire.current_period_end
  return {
    id: wire.id,
    customerId: wire.customer,
    accountId: await readAccount(references, wire.metadata?.account_id),
    status,
    priceIds: items.flatMap(({ price, plan }) => price ?? plan ?? []),
    createdAt: toTimeOrNull(wire.created),
    currentPeriodEnd: toTimeOrNull(periodEnd),
    cancelAt: toTimeOrNull(wire.cancel_at ?? (wire.cancel_at_period_end ? periodEnd : null)),
    cancelsAtPeriodEnd: wire.cancel_at_period_end,
    anchor: toTimeOrNull(wire.billing_cycle_anchor),
  }
}

const toTime = (seconds: number): string => new Date(seconds * 1000).toISOString()
const toTimeOrNull = (seconds: number | null | undefined): string | null => (seconds ? toTime(seconds) : null)
