import Stripe from 'stripe'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { stripeBilling } from '#vendors/billing/stripe.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})
const references = {
  sign: async (id: string) => `ref_${id}`,
  verify: async (text: string) => (text.startsWith('ref_') ? text.slice(4) : null),
}
const secrets = { secretKey: 'sk', webhookSecret: 'whsec' }
const open = (changes: Partial<Record<keyof typeof secrets, undefined>> = {}) =>
  stripeBilling({ ...secrets, ...changes, baseUrl: vendor.origin, references })
const item = (price: string, current_period_end: number | null) => ({
  price: { id: price },
  current_period_end,
})
const subscription = {
  ...{
    id: 'sub_1',
    customer: 'cus_1',
    status: 'active',
    metadata: { account_id: 'ref_a' },
    billing_cycle_anchor: 1_700_000_000,
  },
  ...{ created: 1_700_000_001, cancel_at: null, cancel_at_period_end: false },
  items: { data: [item('p1', 1_800_000_000), item('p2', 1_800_000_060)] },
}
const parsed = {
  ...{ id: 'sub_1', customerId: 'cus_1', accountId: 'a', status: 'active', priceIds: ['p1', 'p2'] },
  ...{
    createdAt: '2023-11-14T22:13:21.000Z',
    currentPeriodEnd: '2027-01-15T08:01:00.000Z',
    anchor: '2023-11-14T22:13:20.000Z',
  },
  ...{ cancelAt: null, cancelsAtPeriodEnd: false },
}

describe('a subscription', () => {
  const get = (changes: object) => {
    vendor.answer = () => ({ body: { ...subscription, ...changes } })
    return open().getSubscription('sub_1')
  }
  it.each<[object, object | null]>([
    [{}, parsed],
    [{ customer: { id: 'cus_2' } }, { ...parsed, customerId: 'cus_2' }],
    [{ customer: null }, null],
    [{ status: 'trialing' }, parsed],
    [{ status: 'past_due' }, { ...parsed, status: 'past_due' }],
    [{ status: 'unpaid' }, { ...parsed, status: 'unpaid' }],
    [{ status: 'paused' }, { ...parsed, status: 'unpaid' }],
    [{ status: 'canceled' }, { ...parsed, status: 'canceled' }],
    [{ status: 'incomplete' }, null],
    [{ metadata: { account_id: 'a' } }, { ...parsed, accountId: null }],
    [{ metadata: {} }, { ...parsed, accountId: null }],
    [
      { metadata: null, billing_cycle_anchor: null },
      { ...parsed, accountId: null, anchor: null },
    ],
    [{ items: { data: [item('p1', null)] } }, { ...parsed, priceIds: ['p1'], currentPeriodEnd: null }],
    [{ created: undefined }, { ...parsed, createdAt: null }],
    [{ cancel_at: 1_750_000_000 }, { ...parsed, cancelAt: '2025-06-15T15:06:40.000Z' }],
    [
      { cancel_at_period_end: true },
      { ...parsed, cancelAt: parsed.currentPeriodEnd, cancelsAtPeriodEnd: true },
    ],
  ])('with %j is %j', async (changes, value) => expect(await get(changes)).toEqual({ ok: true, value }))
  it.each([
    [{ current_period_end: 1_800_000_060, items: { data: [item('p1', null)] } }, '2027-01-15T08:01:00.000Z'],
    [{ current_period_end: 1_900_000_000 }, parsed.currentPeriodEnd],
    [{ current_period_end: null, items: { data: [item('p1', null)] } }, null],
  ])('BIL-06 of an older version with %j ends its period at %s', async (changes, end) => {
    expect(await get(changes)).toMatchObject({ value: { currentPeriodEnd: end } })
  })
})

describe('a checkout of the billing provider', () => {
  const checkout = {
    ...{ priceId: 'p1', reference: 'ref_a', email: 'ada@example.com' },
    successUrl: 'https://a.example/s',
    cancelUrl: 'https://a.example/c',
  }
  it.each([
    [null, 'customer_email', 'ada@example.com'],
    ['cus_1', 'customer', 'cus_1'],
  ])('of the customer %s names the account, the price and %s', async (customerId, name, value) => {
    vendor.answer = () => ({ body: { url: 'https://checkout.example' } })
    expect(await open().createCheckoutUrl({ ...checkout, customerId })).toEqual({
      ok: true,
      value: 'https://checkout.example',
    })
    const [{ path = '', body = '' } = {}] = vendor.requests
    expect([path, Object.fromEntries(new URLSearchParams(body))]).toEqual([
      '/v1/checkout/sessions',
      {
        ...{
          mode: 'subscription',
          client_reference_id: 'ref_a',
          'subscription_data[metadata][account_id]': 'ref_a',
          [name]: value,
        },
        ...{ 'line_items[0][price]': 'p1', 'line_items[0][quantity]': '1' },
        ...{ success_url: 'https://a.example/s', cancel_url: 'https://a.example/c' },
      },
    ])
  })
  it('fails without the address of a page', async () => {
    vendor.answer = () => ({ body: { url: null } })
    expect(await open().createCheckoutUrl({ ...checkout, customerId: null })).toEqual({
      ok: false,
      reason: 'failed',
    })
  })
})

