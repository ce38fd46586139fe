import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import {
  postSignedEvent,
  selectBillingState,
  sendBillingAction,
  startServiceWithPrices,
} from '#test/support/billing.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { night } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'

let service: Awaited<ReturnType<typeof startServiceWithPrices>>
beforeAll(async () => {
  service = await startServiceWithPrices()
})
afterAll(() => service.close())
afterEach(() => dashboard(service).clearFaults())

const team = { plan: 'team', interval: 'monthly' }
const open = (person: Person, body: object = team, headers: Record<string, string> = {}) =>
  person.call('POST', '/billing/checkout-session', body, headers)
const getSubscription = async (person: Person) => (await person.call('GET', '/billing/subscription')).body
const press = (url: string, form: Record<string, string>) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
const deleteCustomer = async (customer: string | null) => {
  const headers = { authorization: `Bearer ${service.settings.STRIPE_SECRET_KEY}` }
  await fetch(`${service.settings.STRIPE_BASE_URL}/v1/customers/${customer}`, { method: 'DELETE', headers })
}

describe('a checkout', () => {
  it('BIL-07 sells a plan to an account on trial, which then changes and cancels it in the portal', async () => {
    const { admin } = await createAccount(service)
    expect(await getSubscription(admin)).toMatchObject({ status: 'trialing', has_billing_customer: false })
    const { status, body } = await open(admin)
    expect([status, Object.keys(body)]).toEqual([201, ['url']])
    expect(service.log.join('\n')).not.toContain(body.url)
    const page = await (await fetch(body.url)).text()
    expect(page).toContain('price_local_team_monthly')
    expect(page).toContain('https://app.supportflow.example/settings/billing?checkout=canceled')
    const paid = await press(body.url, { action: 'pay' })
    expect([paid.status, paid.headers.get('location')]).toEqual([
      303,
      'https://app.supportflow.example/settings/billing?checkout=success',
    ])
    expect(await getSubscription(admin)).toMatchObject({
      plan: 'team',
      status: 'active',
      seats: 50,
      has_billing_customer: true,
    })
    const { url: portal } = (await admin.call('GET', '/billing/portal-session')).body
    await press(portal, { action: 'change_price', price: 'price_local_pro_annual' })
    expect(await getSubscription(admin)).toMatchObject({
      plan: 'pro',
      status: 'active',
      cancel_at_period_end: false,
    })
    await press(portal, { action: 'cancel_at_period_end' })
    const ending = await getSubscription(admin)
    expect(ending).toMatchObject({
      plan: 'pro',
      status: 'active',
      cancel_at: ending.current_period_end,
      cancel_at_period_end: true,
    })
    await press(portal, { action: 'resume' })
    expect(await getSubscription(admin)).toMatchObject({ cancel_at: null, cancel_at_period_end: false })
    await press(portal, { action: 'canceled' })
    expect(await getSubscription(admin)).toMatchObject({ status: 'trialing', is_lapsed: false })
    const again = await open(admin, { plan: 'pro', interval: 'annual' })
    await press(again.body.url, { action: 'pay' })
    expect(await getSubscription(admin)).toMatchObject({ plan: 'pro', status: 'active', is_lapsed: false })
  })

  it('BIL-07 reuses the customer of the account, and takes a new one if the provider deleted it', async () => {
    const { admin, id } = await createAccount(service)
    const { event } = await sendBillingAction(service, id, 'subscribe')
    await sendBillingAction(service, id, 'canceled', { created: event.created + 1 })
    const { billing_customer_id: customer } = await selectBillingState(service, id)
    await press((await open(admin)).body.url, { action: 'pay' })
    expect(await selectBillingState(service, id)).toMatchObject({
      plan: 'team',
      billing_customer_id: customer,
    })
    await deleteCustomer(customer)
    // The deletion sends two events, in any order.
    await expect
      .poll(() => selectBillingState(service, id))
      .toMatchObject({ billing_customer_id: null, subscription_status: 'trialing' })
    await service.sql('update accounts set billing_customer_id = $2 where id = $1', [id, customer])
    expectStatus(await open(admin), 201)
  })

  it('BIL-07 unlocks an account that lapsed, as does the payment of another plan', async () => {
    const { admin, id } = await createAccount(service)
    const { event } = await sendBillingAction(service, id, 'subscribe')
    await sendBillingAction(service, id, 'unpaid', { created: event.created + 1 })
    expect(await getSubscription(admin)).toMatchObject({ is_lapsed: true })
    await press((await open(admin)).body.url, { action: 'pay' })
    expect(await getSubscription(admin)).toMatchObject({ plan: 'team', is_lapsed: false })
  })

  it('BIL-07 is not completed by a declined card, and works once', async () => {
    const { admin } = await createAccount(service)
    const { url } = (await open(admin)).body
    expectStatus(await press(url, { action: 'decline' }), 402)
    expect(await getSubscription(admin)).toMatchObject({ status: 'trialing' })
    expectStatus(await press(url, { action: 'pay' }), 303)
    expectStatus(await press(url, { action: 'pay' }), 404)
    expect((await getSubscription(admin)).other_subscriptions).toEqual([])
  })

  it('BIL-08 answers 409 already_subscribed to an account with a paid subscription to a plan, and names the portal', async () => {
    const { admin, id } = await createAccount(service)
    const { event } = await sendBillingAction(service, id, 'subscribe')
    const { status, body } = await open(admin)
    expect([status, body.code, body.detail]).toEqual([
      409,
      'already_subscribed',
      expect.stringContaining('portal'),
    ])
    await sendBillingAction(service, id, 'past_due', { created: event.created + 1 })
    expectStatus(await open(admin), 409)
  })

  it('BIL-08 does not refuse an account that pays a side price alone', async () => {
    const { admin, id } = await createAccount(service)
    await sendBillingAction(service, id, 'subscribe', { price: 'price_support' })
    expectStatus(await open(admin), 201)
  })

  it.each([
    ['an unknown plan', { plan: 'golden', interval: 'monthly' }],
    ['a plan without a price', { plan: 'free', interval: 'monthly' }],
    ['a plan that is not public', { plan: 'enterprise', interval: 'annual' }],
    ['an unknown interval', { plan: 'team', interval: 'weekly' }],
    ['no plan', { interval: 'monthly' }],
    ['a further field', { ...team, price: 'price_1' }],
  ])('BIL-09 answers 422 for %s', async (_, body) => {
    const { admin } = await createAccount(service)
    expectStatus(await open(admin, body), 422)
  })

  it('BIL-09 answers 422 for a plan that is archived', async () => {
    const { admin } = await createAccount(service)
    await service.sql(`update plan_billing set is_archived = true where plan = 'pro'`)
    expectStatus(await open(admin, { plan: 'pro', interval: 'monthly' }), 422)
    await service.sql(`update plan_billing set is_archived = false where plan = 'pro'`)
  })

  it('BIL-10 is for account admins alone, and one key makes one session', async () => {
    const { admin, addColleague } = await createAccount(service)
    for (const role of ['viewer', 'engineer'] as const)
      expectStatus(await open(await addColleague({ role, teamRole: 'admin' })), 403)
    const headers = { 'idempotency-key': 'checkout-1' }
    const [first, second] = [await open(admin, team, headers), await open(admin, team, headers)]
    expect(second.body).toEqual(first.body)
    expectStatus(await open(admin, { ...team, interval: 'annual' }, headers), 422)
  })

  it('BIL-10 answers 502 when the provider fails or does not know the price, and 503 without one', {
    ...night,
    timeout: 60_000,
  }, async () => {
    const { admin } = await createAccount(service)
    for (const mode of ['down', 'error', 'client_error', 'garbage']) {
      await dashboard(service).setFault({ service: 'stripe', mode })
      expect([(await open(admin)).status, (await open(admin)).body]).toEqual([
        502,
        { error: 'billing_provider_error' },
      ])
    }
    await dashboard(service).clearFaults()
    await service.sql(`update plan_billing set provider_annual_price_id = 'price_gone' where plan = 'team'`)
    expect((await open(admin, { plan: 'team', interval: 'annual' })).body).toEqual({
      error: 'billing_provider_error',
    })
    await service.sql(
      `update plan_billing set provider_annual_price_id = 'price_local_team_annual' where plan = 'team'`,
    )
    const unconfigured = await startOwnService({ STRIPE_SECRET_KEY: '' })
    try {
      const { admin: other } = await createAccount(unconfigured)
      expect((await open(other)).body).toEqual({ error: 'billing_provider_not_configured' })
    } finally {
      await unconfigured.close()
    }
  })
})

it('BIL-03 keeps the event of a subscription for 30 days until its customer is linked', async () => {
  const subscription = {
    object: 'subscription',
    status: 'active',
    metadata: {},
    items: { data: [] },
    created: 1,
    billing_cycle_anchor: 1,
  }
  for (const age of [29, 31]) {
    const object = { ...subscription, id: `sub_days_${age}`, customer: `cus_days_${age}` }
    const event = { type: 'customer.subscription.created', created: 10, data: { object } }
    expect((await postSignedEvent(service, event)).body.outcome).toBe('unknown_customer')
    await service.sql(
      `update billing_subscriptions set received_at = app.now() - $2 * interval '1 day' where id = $1`,
      [object.id, age],
    )
  }
  await dashboard(service).advanceClock(60)
  await expect
    .poll(async () => service.sql(`select id from billing_subscriptions where id like 'sub_days_%'`), {
      timeout: 30_000,
    })
    .toEqual([{ id: 'sub_days_29' }])
})
