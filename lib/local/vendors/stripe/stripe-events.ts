import { createHmac } from 'node:crypto'
import { Hono } from 'hono'
import * as z from 'zod'
import type { Clock } from '#local/clock.ts'
import type { Records } from '#local/vendors/records.ts'
import { type CheckoutSession, createId, type LocalSubscription, type StripeState } from './stripe-state.ts'

export interface StripeEvent {
  id: string
  type: string
  created: number
  data: { object: object }
}

export interface StripeEvents {
  /** Create an event and deliver it, unless `skipDelivery` is set. */
  send(type: string, object: object, options?: SendOptions): Promise<SentEvent>
  /** Deliver an existing event, for the first time or again. */
  resend(id: string): Promise<SentEvent | undefined>
  /** Change a subscription's status and send the event. */
  changeStatus(
    subscription: LocalSubscription,
    status: LocalSubscription['status'],
    options?: SendOptions,
  ): Promise<SentEvent>
  /** Send the event of a change of a subscription that keeps its status. */
  sendUpdate(subscription: LocalSubscription, options?: SendOptions): Promise<SentEvent>
  /** Subscribe an account to a price and send the events of a checkout. */
  subscribe(
    accountId: string,
    price: string,
    options?: SendOptions & { customer?: string | undefined },
  ): Promise<SentEvent[]>
  /** Complete a checkout session and send its events. */
  complete(session: CheckoutSession, options?: SendOptions): Promise<SentEvent[]>
  /** Return a subscription in Stripe's format. */
  subscriptionObject(subscription: LocalSubscription): object
  /** Create the dashboard's routes `/` and `/:id/resend`. */
  createRoutes(findAccountId: (email: string) => Promise<string>): Hono
}

interface SendOptions {
  /** Do not deliver the event. `resend` can deliver it later, in any order. */
  skipDelivery?: boolean | undefined
  /** Time of the event in seconds since the epoch, now by default. */
  created?: number | undefined
}
/**
 * An event and the response to its delivery. `status` is null if no delivery was attempted, and 0 if there
 * was no response.
 */
export interface SentEvent {
  event: StripeEvent
  status: number | null
  answer: unknown
}

interface Options {
  records: Records
  clock: Clock
  webhookSecret: string
  urls: { webhook: string }
  /** Create the service's reference of an account, as its frontend adds it to a checkout. */
  createReference(accountId: string): Promise<string>
  state: StripeState
}

/** Create the part of the Stripe emulator that sends events. */
export function createStripeEvents({
  records,
  clock,
  webhookSecret,
  urls,
  createReference,
  state,
}: Options): StripeEvents {
  const eventById = new Map<string, StripeEvent>()
  let latest = 0
  // Stripe's time never goes back, even when the dashboard's clock does.
  const now = () => {
    latest = Math.max(latest, Math.floor(clock.now() / 1000))
    return latest
  }

  async function deliver(event: StripeEvent): Promise<SentEvent> {
    const body = JSON.stringify(event)
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signPayload(body, webhookSecret),
    }
    const response = await fetch(urls.webhook, { method: 'POST', headers, body }).catch(() => null)
    const status = response?.status ?? 0
    const text = (await response?.text()) ?? ''
    const answer: unknown = text.startsWith('{') ? JSON.parse(text) : text
    records.add('billing', { method: 'POST', path: urls.webhook, request: event, status, response: answer })
    return { event, status, answer }
  }

  const events: StripeEvents = {
    async send(type, object, { skipDelivery, created = now() } = {}) {
      const event = {
        id: createId('evt'),
        object: 'event',
        api_version: '2026-10-28.endive',
        type,
        created,
        livemode: false,
        data: { object },
      }
      eventById.set(event.id, event)
      if (!skipDelivery) return deliver(event)
      records.add('billing', {
        method: 'NOT SENT',
        path: urls.webhook,
        request: event,
        status: 0,
        response: null,
      })
      return { event, status: null, answer: null }
    },
    async resend(id) {
      const event = eventById.get(id)
      return event && deliver(event)
    },
    changeStatus(subscription, status, options) {
      subscription.status = status
      const type = status === 'canceled' ? 'deleted' : 'updated'
      return events.send(`customer.subscription.${type}`, events.subscriptionObject(subscription), options)
    },
    sendUpdate(subscription, options) {
      return events.send('customer.subscription.updated', events.subscriptionObject(subscription), options)
    },
    async subscribe(accountId, price, { customer, ...options } = {}) {
      const reference = await createReference(accountId)
      const urls = { successUrl: '', cancelUrl: '' }
      const session = {
        id: createId('cs'),
        status: 'open' as const,
        email: null,
        reference,
        subscriptionMetadata: {},
        expiresAt: 0,
        ...urls,
      }
      return events.complete({ ...session, customer: customer ?? null, price }, options)
    },
    async complete(session, options) {
      session.status = 'complete'
      const customer = {
        id: session.customer ?? createId('cus'),
        email: session.email,
        deleted: false,
        metadata: {},
      }
      const isNew = !state.customers.has(customer.id)
      if (isNew) state.customers.set(customer.id, customer)
      const subscription: LocalSubscription = {
        id: createId('sub'),
        customer: customer.id,
        status: 'active',
        price: session.price,
        anchor: options?.created ?? now(),
        cancelAtPeriodEnd: false,
        metadata: session.subscriptionMetadata,
      }
      state.subscriptions.set(subscription.id, subscription)
      // As at Stripe, the event of the subscription comes before the event that names its account.
      const created = await events.send(
        'customer.subscription.created',
        events.subscriptionObject(subscription),
        options,
      )
      const object = {
        object: 'checkout.session',
        id: session.id,
        mode: 'subscription',
        status: 'complete',
        payment_status: 'paid',
        client_reference_id: session.reference,
        customer: customer.id,
        subscription: subscription.id,
        metadata: {},
      }
      return [created, await events.send('checkout.session.completed', object, options)]
    },
    subscriptionObject: ({ id, customer, status, price, anchor, cancelAtPeriodEnd, metadata }) => {
      const periodEnd = currentPeriodEnd(anchor, now())
      const item = {
        object: 'subscription_item',
        quantity: 1,
        current_period_end: periodEnd,
        price: { id: price, object: 'price' },
      }
      return {
        id,
        object: 'subscription',
        customer,
        status,
        metadata,
        created: anchor,
        billing_cycle_anchor: anchor,
        cancel_at: cancelAtPeriodEnd ? periodEnd : null,
        cancel_at_period_end: cancelAtPeriodEnd,
        items: { object: 'list', data: [item] },
      }
    },
    createRoutes: (findAccountId) => createDashboardRoutes(events, state, eventById, findAccountId),
  }
  return events
}

