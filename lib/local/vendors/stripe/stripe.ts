import { randomBytes } from 'node:crypto'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { html } from 'hono/html'
import type { Clock } from '#local/clock.ts'
import type { Records } from '#local/vendors/records.ts'
import { addCheckoutPages, addCheckoutSessionRoute } from './stripe-checkout.ts'
import { createStripeEvents, type StripeEvents } from './stripe-events.ts'
import {
  type Customer,
  createId,
  type LocalSubscription,
  parseMetadata,
  type StripeState,
} from './stripe-state.ts'

interface StripeOptions {
  records: Records
  clock: Clock
  key: string
  webhookSecret: string
  /**
   * The Worker's webhook and the emulator's own origin. Read when needed, because they are known only once
   * both listen.
   */
  urls: { webhook: string; origin: string }
  createReference(accountId: string): Promise<string>
}

export interface LocalStripe {
  /** Stripe's API and the page of the billing portal. */
  app: Hono
  events: StripeEvents
}

/**
 * Create the part of Stripe that the service uses: customers, subscriptions, portal sessions and signed
 * events.
 */
export function createStripe({
  records,
  clock,
  key,
  webhookSecret,
  urls,
  createReference,
}: StripeOptions): LocalStripe {
  const state: StripeState = {
    customers: new Map(),
    subscriptions: new Map(),
    portals: new Map(),
    checkouts: new Map(),
  }
  const events = createStripeEvents({ records, clock, webhookSecret, urls, createReference, state })
  const app = new Hono()
  app.use('/v1/*', authorizeAndRecord(records, key))
  addCustomerRoutes(app, state, events)
  app.get('/v1/subscriptions/:id', (c) => {
    const subscription = state.subscriptions.get(c.req.param('id'))
    return subscription
      ? c.json(events.subscriptionObject(subscription))
      : refuseMissing(c, 'subscription', c.req.param('id'))
  })
  // https://docs.stripe.com/api/webhook_endpoints/list
  app.get('/v1/webhook_endpoints', (c) =>
    c.json({
      object: 'list',
      has_more: false,
      data: [{ object: 'webhook_endpoint', url: urls.webhook, status: 'enabled', enabled_events: ['*'] }],
    }),
  )
  addPortalSessionRoute(app, state, clock, urls)
  addCheckoutSessionRoute(app, { state, clock, urls })
  app.all('/v1/*', (c) => sendError(c, 404, `Unrecognized request URL (${c.req.method}: ${c.req.path})`))
  addPortalPages(app, state, events)
  addCheckoutPages(app, { state, clock }, events)
  return { app, events }
}

/** Create middleware that requires the API key and records every call with its response. */
function authorizeAndRecord(records: Records, key: string): MiddlewareHandler {
  return async (c, next) => {
    const record = {
      method: c.req.method,
      path: c.req.path,
      request: Object.fromEntries(new URLSearchParams(await c.req.text())),
    }
    if (c.req.header('authorization') !== `Bearer ${key}`)
      c.res = sendError(c, 401, 'Invalid API Key provided')
    else await next()
    c.res.headers.set('request-id', createId('req'))
    records.add('billing', { ...record, status: c.res.status, response: await c.res.clone().json() })
  }
}

function addPortalSessionRoute(
  app: Hono,
  { customers, portals }: StripeState,
  clock: Clock,
  urls: { origin: string },
): void {
  app.post('/v1/billing_portal/sessions', async (c) => {
    const { customer = '', return_url: returnUrl = '' } = await parseForm(c)
    if (customers.get(customer)?.deleted !== false) return refuseMissing(c, 'customer', customer)
    const token = randomBytes(16).toString('hex')
    portals.set(token, { customer, returnUrl })
    const url = `${urls.origin}/stripe/portal/${token}`
    const created = Math.floor(clock.now() / 1000)
    return c.json({
      id: createId('bps'),
      object: 'billing_portal.session',
      created,
      customer,
      livemode: false,
      return_url: returnUrl,
      url,
    })
  })
}

