// @module-tag behaviour
import Stripe from 'stripe'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { stripeBilling } from '#vendors/billing/stripe.ts'

// What users of other integrations of Stripe reported, see test/reports.tsv.

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})
const billing = stripeBilling({
  secretKey: 'sk_test',
  webhookSecret: 'whsec',
  baseUrl: vendor.origin,
  references: {
    sign: async (id) => `ref_${id}`,
    verify: async (text) => (text.startsWith('ref_') ? text.slice(4) : null),
  },
})
const now = Math.floor(Date.now() / 1000)
const readEvent = (type: string, object: unknown, { secret = 'whsec', event = {} } = {}) => {
  const payload = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type,
    created: now,
    data: { object },
    ...event,
  })
  const signature = new Stripe('sk').webhooks.generateTestHeaderString({ payload, secret, timestamp: now })
  const bytes = new TextEncoder().encode(payload) as Uint8Array<ArrayBuffer>
  return billing.readEvent({ bytes, headers: new Headers({ 'stripe-signature': signature }) })
}
const subscription = {
  ...{ id: 'sub_1', object: 'subscription', customer: 'cus_1', status: 'active', metadata: {} },
  ...{ created: now, cancel_at: null, cancel_at_period_end: false, billing_cycle_anchor: now },
  items: { data: [{ price: { id: 'p1' }, current_period_end: now + 60 }] },
}
const updated = async (changes: object, more = {}) => {
  const read = await readEvent('customer.subscription.updated', { ...subscription, ...changes }, more)
  return read.ok && read.value.change?.kind === 'subscription' ? read.value.change.subscription : read
}
const refuse = (message: string, code = 'resource_missing') => {
  vendor.answer = () => ({ status: 400, body: { error: { type: 'invalid_request_error', code, message } } })
}
const checkout = {
  ...{ priceId: 'p1', reference: 'ref_a', email: 'ada@example.com', customerId: 'cus_1' },
  ...{ successUrl: 'https://a.example/s', cancelUrl: 'https://a.example/c' },
}
const toSeconds = (time: string | null | undefined) => Date.parse(time ?? '') / 1000

