import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signedEvent } from '../../contract/fixtures-billing.ts'
import { rowsOf } from '../../contract/rows.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, request } from '../../support/app.ts'
import { billedService, deliver, play, resend, stateOf } from '../../support/billing.ts'
import { newAccount, type Person } from '../../support/people.ts'

let service: Awaited<ReturnType<typeof billedService>>
beforeAll(async () => {
  service = await billedService()
})
afterAll(() => service.close())

const team = { price: 'price_local_team_monthly' }
const teams = async (person: Person) => {
  const { status, body } = await person.call('GET', '/teams')
  return status === 403 ? body.code : status
}

describe('the signature', () => {
  it('PUB-16 is needed, over the very bytes, and of the last five minutes; nothing changes without it', async () => {
    const { id } = await newAccount(service)
    const customer = { object: 'customer', id: 'cus_forged', metadata: { account_id: id } }
    const event = { id: 'evt_forged', object: 'event', type: 'customer.created', created: 1, data: { object: customer } }
    const now = Math.floor(Date.now() / 1000)
    const { bytes, headers } = signedEvent(service, event)
    const signature = headers['stripe-signature']
    const late = signedEvent(service, event, now - 301)
    const bare = { 'content-type': 'application/json' }
    const forged: [Uint8Array, Record<string, string>][] = [
      [bytes, bare],
      [bytes, { ...bare, 'stripe-signature': '' }],
      [bytes, { ...bare, 'stripe-signature': 't=1,v1=0' }],
      [bytes, { ...bare, 'stripe-signature': signature.replace(/t=\d+/, `t=${now + 1}`) }],
      [bytes, { ...bare, 'stripe-signature': signature.replace('v1=', 'v0=') }],
      [new TextEncoder().encode(`${new TextDecoder().decode(bytes)} `), headers],
      [bytes, { ...headers, 'stripe-signature': signedEvent({ ...service, settings: {} }, event).headers['stripe-signature'] }],
      [late.bytes, late.headers],
    ]
    const before = await rowsOf(service, id)
    for (const [raw, sent] of forged) {
      const answer = await request(service, 'POST', '/billing/webhook', { raw, headers: sent })
      expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_signature' }])
    }
    expect(await rowsOf(service, id)).toEqual(before)
    expect((await request(service, 'POST', '/billing/webhook', { raw: bytes, headers })).body).toEqual({ outcome: 'applied' })
  })

  it('PUB-16 does not make sense of what is no event, and stops at 1 MiB', async () => {
    for (const body of ['', 'null', '[]', '{', '"text"', '{"object":"event"}']) {
      const { headers } = signedEvent(service, {})
      expectStatus(await request(service, 'POST', '/billing/webhook', { raw: body, headers }), 400)
    }
    const odd = await deliver(service, { type: 'customer.subscription.updated', created: 1, data: {} })
    expectStatus(odd, 400)
    const large = signedEvent(service, { padding: 'x'.repeat(1024 * 1024) })
    expectStatus(await request(service, 'POST', '/billing/webhook', { raw: large.bytes, headers: large.headers }), 413)
  })
})

