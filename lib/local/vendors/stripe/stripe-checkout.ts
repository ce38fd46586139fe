import { randomBytes } from 'node:crypto'
import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { Clock } from '#local/clock.ts'
import type { StripeEvents } from './stripe-events.ts'
import { type CheckoutSession, createId, parseMetadata, type StripeState } from './stripe-state.ts'

interface CheckoutOptions {
  state: StripeState
  clock: Clock
  urls: { origin: string }
}

const daySeconds = 86_400
const localPrice = /^price_local_\w+$/

/**
 * Add the creation of checkout sessions, with the refusals of
 * https://docs.stripe.com/api/checkout/sessions/create.
 */
export function addCheckoutSessionRoute(app: Hono, { state, clock, urls }: CheckoutOptions): void {
  app.post('/v1/checkout/sessions', async (c) => {
    const form: Record<string, string> = Object.fromEntries(new URLSearchParams(await c.req.text()))
    const refusal = findRefusal(form, state)
    if (refusal) return c.json({ error: { ...refusal, type: 'invalid_request_error' } }, 400)
    const created = Math.floor(clock.now() / 1000)
    const session: CheckoutSession = {
      id: createId('cs'),
      status: 'open',
      customer: form.customer ?? null,
      email: form.customer_email ?? null,
      reference: form.client_reference_id ?? null,
      price: form['line_items[0][price]'] ?? '',
      successUrl: form.success_url ?? '',
      cancelUrl: form.cancel_url ?? '',
      expiresAt: created + daySeconds,
      subscriptionMetadata: parseMetadata(form, 'subscription_data[metadata]'),
    }
    const token = randomBytes(16).toString('hex')
    state.checkouts.set(token, session)
    return c.json({
      id: session.id,
      object: 'checkout.session',
      created,
      livemode: false,
      mode: 'subscription',
      status: 'open',
      payment_status: 'unpaid',
      client_reference_id: session.reference,
      customer: session.customer,
      customer_email: session.email,
      subscription: null,
      success_url: session.successUrl,
      cancel_url: session.cancelUrl,
      expires_at: session.expiresAt,
      url: `${urls.origin}/stripe/checkout/${token}`,
    })
  })
}

interface Refusal {
  code?: string
  message: string
  param: string
}

function findRefusal(form: Record<string, string>, { customers }: StripeState): Refusal | null {
  const missing = ['mode', 'line_items[0][price]', 'success_url'].find((param) => !form[param])
  if (missing)
    return { code: 'parameter_missing', message: `Missing required param: ${missing}.`, param: missing }
  const price = form['line_items[0][price]'] ?? ''
  const { customer, customer_email, client_reference_id: reference = '', mode, success_url = '' } = form
  if (mode !== 'subscription') return { message: `The local Stripe knows no mode '${mode}'`, param: 'mode' }
  if (customer && customer_email)
    return {
      message: 'You may only specify one of these parameters: customer, customer_email.',
      param: 'customer',
    }
  if (customer && customers.get(customer)?.deleted !== false)
    return { code: 'resource_missing', message: `No such customer: '${customer}'`, param: 'customer' }
  if (!localPrice.test(price))
    return { code: 'resource_missing', message: `No such price: '${price}'`, param: 'line_items[0][price]' }
  // Stripe's reference has up to 200 letters, digits, `-` and `_`.
  if (reference && !/^[\w-]{1,200}$/.test(reference))
    return { message: 'Invalid client_reference_id', param: 'client_reference_id' }
  return URL.canParse(success_url)
    ? null
    : { code: 'url_invalid', message: 'Not a valid URL', param: 'success_url' }
}

/**
 * Add the checkout's page, on which a person pays, or fails to. A session ends when it is complete, or after
 * a day.
 */
export function addCheckoutPages(
  app: Hono,
  { state, clock }: Omit<CheckoutOptions, 'urls'>,
  events: StripeEvents,
): void {
  const findOpen = (c: Context) => {
    const session = state.checkouts.get(c.req.param('token') ?? '')
    return session?.status === 'open' && session.expiresAt * 1000 > clock.now() ? session : null
  }
  const showPage = (c: Context, { price, cancelUrl }: CheckoutSession, message: string, status: 200 | 402) =>
    c.html(
      html`<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>Checkout</title></head>
<body style="font:16px/1.5 system-ui;max-width:36rem;margin:3rem auto"><h1>Checkout</h1><p>Subscribe to <b>${price}</b>.</p><p>${message}</p>
<form method="post"><button name="action" value="pay">Pay</button> <button name="action" value="decline">Pay with a declined card</button></form>
<p><a href="${cancelUrl}" rel="noreferrer">Back</a></p></body></html>`,
      status,
    )
  app.get('/checkout/:token', (c) => {
    const session = findOpen(c)
    return session ? showPage(c, session, '', 200) : c.text('This checkout is complete or has expired.', 404)
  })
  app.post('/checkout/:token', async (c) => {
    const session = findOpen(c)
    if (!session) return c.text('This checkout is complete or has expired.', 404)
    const action = new URLSearchParams(await c.req.text()).get('action')
    if (action !== 'pay') return showPage(c, session, 'Your card was declined.', 402)
    await events.complete(session)
    return c.redirect(session.successUrl.replace('{CHECKOUT_SESSION_ID}', session.id), 303)
  })
}