describe('a call of the billing provider', () => {
  it('returns the address of the portal', async () => {
    vendor.answer = () => ({ body: { url: 'https://portal.example' } })
    expect(await open().createPortalUrl('cus_1', 'https://app.example')).toEqual({
      ok: true,
      value: 'https://portal.example',
    })
    const [{ method = '', path = '', headers = {}, body = '' } = {}] = vendor.requests
    expect([method, path, headers.authorization, body]).toEqual([
      'POST',
      '/v1/billing_portal/sessions',
      'Bearer sk',
      'customer=cus_1&return_url=https%3A%2F%2Fapp.example',
    ])
  })
  it('deletes a customer', async () => {
    vendor.answer = () => ({ body: { id: 'cus_1', deleted: true } })
    expect(await open().deleteCustomer('cus_1')).toEqual({ ok: true, value: null })
    expect(vendor.requests.map(({ method, path }) => [method, path])).toEqual([
      ['DELETE', '/v1/customers/cus_1'],
    ])
  })
  it.each([
    [404, { type: 'invalid_request_error', code: 'resource_missing' }, 'unknown', 1],
    [400, { type: 'invalid_request_error', code: 'parameter_missing' }, 'failed', 1],
    [402, { type: 'card_error', code: 'resource_missing' }, 'failed', 1],
    [500, {}, 'failed', 2],
    [300, {}, 'failed', 2],
    [302, {}, 'failed', 2],
  ])('that is answered with %i %j is %s', async (status, error, reason, calls) => {
    vendor.answer = () => ({ status, body: { error } })
    expect(await open().deleteCustomer('cus_1')).toEqual({ ok: false, reason })
    expect(vendor.requests).toHaveLength(calls)
  })
  it('is not made without a key', async () => {
    const billing = open({ secretKey: undefined })
    expect([billing.isConfigured, open().isConfigured]).toEqual([false, true])
    const refused = { ok: false, reason: 'not_configured' }
    expect([
      await billing.deleteCustomer('c'),
      await billing.getSubscription('s'),
      await billing.createPortalUrl('c', 'u'),
    ]).toEqual([refused, refused, refused])
  })
})

describe('an event of the billing provider', () => {
  const now = Math.floor(Date.now() / 1000)
  const sign = (payload: string, timestamp = now, secret = 'whsec') =>
    new Stripe('sk').webhooks.generateTestHeaderString({ payload, secret, timestamp })
  const read = async (
    type: string,
    object: object,
    { timestamp = now, secret = 'whsec', billing = open() } = {},
  ) => {
    const payload = JSON.stringify({
      id: 'evt_1',
      object: 'event',
      type,
      created: 1_700_000_000,
      data: { object },
    })
    const headers = new Headers({ 'stripe-signature': sign(payload, timestamp, secret) })
    return billing.readEvent({ bytes: new TextEncoder().encode(payload) as Uint8Array<ArrayBuffer>, headers })
  }
  const linked = { kind: 'linked', accountId: 'a', customerId: 'cus_1', subscriptionId: null }
  it.each<[string, object, object | null]>([
    [
      'checkout.session.completed',
      {
        client_reference_id: 'ref_b',
        metadata: { account_id: 'ref_a' },
        customer: 'cus_1',
        subscription: { id: 'sub_1' },
      },
      { ...linked, subscriptionId: 'sub_1' },
    ],
    [
      'checkout.session.completed',
      { client_reference_id: 'ref_a', metadata: null, customer: 'cus_1', subscription: null },
      linked,
    ],
    [
      'checkout.session.completed',
      { client_reference_id: 'a', metadata: {}, customer: 'cus_1', subscription: null },
      null,
    ],
    [
      'checkout.session.completed',
      { client_reference_id: 'ref_a', metadata: {}, customer: null, subscription: null },
      null,
    ],
    [
      'checkout.session.completed',
      { client_reference_id: null, metadata: {}, customer: 'cus_1', subscription: null },
      null,
    ],
    ['customer.created', { id: 'cus_1', metadata: { account_id: 'ref_a' } }, linked],
    ['customer.updated', { id: 'cus_1', metadata: { account_id: 'ref_a' } }, linked],
    ['customer.updated', { id: 'cus_1', metadata: {} }, null],
    ['customer.deleted', { id: 'cus_1' }, { kind: 'customer_gone', customerId: 'cus_1' }],
    ...['created', 'updated', 'deleted', 'paused', 'resumed'].map(
      (name) =>
        [`customer.subscription.${name}`, subscription, { kind: 'subscription', subscription: parsed }] as [
          string,
          object,
          object,
        ],
    ),
    ['customer.subscription.updated', { ...subscription, status: 'incomplete' }, null],
    ['invoice.paid', {}, null],
  ])('of the type %s with %j changes %j', async (type, object, change) => {
    expect(await read(type, object)).toEqual({
      ok: true,
      value: { id: 'evt_1', type, at: '2023-11-14T22:13:20.000Z', change },
    })
  })
  it.each([
    [{ timestamp: now - 290 }, true],
    [{ timestamp: now - 310 }, false],
    [{ secret: 'other' }, false],
  ])('is accepted with %j: %s', async (options, isAccepted) => {
    expect(await read('invoice.paid', {}, options)).toMatchObject(
      isAccepted ? { ok: true } : { ok: false, reason: 'unsigned' },
    )
  })
  it('is refused without a signature, and without the settings', async () => {
    const bytes = new TextEncoder().encode('{}') as Uint8Array<ArrayBuffer>
    expect(await open().readEvent({ bytes, headers: new Headers() })).toEqual({
      ok: false,
      reason: 'unsigned',
    })
    for (const billing of [open({ webhookSecret: undefined }), open({ secretKey: undefined })])
      expect(await read('invoice.paid', {}, { billing })).toEqual({ ok: false, reason: 'not_configured' })
  })
})
