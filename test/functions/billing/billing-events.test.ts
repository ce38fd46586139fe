import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readChecksums } from '#test/contract/row-checksums.ts'
import { dashboard, request } from '#test/support/app.ts'
import {
  createReference,
  postSignedEvent,
  resendBillingEvent,
  selectBillingState,
  sendBillingAction,
  signEvent,
  startServiceWithPrices,
} from '#test/support/billing.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

let service: Awaited<ReturnType<typeof startServiceWithPrices>>
beforeAll(async () => {
  service = await startServiceWithPrices()
})
afterAll(() => service.close())

const teamPlan = { price: 'price_local_team_monthly' }
const requestTeams = async (person: Person) => {
  const { status, body } = await person.call('GET', '/teams')
  return status === 403 ? body.code : status
}

describe('signature', () => {
  it('PUB-16 refuses an event unless its signature is valid for the exact bytes and at most five minutes old', async () => {
    const { id } = await createAccount(service)
    const customer = {
      object: 'customer',
      id: 'cus_forged',
      metadata: { account_id: await createReference(service, id) },
    }
    const event = {
      id: 'evt_forged',
      object: 'event',
      type: 'customer.created',
      created: 1,
      data: { object: customer },
    }
    const now = Math.floor(Date.now() / 1000)
    const { bytes, headers } = signEvent(service, event)
    const signature = headers['stripe-signature']
    const expired = signEvent(service, event, now - 301)
    const unsigned = { 'content-type': 'application/json' }
    const forgeries: [Uint8Array, Record<string, string>][] = [
      [bytes, unsigned],
      [bytes, { ...unsigned, 'stripe-signature': '' }],
      [bytes, { ...unsigned, 'stripe-signature': 't=1,v1=0' }],
      [bytes, { ...unsigned, 'stripe-signature': signature.replace(/t=\d+/, `t=${now + 1}`) }],
      [bytes, { ...unsigned, 'stripe-signature': signature.replace('v1=', 'v0=') }],
      [new TextEncoder().encode(`${new TextDecoder().decode(bytes)} `), headers],
      [
        bytes,
        {
          ...headers,
          'stripe-signature': signEvent({ ...service, settings: {} }, event).headers['stripe-signature'],
        },
      ],
      [expired.bytes, expired.headers],
    ]
    const checksumsBefore = await readChecksums(service, id)
    for (const [raw, forgedHeaders] of forgeries) {
      const response = await request(service, 'POST', '/billing/webhook', { raw, headers: forgedHeaders })
      expect([response.status, response.body]).toEqual([400, { error: 'invalid_signature' }])
    }
    expect(await readChecksums(service, id)).toEqual(checksumsBefore)
    expect((await request(service, 'POST', '/billing/webhook', { raw: bytes, headers })).body).toEqual({
      outcome: 'applied',
    })
  })

  it('PUB-16 refuses a signed body that is not an event, and one above 1 MiB', async () => {
    for (const body of ['', 'null', '[]', '{', '"text"', '{"object":"event"}']) {
      const { headers } = signEvent(service, {})
      expectStatus(await request(service, 'POST', '/billing/webhook', { raw: body, headers }), 400)
    }
    const incomplete = await postSignedEvent(service, {
      type: 'customer.subscription.updated',
      created: 1,
      data: {},
    })
    expectStatus(incomplete, 400)
    const large = signEvent(service, { padding: 'x'.repeat(1024 * 1024) })
    expectStatus(
      await request(service, 'POST', '/billing/webhook', { raw: large.bytes, headers: large.headers }),
      413,
    )
  })
})