/**
 * Create the `stripe-signature` header of a body. `signedAt` is in seconds since the epoch. It uses the real
 * clock, because the receiver checks it against the real clock.
 */
export function signPayload(
  body: string,
  secret: string,
  signedAt: number = Math.floor(Date.now() / 1000),
): string {
  return `t=${signedAt},v1=${createHmac('sha256', secret).update(`${signedAt}.${body}`).digest('hex')}`
}

/**
 * Return the end of the current monthly period, in seconds since the epoch. It is after the anchor, which
 * tests may set to a later second.
 */
function currentPeriodEnd(anchor: number, now: number): number {
  const end = new Date(anchor * 1000)
  do end.setUTCMonth(end.getUTCMonth() + 1)
  while (end.getTime() / 1000 <= now)
  return Math.floor(end.getTime() / 1000)
}

const statusByAction = {
  past_due: 'past_due',
  paid: 'active',
  unpaid: 'unpaid',
  canceled: 'canceled',
} as const

const ActionInput = z
  .strictObject({
    action: z.enum([
      'subscribe',
      'past_due',
      'paid',
      'unpaid',
      'canceled',
      'change_price',
      'cancel_at_period_end',
      'resume',
    ]),
    account_id: z.uuid().optional(),
    email: z.email().optional().describe('E-mail address of a user of the account, instead of account_id.'),
    price: z.string().default('price_local_pro_monthly'),
    subscription: z
      .string()
      .optional()
      .describe('The subscription to change, the newest of the account by default.'),
    customer: z.string().optional().describe('The customer who subscribes, a new one by default.'),
    skipDelivery: z
      .union([z.boolean(), z.stringbool()])
      .optional()
      .describe('Create the event but do not deliver it.'),
    created: z.int().optional().describe('Time of the event in seconds since the epoch.'),
  })
  .refine(({ account_id, email }) => account_id || email, 'account_id or email is required')

function createDashboardRoutes(
  events: StripeEvents,
  { subscriptions }: StripeState,
  eventById: Map<string, StripeEvent>,
  findAccountId: (email: string) => Promise<string>,
): Hono {
  const app = new Hono()
  const subscriptionIdByAccount = new Map<string, string>()
  app.get('/', (c) => c.json([...eventById.values()].toReversed()))
  app.post('/', async (c) => {
    const {
      action,
      account_id,
      email = '',
      price,
      subscription: id,
      customer,
      ...options
    } = ActionInput.parse(await c.req.json().catch(() => undefined))
    const account = account_id ?? (await findAccountId(email))
    if (action === 'subscribe') {
      const sent = await events.subscribe(account, price, { ...options, customer })
      const [created] = sent
      if (created && 'id' in created.event.data.object)
        subscriptionIdByAccount.set(account, String(created.event.data.object.id))
      return c.json(sent, 201)
    }
    const subscription = subscriptions.get(id ?? subscriptionIdByAccount.get(account) ?? '')
    if (!subscription)
      return c.json({ error: 'The account has no such subscription; send the action subscribe first.' }, 409)
    if (action === 'change_price') subscription.price = price
    if (action === 'cancel_at_period_end' || action === 'resume')
      subscription.cancelAtPeriodEnd = action !== 'resume'
    const isUpdate = action === 'change_price' || action === 'cancel_at_period_end' || action === 'resume'
    const sent = isUpdate
      ? events.sendUpdate(subscription, options)
      : events.changeStatus(subscription, statusByAction[action], options)
    return c.json([await sent], 201)
  })
  app.post('/:id/resend', async (c) => {
    const sent = await events.resend(c.req.param('id'))
    return sent ? c.json(sent, 201) : c.json({ error: 'No such event.' }, 404)
  })
  app.onError((error, c) => c.json({ error: error.message }, error instanceof z.ZodError ? 422 : 500))
  return app
}
