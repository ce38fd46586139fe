import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { expectStatus } from '#test/support/expect-status.ts'
import { secrets, startDestination, startTestServer } from './test-server.ts'

async function startWithClient(statuses: number[] = []) {
  const { requests, url } = await startDestination(statuses)
  const local = await startTestServer({ api: new URL(url).origin })
  const fetchLocal = (address: string | URL | Request, init?: RequestInit) => {
    return fetch(`${local.origin}/stripe${new URL(String(address)).pathname}`, init)
  }
  const httpClient = Stripe.createFetchHttpClient(fetchLocal as typeof fetch)
  return {
    ...local,
    requests,
    stripe: new Stripe(secrets.stripeKey, { httpClient, maxNetworkRetries: 0 }),
    httpClient,
  }
}

const actionBody = (body: object) =>
  JSON.stringify({ account_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d10', ...body })

test('the page of a portal session links back to the return URL', async () => {
  const { stripe } = await startWithClient()
  const { id: customer } = await stripe.customers.create({
    email: 'ada@example.com',
    metadata: { account_id: 'a' },
  })
  const session = await stripe.billingPortal.sessions.create({
    customer,
    return_url: 'https://app.example/settings',
  })
  expect(session).toMatchObject({
    object: 'billing_portal.session',
    customer,
    return_url: 'https://app.example/settings',
  })
  expect(await (await fetch(session.url)).text()).toContain('href="https://app.example/settings"')
  expectStatus(await fetch(`${session.url}x`), 404)
})

test('the local Stripe refuses a wrong key, an unknown customer and a deleted customer as Stripe does', async () => {
  const { stripe, httpClient } = await startWithClient()
  const otherClient = new Stripe('sk_wrong', { httpClient, maxNetworkRetries: 0 })
  await expect(otherClient.customers.create()).rejects.toMatchObject({
    statusCode: 401,
    type: 'StripeAuthenticationError',
  })
  const create = (customer: string) => stripe.billingPortal.sessions.create({ customer })
  await expect(create('cus_nobody')).rejects.toMatchObject({
    code: 'resource_missing',
    type: 'StripeInvalidRequestError',
  })
  const { id } = await stripe.customers.create()
  await stripe.customers.del(id)
  await expect(create(id)).rejects.toMatchObject({ code: 'resource_missing' })
  await expect(stripe.subscriptions.retrieve('sub_nobody')).rejects.toMatchObject({
    code: 'resource_missing',
    statusCode: 404,
  })
})

test('cancels the subscriptions of a customer that is deleted, as Stripe does', async () => {
  const { call, requests, stripe } = await startWithClient()
  await call('POST', '/desk/billing/events', actionBody({ action: 'subscribe', price: 'price_x' }))
  const { customer, id } = JSON.parse(requests[0]?.body ?? '').data.object
  await stripe.customers.del(customer)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
  const types = () => requests.map(({ body }) => JSON.parse(body).type)
  await expect
    .poll(types)
    .toEqual(expect.arrayContaining(['customer.subscription.deleted', 'customer.deleted']))
})

test('sends the events of a dashboard action with signatures that Stripe’s own client accepts, and can send them again', async () => {
  const { call, requests, stripe, read } = await startWithClient([500])
  await call('POST', '/desk/billing/events', actionBody({ action: 'subscribe', price: 'price_x' }))
  const events = await Promise.all(
    requests.map(({ body, headers }) =>
      stripe.webhooks.constructEventAsync(
        body,
        String(headers['stripe-signature']),
        secrets.stripeWebhookSecret,
      ),
    ),
  )
  expect(events.map(({ type }) => type)).toEqual([
    'customer.subscription.created',
    'checkout.session.completed',
  ])
  const [first] = events
  await call('POST', `/desk/billing/events/${first?.id}/resend`)
  expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual(JSON.parse(requests[0]?.body ?? ''))
  const subscription = await stripe.subscriptions.retrieve(
    (first?.data.object as { id: string } | undefined)?.id ?? '',
  )
  expect(subscription).toMatchObject({ status: 'active', items: { data: [{ price: { id: 'price_x' } }] } })
  expect((await read('/desk/billing')).map(({ status }) => status)).toContain(500)
})

test('the dashboard does not deliver events with `skipDelivery`, and refuses actions for an account without a subscription', async () => {
  const { call, requests } = await startWithClient()
  expectStatus(await call('POST', '/desk/billing/events', actionBody({ action: 'paid' })), 409)
  expectStatus(await call('POST', '/desk/billing/events', actionBody({ action: 'explode' })), 422)
  await call('POST', '/desk/billing/events', actionBody({ action: 'subscribe', skipDelivery: 'true' }))
  expect(requests).toEqual([])
  expectStatus(await call('POST', '/desk/billing/events/evt_none/resend'), 404)
})

test('a subscription can be canceled on the portal’s page', async () => {
  const { call, requests, stripe } = await startWithClient()
  const response = await call('POST', '/desk/billing/events', actionBody({ action: 'subscribe' }))
  const [{ event }] = (await response.json()) as [{ event: { data: { object: { customer: string } } } }]
  const { url } = await stripe.billingPortal.sessions.create({
    customer: event.data.object.customer,
    return_url: 'https://app.example/',
  })
  expect(await (await fetch(url)).text()).toContain('active')
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'canceled' }), redirect: 'manual' })
  expect(await (await fetch(url)).text()).toContain('canceled')
  expect(JSON.parse(requests.at(-1)?.body ?? '')).toMatchObject({ type: 'customer.subscription.deleted' })
})

