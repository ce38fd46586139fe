import { createHmac } from 'node:crypto'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Clock } from './clock.ts'
import type { Records } from './records.ts'
import { type LocalSubscription, newId, type StripeState } from './stripe-state.ts'

export interface StripeEvent {
  id: string
  type: string
  created: number
  data: { object: object }
}

export interface StripeEvents {
  /** Makes an event and, unless told to keep it, delivers it. */
  send(type: string, object: object, keep?: Keep): Promise<Played>
  /** Delivers a kept or former event once more. */
  resend(id: string): Promise<Played | undefined>
  /** Changes a subscription's state and tells so. */
  move(subscription: LocalSubscription, status: LocalSubscription['status'], keep?: Keep): Promise<Played>
  /** Buys a plan's price for an account, as the checkout of a pricing page does. */
  subscribe(accountId: string, price: string, keep?: Keep): Promise<Played[]>
  subscriptionObject(subscription: LocalSubscription): object
  /** `/` and `/:id/resend`: the desk's levers. */
  routes(accountOf: (email: string) => Promise<string>): Hono
}

interface Keep {
  /** Made and not delivered: for `resend`, in whatever order. */
  keep?: boolean | undefined
  /** The event's second, when not now. */
  created?: number | undefined
}
/** An event and what its delivery was answered; status null when it was not delivered. */
export interface Played {
  event: StripeEvent
  status: number | null
  answer: unknown
}

interface Options {
  records: Records
  clock: Clock
  webhookSecret: string
  places: { webhook: string }
  state: StripeState
}

export function createStripeEvents({ records, clock, webhookSecret, places, state }: Options): StripeEvents {
  const made = new Map<string, StripeEvent>()
  let latest = 0
  // The provider's time does not go back when the desk's clock does.
  const now = () => {
    latest = Math.max(latest, Math.floor(clock.now() / 1000))
    return latest
  }

  async function deliver(event: StripeEvent): Promise<Played> {
    const body = JSON.stringify(event)
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signed(body, webhookSecret) }
    const answer = await fetch(places.webhook, { method: 'POST', headers, body }).catch(() => null)
    const text = (await answer?.text()) ?? ''
    const response: unknown = text.startsWith('{') ? JSON.parse(text) : text
    records.add('billing', { method: 'POST', path: places.webhook, request: event, status: answer?.status ?? 0, response })
    return { event, status: answer?.status ?? 0, answer: response }
  }

  const events: StripeEvents = {
    async send(type, object, { keep, created = now() } = {}) {
      const event = {
        id: newId('evt'),
        object: 'event',
        api_version: '2026-10-28.endive',
        type,
        created,
        livemode: false,
        data: { object },
      }
      made.set(event.id, event)
      if (!keep) return deliver(event)
      records.add('billing', { method: 'KEPT', path: places.webhook, request: event, status: 0, response: null })
      return { event, status: null, answer: null }
    },
    async resend(id) {
      const event = made.get(id)
      return event && deliver(event)
    },
    move(subscription, status, keep) {
      subscription.status = status
      const type = status === 'canceled' ? 'deleted' : 'updated'
      return events.send(`customer.subscription.${type}`, events.subscriptionObject(subscription), keep)
    },
    async subscribe(accountId, price, keep) {
      const customer = { id: newId('cus'), email: null, deleted: false, metadata: {} }
      state.customers.set(customer.id, customer)
      const subscription = { id: newId('sub'), customer: customer.id, status: 'active' as const, price, anchor: now(), metadata: {} }
      state.subscriptions.set(subscription.id, subscription)
      // The provider tells of the subscription before it tells whose it is.
      const first = await events.send('customer.subscription.created', events.subscriptionObject(subscription), keep)
      const session = {
        object: 'checkout.session',
        id: newId('cs'),
        client_reference_id: accountId,
        customer: customer.id,
        subscription: subscription.id,
      }
      return [first, await events.send('checkout.session.completed', session, keep)]
    },
    subscriptionObject: ({ id, customer, status, price, anchor, metadata }) => ({
      id,
      object: 'subscription',
      customer,
      status,
      metadata,
      billing_cycle_anchor: anchor,
      items: {
        object: 'list',
        data: [
          { object: 'subscription_item', quantity: 1, current_period_end: nextMonth(anchor, now()), price: { id: price, object: 'price' } },
        ],
      },
    }),
    routes: (accountOf) => deskRoutes(events, state, made, accountOf),
  }
  return events
}

/** Stripe's header: over the second of sending and the body, by the real clock, since a signature is about now. */
export function signed(body: string, secret: string, at: number = Math.floor(Date.now() / 1000)): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}

function nextMonth(anchor: number, now: number): number {
  const end = new Date(anchor * 1000)
  while (end.getTime() / 1000 <= now) end.setUTCMonth(end.getUTCMonth() + 1)
  return Math.floor(end.getTime() / 1000)
}

const states = { past_due: 'past_due', paid: 'active', unpaid: 'unpaid', canceled: 'canceled' } as const

const Play = z
  .strictObject({
    action: z.enum(['subscribe', 'past_due', 'paid', 'unpaid', 'canceled', 'change_price']),
    account_id: z.uuid().optional(),
    email: z.email().optional().describe("Somebody's address, instead of the account's id."),
    price: z.string().default('price_local_pro_monthly'),
    keep: z.union([z.boolean(), z.stringbool()]).optional().describe('Make the event and do not deliver it.'),
    created: z.int().optional().describe("The event's second."),
  })
  .refine(({ account_id, email }) => account_id || email, 'account_id or email')

function deskRoutes(
  events: StripeEvents,
  { subscriptions }: StripeState,
  made: Map<string, StripeEvent>,
  accountOf: (email: string) => Promise<string>,
): Hono {
  const app = new Hono()
  const ofAccount = new Map<string, string>()
  app.get('/', (c) => c.json([...made.values()].toReversed()))
  app.post('/', async (c) => {
    const { action, account_id, email = '', price, ...keep } = Play.parse(await c.req.json().catch(() => undefined))
    const account = account_id ?? (await accountOf(email))
    if (action === 'subscribe') {
      const played = await events.subscribe(account, price, keep)
      ofAccount.set(account, [...subscriptions.keys()].at(-1) ?? '')
      return c.json(played, 201)
    }
    const subscription = subscriptions.get(ofAccount.get(account) ?? '')
    if (!subscription) return c.json({ error: 'This account has not subscribed here: subscribe first.' }, 409)
    if (action === 'change_price') subscription.price = price
    return c.json([await events.move(subscription, action === 'change_price' ? subscription.status : states[action], keep)], 201)
  })
  app.post('/:id/resend', async (c) => {
    const played = await events.resend(c.req.param('id'))
    return played ? c.json(played, 201) : c.json({ error: 'No such event.' }, 404)
  })
  app.onError((error, c) => c.json({ error: error.message }, error instanceof z.ZodError ? 422 : 500))
  return app
}