const cases: Record<string, () => Promise<void>> = {
  async 'dj-stripe/dj-stripe#417 reads a subscription of several items, which has no plan of its own'() {
    const items = { data: [{ price: { id: 'p1' } }, { price: { id: 'p2' } }] }
    expect(await updated({ plan: null, quantity: null, items })).toMatchObject({ priceIds: ['p1', 'p2'] })
  },
  async 'TryGhost/Members#350 reads a subscription that somebody changed at the provider'() {
    const items = { data: [{ price: { id: 'p9' } }, { price: null }, { price: { id: 'p1' } }] }
    expect(await updated({ items })).toMatchObject({ priceIds: ['p9', 'p1'] })
  },
  async 'better-auth/better-auth#7087 reads a subscription without items'() {
    for (const items of [undefined, null, { data: null }, { data: [] }])
      expect(await updated({ items })).toMatchObject({ id: 'sub_1', priceIds: [] })
  },
  async 'stripe/stripe-dotnet#2195 reads events of an older version, whose items have plans'() {
    const items = { data: [{ plan: { id: 'p1' } }] }
    expect(await updated({ items, current_period_end: now + 60 })).toMatchObject({ priceIds: ['p1'] })
  },
  async 'craftcms/commerce-stripe#354 reads an event of the version of its endpoint'() {
    const read = await updated(
      { current_period_end: now + 90, items: { data: [{ price: { id: 'p1' } }] } },
      { event: { api_version: '2022-11-15' } },
    )
    expect(toSeconds((read as { currentPeriodEnd: string }).currentPeriodEnd)).toBe(now + 90)
  },
  async 'ansvisor/ansvisor#4 reads the end of the period from the items'() {
    const read = await updated({})
    expect(toSeconds((read as { currentPeriodEnd: string }).currentPeriodEnd)).toBe(now + 60)
  },
  async 'radiasoft/sirepo#7546 reads a subscription without any end of its period'() {
    expect(await updated({ items: { data: [{ price: { id: 'p1' } }] } })).toMatchObject({
      currentPeriodEnd: null,
    })
  },
  async 'traceroot-ai/traceroot#1880 finds the plan whatever the order of the items'() {
    const items = { data: [{ price: { id: 'metered' } }, { price: { id: 'p1' } }] }
    expect(await updated({ items })).toMatchObject({ priceIds: ['metered', 'p1'] })
  },
  async 'webrenew/unicon#43 ends no paid plan for a word that it does not know'() {
    expect(await updated({ status: 'trialing' })).toMatchObject({ status: 'active' })
    expect(await updated({ status: 'some_later_word' })).toMatchObject({ ok: true, value: { change: null } })
  },
  async 'dj-stripe/dj-stripe#2012 knows a paused subscription'() {
    expect(await updated({ status: 'paused' })).toMatchObject({ status: 'unpaid' })
  },
  async 'liberusoftware/genealogy-laravel#1605 keeps a subscription whose collection is paused'() {
    expect(await updated({ pause_collection: { behavior: 'void' } })).toMatchObject({ status: 'active' })
  },
  async 'themeteorchef/subscriptions-with-stripe#1 keeps a planned end through other changes'() {
    expect(await updated({ cancel_at_period_end: true })).toMatchObject({
      status: 'active',
      cancelsAtPeriodEnd: true,
    })
  },
  async 'doughknee/myscrollr#90 asks for the state of a subscription that a checkout only names'() {
    const object = { client_reference_id: 'ref_a', customer: 'cus_1', subscription: 'sub_1' }
    expect(await readEvent('checkout.session.completed', object)).toMatchObject({
      value: { change: { kind: 'linked', subscriptionId: 'sub_1' } },
    })
  },
  async 'empirical-org/Empirical-Core#9241 reads a signed event whose object lacks what it should have'() {
    for (const type of [
      'checkout.session.completed',
      'customer.updated',
      'customer.deleted',
      'customer.subscription.updated',
    ])
      for (const object of [{}, { id: null, customer: null, metadata: null, items: null }])
        expect(await readEvent(type, object)).toMatchObject({ ok: true, value: { change: null } })
  },
  async 'SandeepVashishtha/Eventra#15837 refuses what is not signed'() {
    expect(await updated({}, { secret: 'other' })).toEqual({ ok: false, reason: 'unsigned' })
  },
  async 'laravel/cashier-stripe#920 knows that a customer was deleted'() {
    refuse("No such customer: 'cus_1'")
    expect(await billing.createCheckoutUrl(checkout)).toMatchObject({
      reason: 'unknown',
      message: expect.stringContaining('No such customer'),
    })
  },
  async 'airwaylab-app/airwaylab#29 knows it in the portal as well'() {
    refuse("No such customer: 'cus_1'; a similar object exists in test mode, but a live mode key was used.")
    expect(await billing.createPortalUrl('cus_1', 'https://a.example')).toMatchObject({ reason: 'unknown' })
  },
  async 'Automattic/woocommerce-payments#7732 says that a customer cannot pay in two currencies'() {
    refuse('You cannot combine currencies on a single customer.', 'parameter_invalid')
    expect(await billing.createCheckoutUrl(checkout)).toMatchObject({
      reason: 'failed',
      message: expect.stringContaining('cannot combine currencies'),
    })
  },
  async 'stripe/stripe-node#945 passes on what a checkout lacks'() {
    refuse('You must pass one of plan, price, or price_data.', 'parameter_missing')
    expect(await billing.createCheckoutUrl(checkout)).toMatchObject({
      reason: 'failed',
      message: expect.stringContaining('You must pass one of plan'),
    })
  },
}

it.each(Object.entries(cases))('BIL-06 %s', async (_, check) => check())