test('the local Stripe refuses a checkout as Stripe does', async () => {
  const { stripe } = await startWithClient()
  const checkout = {
    mode: 'subscription' as const,
    line_items: [{ price: 'price_local_team_monthly', quantity: 1 }],
    success_url: 'https://app.example/s',
  } satisfies Stripe.Checkout.SessionCreateParams
  const { id: customer } = await stripe.customers.create()
  const refused: [object, string][] = [
    [{ mode: undefined }, 'mode'],
    [{ line_items: [] }, 'line_items[0][price]'],
    [{ success_url: undefined }, 'success_url'],
    [{ success_url: 'not an address' }, 'success_url'],
    [{ line_items: [{ price: 'price_none', quantity: 1 }] }, 'line_items[0][price]'],
    [{ customer: 'cus_nobody' }, 'customer'],
    [{ customer, customer_email: 'ada@example.com' }, 'customer'],
    [{ client_reference_id: 'x'.repeat(201) }, 'client_reference_id'],
  ]
  for (const [changes, param] of refused)
    await expect(stripe.checkout.sessions.create({ ...checkout, ...changes }), param).rejects.toMatchObject({
      statusCode: 400,
      param,
    })
  expect(await stripe.checkout.sessions.create({ ...checkout, customer })).toMatchObject({
    object: 'checkout.session',
    customer,
    status: 'open',
  })
})

test('a paid checkout sends the subscription with its metadata, then the checkout with its reference', async () => {
  const { requests, stripe } = await startWithClient()
  const { url } = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: 'price_local_team_monthly', quantity: 1 }],
    client_reference_id: 'ref_a',
    subscription_data: { metadata: { account_id: 'ref_a' } },
    success_url: 'https://app.example/s?id={CHECKOUT_SESSION_ID}',
  })
  const paid = await fetch(url ?? '', {
    method: 'POST',
    body: new URLSearchParams({ action: 'pay' }),
    redirect: 'manual',
  })
  expect(paid.headers.get('location')).toMatch(/^https:\/\/app\.example\/s\?id=cs_local/)
  const [created, completed] = requests.map(({ body }) => JSON.parse(body))
  expect(created).toMatchObject({
    type: 'customer.subscription.created',
    data: { object: { status: 'active', metadata: { account_id: 'ref_a' }, cancel_at_period_end: false } },
  })
  const { id: subscription, customer } = created.data.object
  expect(completed).toMatchObject({
    type: 'checkout.session.completed',
    data: { object: { client_reference_id: 'ref_a', subscription, customer } },
  })
  expectStatus(await fetch(url ?? ''), 404)
})

test('the plan can be changed and its end planned on the portal’s page', async () => {
  const { call, requests, stripe } = await startWithClient()
  await call('POST', '/desk/billing/events', actionBody({ action: 'subscribe' }))
  const { customer, id } = JSON.parse(requests[0]?.body ?? '').data.object
  const { url } = await stripe.billingPortal.sessions.create({ customer, return_url: 'https://app.example/' })
  const press = (form: Record<string, string>) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  expectStatus(await press({ action: 'change_price', price: 'price_local_team_annual' }), 303)
  expectStatus(await press({ action: 'cancel_at_period_end' }), 303)
  expectStatus(await press({ action: 'change_price' }), 404)
  const subscription = await stripe.subscriptions.retrieve(id)
  expect(subscription).toMatchObject({
    status: 'active',
    cancel_at_period_end: true,
    cancel_at: expect.any(Number),
  })
  expect(subscription.items.data[0]?.price.id).toBe('price_local_team_annual')
  await press({ action: 'resume' })
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({
    cancel_at_period_end: false,
    cancel_at: null,
  })
})