function addCustomerRoutes(app: Hono, { customers, subscriptions }: StripeState, events: StripeEvents): void {
  app.post('/v1/customers', async (c) => {
    const { email = null, ...form } = await parseForm(c)
    const customer: Customer = {
      id: createId('cus'),
      email,
      deleted: false,
      metadata: parseMetadata(form, 'metadata'),
    }
    customers.set(customer.id, customer)
    void events.send('customer.created', { object: 'customer', ...customer })
    return c.json({ object: 'customer', ...customer })
  })
  app.get('/v1/customers/:id', (c) => {
    const customer = customers.get(c.req.param('id'))
    return customer
      ? c.json({ object: 'customer', ...customer })
      : refuseMissing(c, 'customer', c.req.param('id'))
  })
  app.delete('/v1/customers/:id', (c) => {
    const customer = customers.get(c.req.param('id'))
    if (!customer || customer.deleted) return refuseMissing(c, 'customer', c.req.param('id'))
    customer.deleted = true
    // Deleting a customer cancels its subscriptions at once: https://docs.stripe.com/api/customers/delete
    for (const subscription of subscriptions.values())
      if (subscription.customer === customer.id && subscription.status !== 'canceled')
        void events.changeStatus(subscription, 'canceled')
    void events.send('customer.deleted', { object: 'customer', ...customer })
    return c.json({ id: customer.id, object: 'customer', deleted: true })
  })
}

const portalActions = {
  paid: 'Pay the open invoice',
  cancel_at_period_end: 'Cancel at the end of the period',
  resume: 'Do not cancel',
  canceled: 'Cancel now',
} as const

/**
 * Do what a person chose in the portal, and send its event. Return false for what the page does not offer.
 */
async function changeSubscription(
  subscription: LocalSubscription,
  form: Record<string, string>,
  events: StripeEvents,
): Promise<boolean> {
  switch (form.action) {
    case 'paid':
      await events.changeStatus(subscription, 'active')
      return true
    case 'canceled':
      await events.changeStatus(subscription, 'canceled')
      return true
    case 'cancel_at_period_end':
    case 'resume':
      subscription.cancelAtPeriodEnd = form.action === 'cancel_at_period_end'
      await events.sendUpdate(subscription)
      return true
    case 'change_price':
      if (!form.price) return false
      subscription.price = form.price
      await events.sendUpdate(subscription)
      return true
    default:
      return false
  }
}

/** Add the billing portal's page, on which a person can pay, change the plan or cancel. */
function addPortalPages(app: Hono, { portals, subscriptions }: StripeState, events: StripeEvents): void {
  const findPortal = (c: Context) => portals.get(c.req.param('token') ?? '')
  const findSubscription = (id: string) =>
    [...subscriptions.values()].findLast(({ customer }) => customer === id)
  app.get('/portal/:token', (c) => {
    const portal = findPortal(c)
    if (!portal) return c.text('This link is no longer valid.', 404)
    const subscription = findSubscription(portal.customer)
    const buttons = Object.entries(portalActions).map(
      ([action, label]) => html`<button name="action" value="${action}">${label}</button> `,
    )
    const status = subscription
      ? html`<p><b>${subscription.price}</b> is <b>${subscription.status}</b>.</p>`
      : html`<p>No subscription yet.</p>`
    const priceForm = html`<form method="post"><input name="price" placeholder="price_local_team_monthly" />
<button name="action" value="change_price">Change the plan</button></form>`
    return c.html(html`<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>Billing portal</title></head>
<body style="font:16px/1.5 system-ui;max-width:36rem;margin:3rem auto"><h1>Billing portal</h1>${status}
<form method="post">${subscription ? buttons : ''}</form>${subscription ? priceForm : ''}
<p><a href="${portal.returnUrl}" rel="noreferrer">Back</a></p></body></html>`)
  })
  app.post('/portal/:token', async (c) => {
    const portal = findPortal(c)
    const subscription = portal && findSubscription(portal.customer)
    if (!subscription || !(await changeSubscription(subscription, await parseForm(c), events)))
      return c.text('There is nothing to pay, change or cancel.', 404)
    return c.redirect(c.req.path, 303)
  })
}

async function parseForm(c: Context): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await c.req.text()))
}

function refuseMissing(c: Context, type: string, id: string): Response {
  const error = {
    code: 'resource_missing',
    message: `No such ${type}: '${id}'`,
    param: type,
    type: 'invalid_request_error',
  }
  return c.json({ error }, type === 'customer' && c.req.method === 'POST' ? 400 : 404)
}

function sendError(c: Context, status: 401 | 404, message: string): Response {
  return c.json({ error: { message, type: 'invalid_request_error' } }, status)
}