describe('subscription', () => {
  it('sets the plan and the seats after a checkout, and opens the portal', async () => {
    const { id, admin } = await createAccount(service)
    const { event, answer } = await sendBillingAction(service, id, 'subscribe', teamPlan)
    expect(answer).toEqual({ outcome: 'applied' })
    const { body } = await admin.call('GET', '/billing/subscription')
    expect(body).toMatchObject({
      plan: 'team',
      status: 'active',
      is_lapsed: false,
      seats: 50,
      has_billing_customer: true,
    })
    expect(Date.parse(body.current_period_end)).toBeGreaterThan(Date.now())
    expectStatus(await admin.call('GET', '/billing/portal-session'), 200)
    await sendBillingAction(service, id, 'change_price', {
      price: 'price_local_pro_annual',
      created: event.created + 5,
    })
    expect((await admin.call('GET', '/billing/subscription')).body).toMatchObject({
      plan: 'pro',
      status: 'active',
      seats: 10,
    })
  })

  it.each(['unpaid', 'canceled'])(
    'AUT-12 AUT-33 blocks the account when it becomes %s, and unblocks it after payment',
    async (action) => {
      const { id, admin } = await createAccount(service)
      await service.sql(`update accounts set trial_ends_at = now() - interval '1 day' where id = $1`, [id])
      const { created } = (await sendBillingAction(service, id, 'subscribe', teamPlan)).event
      expect(await requestTeams(admin)).toBe(200)
      await sendBillingAction(service, id, action, { created: created + 1 })
      expect(await requestTeams(admin)).toBe('subscription_lapsed')
      await sendBillingAction(service, id, 'paid', { created: created + 2 })
      expect(await requestTeams(admin)).toBe(200)
    },
  )

  it('AUT-33 blocks the account 7 days after the first failed payment, even if more payments fail', {
    timeout: 60_000,
  }, async () => {
    const { id, admin } = await createAccount(service)
    await sendBillingAction(service, id, 'subscribe', teamPlan)
    await dashboard(service).advanceClock(10)
    await sendBillingAction(service, id, 'past_due')
    const pastDueSince = (await selectBillingState(service, id)).past_due_since
    expect(await requestTeams(admin)).toBe(200)
    await dashboard(service).advanceClock(6 * 86_400)
    await sendBillingAction(service, id, 'past_due')
    expect([await requestTeams(admin), (await selectBillingState(service, id)).past_due_since]).toEqual([
      200,
      pastDueSince,
    ])
    await dashboard(service).advanceClock(86_400 + 10)
    expect(await requestTeams(admin)).toBe('subscription_lapsed')
    await sendBillingAction(service, id, 'paid')
    expect([await requestTeams(admin), (await selectBillingState(service, id)).past_due_since]).toEqual([
      200,
      null,
    ])
  })

  it('keeps the account’s plan when no plan has the subscription’s price, and logs the outcome', async () => {
    const { id } = await createAccount(service)
    const sentEvent = await sendBillingAction(service, id, 'subscribe', { price: 'price_unknown' })
    expect([sentEvent.answer.outcome, (await selectBillingState(service, id)).plan]).toEqual([
      'unknown_price',
      'enterprise',
    ])
    expect(service.log.some((line) => line.includes('"outcome":"unknown_price"'))).toBe(true)
  })

  it('keeps the account active when an earlier subscription ends', async () => {
    const { id } = await createAccount(service)
    const { event } = await sendBillingAction(service, id, 'subscribe', teamPlan)
    const { billing_customer_id: customer } = await selectBillingState(service, id)
    const earlierSubscription = {
      id: 'sub_former',
      customer,
      status: 'canceled',
      metadata: {},
      items: { data: [] },
      billing_cycle_anchor: 1,
    }
    const created = event.created + 60
    const response = await postSignedEvent(service, {
      type: 'customer.subscription.deleted',
      created,
      data: { object: earlierSubscription },
    })
    expect([response.body.outcome, (await selectBillingState(service, id)).subscription_status]).toEqual([
      'ignored',
      'active',
    ])
  })
})

