import { randomBytes } from 'node:crypto'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { html } from 'hono/html'
import type { Clock } from './clock.ts'
import type { Records } from './records.ts'
import { createStripeEvents, type StripeEvents } from './stripe-events.ts'
import { type Customer, newId, type StripeState } from './stripe-state.ts'

interface StripeOptions {
  records: Records
  clock: Clock
  key: string
  webhookSecret: string
  /** Where events go, and where this stand-in itself answers; known once both listen. */
  places: { webhook: string; origin: string }
}

export interface LocalStripe {
  /** Stripe's own routes, and the portal's page. */
  app: Hono
  events: StripeEvents
}

/** As much of Stripe as billing here needs: customers, subscriptions, portal sessions, and signed events. */
export function createStripe({ records, clock, key, webhookSecret, places }: StripeOptions): LocalStripe {
  const state: StripeState = { customers: new Map(), subscriptions: new Map(), portals: new Map() }
  const events = createStripeEvents({ records, clock, webhookSecret, places, state })
  const app = new Hono()
  app.use('/v1/*', recorded(records, key))
  customerRoutes(app, state, events)
  app.get('/v1/subscriptions/:id', (c) => {
    const found = state.subscriptions.get(c.req.param('id'))
    return found ? c.json(events.subscriptionObject(found)) : missing(c, 'subscription', c.req.param('id'))
  })
  sessionRoute(app, state, clock, places)
  app.all('/v1/*', (c) => refuse(c, 404, `Unrecognized request URL (${c.req.method}: ${c.req.path})`))
  portalRoutes(app, state, events)
  return { app, events }
}

/** Lets in who has the key, and lays every call with its answer on the desk. */
function recorded(records: Records, key: string): MiddlewareHandler {
  return async (c, next) => {
    const record = { method: c.req.method, path: c.req.path, request: Object.fromEntries(new URLSearchParams(await c.req.text())) }
    if (c.req.header('authorization') !== `Bearer ${key}`) c.res = refuse(c, 401, 'Invalid API Key provided')
    else await next()
    c.res.headers.set('request-id', newId('req'))
    records.add('billing', { ...record, status: c.res.status, response: await c.res.clone().json() })
  }
}

function sessionRoute(app: Hono, { customers, portals }: StripeState, clock: Clock, places: { origin: string }): void {
  app.post('/v1/billing_portal/sessions', async (c) => {
    const { customer = '', return_url: returnUrl = '' } = await form(c)
    if (customers.get(customer)?.deleted !== false) return missing(c, 'customer', customer)
    const token = randomBytes(16).toString('hex')
    portals.set(token, { customer, returnUrl })
    const url = `${places.origin}/stripe/portal/${token}`
    const created = Math.floor(clock.now() / 1000)
    return c.json({ id: newId('bps'), object: 'billing_portal.session', created, customer, livemode: false, return_url: returnUrl, url })
  })
}

function customerRoutes(app: Hono, { customers }: StripeState, events: StripeEvents): void {
  app.post('/v1/customers', async (c) => {
    const { email = null, ...rest } = await form(c)
    const metadata = Object.fromEntries(
      Object.entries(rest).flatMap(([name, value]) => {
        const [, inner] = /^metadata\[(\w+)\]$/.exec(name) ?? []
        return inner ? [[inner, value]] : []
      }),
    )
    const customer: Customer = { id: newId('cus'), email, deleted: false, metadata }
    customers.set(customer.id, customer)
    void events.send('customer.created', { object: 'customer', ...customer })
    return c.json({ object: 'customer', ...customer })
  })
  app.get('/v1/customers/:id', (c) => {
    const customer = customers.get(c.req.param('id'))
    return customer ? c.json({ object: 'customer', ...customer }) : missing(c, 'customer', c.req.param('id'))
  })
  app.delete('/v1/customers/:id', (c) => {
    const customer = customers.get(c.req.param('id'))
    if (!customer || customer.deleted) return missing(c, 'customer', c.req.param('id'))
    customer.deleted = true
    void events.send('customer.deleted', { object: 'customer', ...customer })
    return c.json({ id: customer.id, object: 'customer', deleted: true })
  })
}

const moves = { paid: 'Pay what is due', canceled: 'Cancel the subscription' } as const

/** The page a person sees behind a portal's address, with as much to do as the real one has for them. */
function portalRoutes(app: Hono, { portals, subscriptions }: StripeState, events: StripeEvents): void {
  const at = (c: Context) => portals.get(c.req.param('token') ?? '')
  const ofCustomer = (id: string) => [...subscriptions.values()].findLast(({ customer }) => customer === id)
  app.get('/portal/:token', (c) => {
    const portal = at(c)
    if (!portal) return c.text('This link is not valid any more.', 404)
    const subscription = ofCustomer(portal.customer)
    const buttons = Object.entries(moves).map(([action, label]) => html`<button name="action" value="${action}">${label}</button> `)
    const stands = subscription
      ? html`<p><b>${subscription.price}</b> is <b>${subscription.status}</b>.</p>`
      : html`<p>Nothing bought yet.</p>`
    return c.html(html`<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>Billing portal</title></head>
<body style="font:16px/1.5 system-ui;max-width:36rem;margin:3rem auto"><h1>Billing portal</h1>${stands}
<form method="post">${subscription ? buttons : ''}</form><p><a href="${portal.returnUrl}" rel="noreferrer">Back</a></p></body></html>`)
  })
  app.post('/portal/:token', async (c) => {
    const portal = at(c)
    const subscription = portal && ofCustomer(portal.customer)
    const { action } = await form(c)
    if (!subscription || (action !== 'paid' && action !== 'canceled')) return c.text('Nothing to do here.', 404)
    await events.move(subscription, action === 'paid' ? 'active' : 'canceled')
    return c.redirect(c.req.path, 303)
  })
}

async function form(c: Context): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await c.req.text()))
}

function missing(c: Context, what: string, id: string): Response {
  const error = { code: 'resource_missing', message: `No such ${what}: '${id}'`, param: what, type: 'invalid_request_error' }
  return c.json({ error }, what === 'customer' && c.req.method === 'POST' ? 400 : 404)
}

function refuse(c: Context, status: 401 | 404, message: string): Response {
  return c.json({ error: { message, type: 'invalid_request_error' } }, status)
}
