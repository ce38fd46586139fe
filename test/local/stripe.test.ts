import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { expectStatus } from '../support/answers.ts'
import { destination, secrets, stand } from './stand.ts'

async function vendor(statuses: number[] = []) {
  const { hits, url } = await destination(statuses)
  const local = await stand({ api: new URL(url).origin })
  const toLocal = (address: string | URL | Request, init?: RequestInit) => {
    return fetch(`${local.origin}/stripe${new URL(String(address)).pathname}`, init)
  }
  const httpClient = Stripe.createFetchHttpClient(toLocal as typeof fetch)
  return { ...local, hits, stripe: new Stripe(secrets.stripeKey, { httpClient, maxNetworkRetries: 0 }), httpClient }
}

const play = (body: object) => JSON.stringify({ account_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d10', ...body })

test('a portal session of a customer leads to a page that leads back', async () => {
  const { stripe } = await vendor()
  const { id: customer } = await stripe.customers.create({ email: 'ada@example.com', metadata: { account_id: 'a' } })
  const session = await stripe.billingPortal.sessions.create({ customer, return_url: 'https://app.example/settings' })
  expect(session).toMatchObject({ object: 'billing_portal.session', customer, return_url: 'https://app.example/settings' })
  expect(await (await fetch(session.url)).text()).toContain('href="https://app.example/settings"')
  expectStatus(await fetch(`${session.url}x`), 404)
})

test('a wrong key, an unknown customer and a deleted one are refused as the vendor refuses them', async () => {
  const { stripe, httpClient } = await vendor()
  const stranger = new Stripe('sk_wrong', { httpClient, maxNetworkRetries: 0 })
  await expect(stranger.customers.create()).rejects.toMatchObject({ statusCode: 401, type: 'StripeAuthenticationError' })
  const create = (customer: string) => stripe.billingPortal.sessions.create({ customer })
  await expect(create('cus_nobody')).rejects.toMatchObject({ code: 'resource_missing', type: 'StripeInvalidRequestError' })
  const { id } = await stripe.customers.create()
  await stripe.customers.del(id)
  await expect(create(id)).rejects.toMatchObject({ code: 'resource_missing' })
  await expect(stripe.subscriptions.retrieve('sub_nobody')).rejects.toMatchObject({ code: 'resource_missing', statusCode: 404 })
})

test('what is played on the desk is sent as events that the vendor’s own client verifies, and can be sent again', async () => {
  const { call, hits, stripe, read } = await vendor([500])
  await call('POST', '/desk/billing/events', play({ action: 'subscribe', price: 'price_x' }))
  const events = await Promise.all(
    hits.map(({ body, headers }) =>
      stripe.webhooks.constructEventAsync(body, String(headers['stripe-signature']), secrets.stripeWebhookSecret),
    ),
  )
  expect(events.map(({ type }) => type)).toEqual(['customer.subscription.created', 'checkout.session.completed'])
  const [first] = events
  await call('POST', `/desk/billing/events/${first?.id}/resend`)
  expect(JSON.parse(hits.at(-1)?.body ?? '')).toEqual(JSON.parse(hits[0]?.body ?? ''))
  const subscription = await stripe.subscriptions.retrieve((first?.data.object as { id: string } | undefined)?.id ?? '')
  expect(subscription).toMatchObject({ status: 'active', items: { data: [{ price: { id: 'price_x' } }] } })
  expect((await read('/desk/billing')).map(({ status }) => status)).toContain(500)
})

test('an event may be kept for later, and nothing is played for who has not subscribed', async () => {
  const { call, hits } = await vendor()
  expectStatus(await call('POST', '/desk/billing/events', play({ action: 'paid' })), 409)
  expectStatus(await call('POST', '/desk/billing/events', play({ action: 'explode' })), 422)
  await call('POST', '/desk/billing/events', play({ action: 'subscribe', keep: 'true' }))
  expect(hits).toEqual([])
  expectStatus(await call('POST', '/desk/billing/events/evt_none/resend'), 404)
})

test('a person in the portal can cancel, and pay', async () => {
  const { call, hits, stripe } = await vendor()
  const played = await call('POST', '/desk/billing/events', play({ action: 'subscribe' }))
  const [{ event }] = (await played.json()) as [{ event: { data: { object: { customer: string } } } }]
  const { url } = await stripe.billingPortal.sessions.create({ customer: event.data.object.customer, return_url: 'https://app.example/' })
  expect(await (await fetch(url)).text()).toContain('active')
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'canceled' }), redirect: 'manual' })
  expect(await (await fetch(url)).text()).toContain('canceled')
  expect(JSON.parse(hits.at(-1)?.body ?? '')).toMatchObject({ type: 'customer.subscription.deleted' })
})