describe('a subscription', () => {
  it('begins with a checkout: plan, seats and the portal follow', async () => {
    const { id, admin } = await newAccount(service)
    const { event, answer } = await play(service, id, 'subscribe', team)
    expect(answer).toEqual({ outcome: 'applied' })
    const { body } = await admin.call('GET', '/billing/subscription')
    expect(body).toMatchObject({ plan: 'team', status: 'active', is_lapsed: false, seats: 50, has_billing_customer: true })
    expect(Date.parse(body.current_period_end)).toBeGreaterThan(Date.now())
    expectStatus(await admin.call('GET', '/billing/portal-session'), 200)
    await play(service, id, 'change_price', { price: 'price_local_pro_annual', created: event.created + 5 })
    expect((await admin.call('GET', '/billing/subscription')).body).toMatchObject({ plan: 'pro', status: 'active', seats: 10 })
  })

  it.each(['unpaid', 'canceled'])(
    'AUT-12 AUT-33 that becomes %s closes the account on its next request, and payment opens it',
    async (action) => {
      const { id, admin } = await newAccount(service)
      const { created } = (await play(service, id, 'subscribe', team)).event
      expect(await teams(admin)).toBe(200)
      await play(service, id, action, { created: created + 1 })
      expect(await teams(admin)).toBe('subscription_lapsed')
      await play(service, id, 'paid', { created: created + 2 })
      expect(await teams(admin)).toBe(200)
    },
  )

  it('AUT-33 that is past due closes the account 7 days after the first failure, whatever follows it', { timeout: 60_000 }, async () => {
    const { id, admin } = await newAccount(service)
    await play(service, id, 'subscribe', team)
    await desk(service).advance(10)
    await play(service, id, 'past_due')
    const since = (await stateOf(service, id)).past_due_since
    expect(await teams(admin)).toBe(200)
    await desk(service).advance(6 * 86_400)
    await play(service, id, 'past_due')
    expect([await teams(admin), (await stateOf(service, id)).past_due_since]).toEqual([200, since])
    await desk(service).advance(86_400 + 10)
    expect(await teams(admin)).toBe('subscription_lapsed')
    await play(service, id, 'paid')
    expect([await teams(admin), (await stateOf(service, id)).past_due_since]).toEqual([200, null])
  })

  it('keeps the plan of a price that no plan has, and says so in the log', async () => {
    const { id } = await newAccount(service)
    const played = await play(service, id, 'subscribe', { price: 'price_nobody_knows' })
    expect([played.answer.outcome, (await stateOf(service, id)).plan]).toEqual(['unknown_price', 'enterprise'])
    expect(service.log.some((line) => line.includes('"outcome":"unknown_price"'))).toBe(true)
  })

  it('is not ended by the end of the one before it', async () => {
    const { id } = await newAccount(service)
    const { event } = await play(service, id, 'subscribe', team)
    const { billing_customer_id: customer } = await stateOf(service, id)
    const former = { id: 'sub_former', customer, status: 'canceled', metadata: {}, items: { data: [] }, billing_cycle_anchor: 1 }
    const created = event.created + 60
    const answer = await deliver(service, { type: 'customer.subscription.deleted', created, data: { object: former } })
    expect([answer.body.outcome, (await stateOf(service, id)).subscription_status]).toEqual(['ignored', 'active'])
  })
})

describe('whose customer it is', () => {
  const linking = (account: string, customer: string) => ({
    type: 'checkout.session.completed',
    created: Math.floor(Date.now() / 1000),
    data: { object: { object: 'checkout.session', client_reference_id: account, customer, subscription: null } },
  })

  it('cannot be changed by a checkout that names an account with one', async () => {
    const [ours, theirs] = [await newAccount(service), await newAccount(service)]
    await play(service, ours.id, 'subscribe', team)
    const before = await stateOf(service, ours.id)
    expect((await deliver(service, linking(ours.id, 'cus_intruder'))).body.outcome).toBe('unknown_customer')
    await deliver(service, linking(theirs.id, before.billing_customer_id ?? ''))
    expect(await stateOf(service, ours.id)).toEqual(before)
    expect((await stateOf(service, theirs.id)).billing_customer_id).toBeNull()
  })

  it('is told again by the same event later, when nobody had the customer at first', async () => {
    const { id } = await newAccount(service)
    const played = await play(service, id, 'subscribe', { ...team, keep: true })
    const [first] = (await (await fetch(`${service.local}/desk/billing/events`)).json()).filter(
      ({ type }: { type: string }) => type === 'customer.subscription.created',
    )
    expect((await resend(service, { ...played, event: first })).answer.outcome).toBe('unknown_customer')
    expect(service.log.some((line) => line.includes('"outcome":"unknown_customer"') && !line.includes('cus_'))).toBe(true)
    expect((await resend(service, played)).answer.outcome).toBe('applied')
    expect(await stateOf(service, id)).toMatchObject({ plan: 'team', subscription_status: 'active' })
  })

  it('is nobody’s after the provider deleted it, and the subscription’s end is heard all the same', async () => {
    const { id } = await newAccount(service)
    const { event } = await play(service, id, 'subscribe', team)
    const { billing_customer_id: customer } = await stateOf(service, id)
    const created = event.created + 5
    await deliver(service, { type: 'customer.deleted', created, data: { object: { object: 'customer', id: customer } } })
    expect((await stateOf(service, id)).billing_customer_id).toBeNull()
    await play(service, id, 'canceled', { created: created + 1 })
    expect(await stateOf(service, id)).toMatchObject({ subscription_status: 'canceled', billing_customer_id: null })
  })
})

it('answers 200 to events that are not followed', async () => {
  const answer = await deliver(service, { type: 'invoice.created', created: 1, data: { object: {} } })
  expect([answer.status, answer.body]).toEqual([200, { outcome: 'ignored' }])
})