describe('customer', () => {
  const buildCheckoutEvent = (reference: string, customer: string) => ({
    type: 'checkout.session.completed',
    created: Math.floor(Date.now() / 1000),
    data: {
      object: { object: 'checkout.session', client_reference_id: reference, customer, subscription: null },
    },
  })
  const buildSubscriptionEvent = (reference: string, customer: string, status = 'active') => ({
    type: status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.created',
    created: Math.floor(Date.now() / 1000),
    data: {
      object: {
        object: 'subscription',
        id: `sub_of_${customer}`,
        customer,
        status,
        metadata: { account_id: reference },
        items: {
          data: [
            { price: { id: teamPlan.price }, current_period_end: Math.floor(Date.now() / 1000) + 86_400 },
          ],
        },
        billing_cycle_anchor: 1,
      },
    },
  })
  const buildCustomerEvent = (reference: string, customer: string) => ({
    type: 'customer.created',
    created: Math.floor(Date.now() / 1000),
    data: { object: { object: 'customer', id: customer, metadata: { account_id: reference } } },
  })

  it('PUB-17 links no account that an event names without our reference', async () => {
    const { id } = await createAccount(service)
    const [own, otherReference] = [await createAccount(service), await createReference(service, id)]
    const stateBefore = await selectBillingState(service, id)
    const forged = [
      id,
      `${id}_${'A'.repeat(43)}`,
      otherReference.replace(/.$/, (end) => (end === 'A' ? 'E' : 'A')),
      `${own.id}${otherReference.slice(36)}`,
    ]
    for (const reference of forged)
      for (const build of [buildCheckoutEvent, buildCustomerEvent, buildSubscriptionEvent])
        expect(['ignored', 'unknown_customer']).toContain(
          (await postSignedEvent(service, build(reference, 'cus_forger'))).body.outcome,
        )
    await postSignedEvent(service, buildSubscriptionEvent(id, 'cus_forger', 'canceled'))
    expect(await selectBillingState(service, id)).toEqual(stateBefore)
    expect((await selectBillingState(service, own.id)).billing_customer_id).toBeNull()
  })

  it('PUB-17 links the customer that was created with our reference, and then applies its subscription', async () => {
    const { admin, id } = await createAccount(service)
    const { checkout_reference: reference } = (await admin.call('GET', '/billing/subscription')).body
    expect(reference).toBe(await createReference(service, id))
    const customer = `cus_${id.replaceAll('-', '')}`
    expect((await postSignedEvent(service, buildCustomerEvent(reference, customer))).body.outcome).toBe(
      'applied',
    )
    expect((await selectBillingState(service, id)).billing_customer_id).toBe(customer)
    expect((await postSignedEvent(service, buildSubscriptionEvent('', customer))).body.outcome).toBe(
      'applied',
    )
    expect(await selectBillingState(service, id)).toMatchObject({
      plan: 'team',
      subscription_status: 'active',
    })
  })

  it('keeps the portal of the customer who pays when another one is linked, and a customer with its first account', async () => {
    const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
    await sendBillingAction(service, account.id, 'subscribe', teamPlan)
    const stateBefore = await selectBillingState(service, account.id)
    expect(
      (
        await postSignedEvent(
          service,
          buildCheckoutEvent(await createReference(service, account.id), 'cus_intruder'),
        )
      ).body.outcome,
    ).toBe('applied')
    expect(await selectBillingState(service, account.id)).toEqual(stateBefore)
    const otherReference = await createReference(service, otherAccount.id)
    await postSignedEvent(service, buildCheckoutEvent(otherReference, stateBefore.billing_customer_id ?? ''))
    expect(await selectBillingState(service, account.id)).toEqual(stateBefore)
    expect((await selectBillingState(service, otherAccount.id)).billing_customer_id).toBeNull()
  })

  it('ignores a subscription of an unlinked customer, and applies the checkout that links the customer', async () => {
    const { id } = await createAccount(service)
    const checkout = await sendBillingAction(service, id, 'subscribe', { ...teamPlan, skipDelivery: true })
    const [created] = (await (await fetch(`${service.localOrigin}/desk/billing/events`)).json()).filter(
      ({ type }: { type: string }) => type === 'customer.subscription.created',
    )
    expect((await resendBillingEvent(service, { ...checkout, event: created })).answer.outcome).toBe(
      'unknown_customer',
    )
    expect(
      service.log.some((line) => line.includes('"outcome":"unknown_customer"') && !line.includes('cus_')),
    ).toBe(true)
    expect((await resendBillingEvent(service, checkout)).answer.outcome).toBe('applied')
    expect(await selectBillingState(service, id)).toMatchObject({
      plan: 'team',
      subscription_status: 'active',
    })
  })

  it('unlinks a customer that the provider deletes, and still applies later events of the subscription', async () => {
    const { id } = await createAccount(service)
    const { event } = await sendBillingAction(service, id, 'subscribe', teamPlan)
    const { billing_customer_id: customer } = await selectBillingState(service, id)
    const created = event.created + 5
    await postSignedEvent(service, {
      type: 'customer.deleted',
      created,
      data: { object: { object: 'customer', id: customer } },
    })
    expect((await selectBillingState(service, id)).billing_customer_id).toBeNull()
    await sendBillingAction(service, id, 'canceled', { created: created + 1 })
    expect(await selectBillingState(service, id)).toMatchObject({
      subscription_status: 'trialing',
      billing_customer_id: null,
    })
  })
})

it('returns 200 with the outcome `ignored` for other event types', async () => {
  const response = await postSignedEvent(service, {
    type: 'invoice.created',
    created: 1,
    data: { object: {} },
  })
  expect([response.status, response.body]).toEqual([200, { outcome: 'ignored' }])
})
