import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createReference,
  postSignedEvent,
  resendBillingEvent,
  sendBillingAction,
  startServiceWithPrices,
} from '#test/support/billing.ts'
import {
  buildEvents,
  deliver,
  expectOutcome,
  type HistoryEvent,
  selectOutcome,
  type TimedEvent,
} from '#test/support/billing-histories.ts'
import { isNight } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'

let service: Awaited<ReturnType<typeof startServiceWithPrices>>
beforeAll(async () => {
  service = await startServiceWithPrices()
})
afterAll(() => service.close())

/**
 * Deliver a history in an order, given by positions, and return the state of a new account and the expected
 * one.
 */
async function play(history: readonly TimedEvent[], order: readonly number[] = history.map((_, n) => n)) {
  const { id } = await createAccount(service)
  const { tag, events } = await buildEvents(service, id, history)
  for (const position of order) await deliver(service, events[position] ?? {})
  return { actual: await selectOutcome(service, id), expected: expectOutcome(history, tag) }
}

const old = { kind: 'subscription', subscription: 1, customer: 1, createdAt: 10, plan: 'pro' } as const
const recent = { kind: 'subscription', subscription: 2, customer: 2, createdAt: 20, plan: 'team' } as const
const side = { kind: 'subscription', subscription: 3, customer: 1, createdAt: 30, plan: null } as const
const link = { kind: 'customer', customer: 1, at: 1 } as const
const checkout = { kind: 'checkout', customer: 2, at: 2 } as const

describe('two subscriptions', () => {
  it('BIL-01 BIL-02 keeps the newer paid one whatever events the older one has, changes and its end alike', async () => {
    const { id, admin } = await createAccount(service)
    const { events } = await buildEvents(service, id, [
      link,
      { ...old, customer: 1, status: 'active', at: 10 },
      { ...recent, customer: 1, status: 'active', at: 20 },
      { ...old, customer: 1, status: 'active', cancelsAt: 1, at: 21 },
      { ...old, customer: 1, status: 'paused', at: 22 },
      { ...old, customer: 1, status: 'active', at: 23 },
      { ...old, customer: 1, status: 'past_due', at: 24 },
      { ...old, customer: 1, status: 'canceled', at: 25 },
      { ...side, status: 'active', at: 30 },
      { ...side, status: 'canceled', at: 31 },
    ])
    const outcomes: string[] = []
    for (const [n, event] of events.entries()) {
      outcomes.push(await deliver(service, event))
      const { body } = await admin.call('GET', '/billing/subscription')
      if (n >= 2) expect(body).toMatchObject({ plan: 'team', status: 'active', is_lapsed: false, seats: 50 })
    }
    expect(outcomes).toEqual(['applied', 'applied', 'applied', ...Array.from({ length: 7 }, () => 'ignored')])
  })

  it('BIL-01 compares the time of an event with those of its own subscription alone', async () => {
    const history: TimedEvent[] = [
      { ...link, at: 1 },
      { ...old, status: 'active', at: 10 },
      { ...old, status: 'canceled', at: 101 },
      { ...recent, customer: 1, status: 'active', at: 100 },
    ]
    expect((await play(history)).actual).toMatchObject({ plan: 'team', status: 'active' })
  })

  it('BIL-02 counts a subscription whose events lack the time of creation as created at its first event', async () => {
    const { id } = await createAccount(service)
    const { events } = await buildEvents(service, id, [
      link,
      { ...old, status: 'active', at: 10 },
      { ...recent, customer: 1, status: 'active', at: 20 },
      { ...old, status: 'active', at: 30 },
    ])
    for (const event of events) {
      const { object } = event.data as { object: { created?: number } }
      delete object.created
      await deliver(service, event)
    }
    expect(await selectOutcome(service, id)).toMatchObject({ plan: 'team', status: 'active' })
  })

  it('BIL-01 applies what an event says in the same second as another one if the provider does not know the subscription', async () => {
    const { id } = await createAccount(service)
    const { events } = await buildEvents(service, id, [
      link,
      { ...old, status: 'active', at: 10 },
      { ...old, status: 'unpaid', at: 10 },
    ])
    for (const event of events) expect(await deliver(service, event)).toBe('applied')
    expect(await selectOutcome(service, id)).toMatchObject({ plan: 'pro', status: 'unpaid' })
  })

  it('BIL-05 shows the admin when the subscription ends, and the second one that is paid', async () => {
    const { id, admin } = await createAccount(service)
    const first = await sendBillingAction(service, id, 'subscribe', { price: 'price_local_pro_monthly' })
    const second = await sendBillingAction(service, id, 'subscribe', {
      price: 'price_local_team_monthly',
      created: first.event.created + 1,
    })
    await sendBillingAction(service, id, 'cancel_at_period_end', { created: second.event.created + 1 })
    const { body } = await admin.call('GET', '/billing/subscription')
    expect(body).toMatchObject({
      plan: 'team',
      cancel_at: body.current_period_end,
      cancel_at_period_end: true,
    })
    expect(Date.parse(body.cancel_at)).toBeGreaterThan(Date.now())
    expect(body.other_subscriptions).toEqual([
      {
        ...{
          id: expect.stringMatching(/^sub_/),
          plan: 'pro',
          status: 'active',
          cancel_at: null,
          cancel_at_period_end: false,
        },
        current_period_end: expect.any(String),
      },
    ])
    await sendBillingAction(service, id, 'canceled', {
      subscription: body.other_subscriptions[0].id,
      created: second.event.created + 2,
    })
    await sendBillingAction(service, id, 'resume', { created: second.event.created + 3 })
    expect((await admin.call('GET', '/billing/subscription')).body).toMatchObject({
      ...{
        plan: 'team',
        status: 'active',
        cancel_at: null,
        cancel_at_period_end: false,
        other_subscriptions: [],
      },
    })
  })
})

describe('a new checkout', () => {
  it.each(['unpaid', 'canceled', 'past_due'])(
    'BIL-03 BIL-04 unlocks an account whose former subscription is %s',
    async (status) => {
      const { id, admin } = await createAccount(service)
      const { event } = await sendBillingAction(service, id, 'subscribe')
      await sendBillingAction(service, id, status, { created: event.created + 1 })
      const former = await selectOutcome(service, id)
      await sendBillingAction(service, id, 'subscribe', {
        price: 'price_local_team_monthly',
        created: event.created + 2,
      })
      const { body } = await admin.call('GET', '/billing/subscription')
      expect(body).toMatchObject({
        plan: 'team',
        status: 'active',
        is_lapsed: false,
        has_billing_customer: true,
      })
      const customer = (await selectOutcome(service, id))?.customer
      expect(customer).not.toBe(former?.customer)
      const created = event.created + 3
      const deletion = {
        type: 'customer.deleted',
        created,
        data: { object: { object: 'customer', id: former?.customer } },
      }
      expect((await postSignedEvent(service, deletion)).body.outcome).toBe('ignored')
      expect(await selectOutcome(service, id)).toMatchObject({ plan: 'team', status: 'active', customer })
    },
  )

  it('BIL-03 fetches the subscription of a checkout whose event comes later, or never', async () => {
    const { id } = await createAccount(service)
    const completed = await sendBillingAction(service, id, 'subscribe', {
      price: 'price_local_team_monthly',
      skipDelivery: true,
    })
    expect((await resendBillingEvent(service, completed)).answer.outcome).toBe('applied')
    expect(await selectOutcome(service, id)).toMatchObject({ plan: 'team', status: 'active' })
  })

  it('BIL-03 links a customer by the reference in the metadata of its subscription', async () => {
    const { id } = await createAccount(service)
    const { events } = await buildEvents(service, id, [{ ...recent, status: 'active', at: 20 }])
    const [event] = structuredClone(events) as { data: { object: { metadata?: object } } }[]
    if (event) event.data.object.metadata = { account_id: await createReference(service, id) }
    expect(await deliver(service, event ?? {})).toBe('applied')
    expect(await selectOutcome(service, id)).toMatchObject({
      plan: 'team',
      status: 'active',
      customer: expect.stringMatching(/^cus_2_/),
    })
  })
})

const kinds: [name: string, event: HistoryEvent][] = [
  ['the old one is active', { ...old, status: 'active' }],
  ['the old one changes its price', { ...old, status: 'active', plan: 'team' }],
  ['the old one is overdue', { ...old, status: 'past_due' }],
  ['the old one is paused', { ...old, status: 'paused' }],
  ['the old one is canceled', { ...old, status: 'canceled' }],
  ['the new one is active', { ...recent, status: 'active' }],
  ['the new one is overdue', { ...recent, status: 'past_due' }],
  ['the new one is unpaid', { ...recent, status: 'unpaid' }],
  ['the new one is canceled', { ...recent, status: 'canceled' }],
  ['a side price is active', { ...side, status: 'active' }],
  ['a side price is canceled', { ...side, status: 'canceled' }],
  ['the first customer is linked', { kind: 'customer', customer: 1 }],
  ['a checkout links the second customer', { kind: 'checkout', customer: 2 }],
  ['the first customer is deleted', { kind: 'customer_deleted', customer: 1 }],
  ['the second customer is deleted', { kind: 'customer_deleted', customer: 2 }],
]
/** What an account without a customer, with two customers and with a paid subscription has had. */
const backgrounds: TimedEvent[][] = [[], [link, checkout], [link, { ...old, status: 'active', at: 10 }]]

describe('an account ends in the same state after a pair of events in both orders', () => {
  it.each(kinds.map(([name, event], n) => [name, event, n] as const))(
    'BIL-01 BIL-02 BIL-03 BIL-04 when %s, and any other',
    { timeout: 60_000 },
    async (_name, event, n) => {
      for (const [m, [, other]] of kinds.entries()) {
        if (m < n) continue
        // At night each pair happens to each account.
        const accounts = isNight ? backgrounds : [backgrounds[(n + m) % backgrounds.length] ?? []]
        for (const background of accounts) {
          const history: TimedEvent[] = [...background, { ...event, at: 40 }, { ...other, at: 50 }]
          const last = background.length
          for (const pair of [
            [last, last + 1],
            [last + 1, last],
          ]) {
            const { actual, expected } = await play(history, [...background.keys(), ...pair])
            expect(actual, JSON.stringify([history, pair])).toEqual(expected)
          }
        }
      }
    },
  )
})

const subscriptionEvent = fc.record({
  kind: fc.constant('subscription' as const),
  subscription: fc.integer({ min: 1, max: 3 }),
  status: fc.constantFrom('active', 'past_due', 'unpaid', 'paused', 'canceled'),
})
const customerEvent = fc.record({
  kind: fc.constantFrom('customer', 'checkout', 'customer_deleted'),
  customer: fc.integer({ min: 1, max: 2 }),
})
/**
 * Histories of up to three subscriptions of two customers, with an order in which some events are delivered
 * twice.
 */
const histories = fc
  .record({
    steps: fc.array(
      fc.oneof({ weight: 3, arbitrary: subscriptionEvent }, { weight: 2, arbitrary: customerEvent }),
      {
        minLength: 1,
        maxLength: 10,
      },
    ),
    plans: fc.tuple(...[1, 2, 3].map(() => fc.constantFrom('pro', 'team', null))),
    customers: fc.tuple(...[1, 2, 3].map(() => fc.integer({ min: 1, max: 2 }))),
  })
  .chain(({ steps, plans, customers }) => {
    const history = steps.map((step, n): TimedEvent => {
      if (step.kind !== 'subscription') return { ...step, at: 100 + n }
      const { subscription } = step
      return {
        ...step,
        at: 100 + n,
        createdAt: subscription,
        plan: plans[subscription - 1] ?? null,
        customer: customers[subscription - 1] ?? 1,
      }
    })
    const positions = history.map((_, n) => n)
    const all = fc.shuffledSubarray(positions, { minLength: positions.length })
    return fc.tuple(fc.constant(history), all, fc.array(fc.constantFrom(...positions), { maxLength: 3 }))
  })

describe('any history of up to three subscriptions', () => {
  it('BIL-01 BIL-02 BIL-03 BIL-04 ends as if its events were sorted by subscription and time', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ([history, order, repeated]) => {
        const { actual, expected } = await play(history, [...order, ...repeated])
        expect(actual).toEqual(expected)
      }),
      { numRuns: isNight ? 300 : 20 },
    )
  })

  it('BIL-01 BIL-03 ends so after 32 concurrent deliveries, some of them twice', {
    timeout: 120_000,
  }, async () => {
    const statuses = ['active', 'past_due', 'unpaid', 'paused', 'canceled', 'active'] as const
    const history: TimedEvent[] = [
      link,
      checkout,
      ...[old, recent, side].flatMap((subscription, s) =>
        statuses.map((status, n) => ({ ...subscription, status, at: 100 + n * 3 + s })),
      ),
      { kind: 'customer_deleted', customer: 1, at: 200 },
    ]
    for (let round = 0; round < 5; round++) {
      const { id } = await createAccount(service)
      const { tag, events } = await buildEvents(service, id, history)
      const deliveries = Array.from({ length: 32 }, (_, n) => events[(n * 5 + round) % events.length] ?? {})
      await Promise.all(deliveries.map((event) => deliver(service, event)))
      expect(await selectOutcome(service, id)).toEqual(expectOutcome(history, tag))
      const [{ count } = { count: 0 }] = await service.sql<{ count: number }>(
        'select count(*)::integer as count from billing_subscriptions where account_id = $1',
        [id],
      )
      expect(count).toBe(3)
    }
  })
})

/** What an account may be before anything is sold to it. */
const states = [
  ['on trial', `plan = 'pro', subscription_status = 'trialing', trial_ends_at = now() + interval '1 day'`],
  [
    'after its trial',
    `plan = 'pro', subscription_status = 'trialing', trial_ends_at = now() - interval '1 day'`,
  ],
  ['free', `plan = 'free', subscription_status = 'free', trial_ends_at = null`],
  ['with a plan from staff', `plan = 'enterprise', subscription_status = 'active', trial_ends_at = null`],
  ['lapsed', `plan = 'pro', subscription_status = 'canceled', trial_ends_at = null`],
] as const

describe('BIL-02 an account without a subscription to a plan', () => {
  it.each(states)('%s stays as it is whatever happens to a side price', async (_, state) => {
    for (const status of ['active', 'past_due', 'unpaid', 'paused', 'canceled'] as const) {
      const { id } = await createAccount(service)
      await service.sql(`update accounts set ${state} where id = $1`, [id])
      const read = () =>
        service.sql(
          `select plan, subscription_status, trial_ends_at, provider_subscription_id, past_due_since, current_period_end, billing_anchor
             from accounts where id = $1`,
          [id],
        )
      const before = await read()
      const { events } = await buildEvents(service, id, [
        link,
        { ...side, status: 'active', at: 40 },
        { ...side, status, at: 50 },
      ])
      for (const event of events) await deliver(service, event)
      expect(await read(), status).toEqual(before)
    }
  })

  it('keeps a plan whose price changed to one that no plan has, in any order, until its end', async () => {
    const { id } = await createAccount(service)
    await service.sql(`update accounts set ${states[2][1]} where id = $1`, [id])
    const { events } = await buildEvents(service, id, [
      link,
      { ...old, status: 'active', plan: null, at: 50 },
      { ...old, status: 'active', at: 40 },
      { ...old, status: 'canceled', plan: null, at: 60 },
    ])
    const outcomes: string[] = []
    for (const event of events.slice(0, 3)) outcomes.push(await deliver(service, event))
    expect(outcomes).toEqual(['applied', 'unknown_price', 'stale'])
    expect(await selectOutcome(service, id)).toMatchObject({ plan: 'pro', status: 'active' })
    await deliver(service, events[3] ?? {})
    expect(await selectOutcome(service, id)).toMatchObject({ plan: 'pro', status: 'canceled' })
  })
})

it('ACC-16 leaves the rest of the trial to who subscribed during it and cancelled, then the free plan, once', async () => {
  const { id, admin } = await createAccount(service)
  await service.sql(`update accounts set plan = 'pro' where id = $1`, [id])
  const { event } = await sendBillingAction(service, id, 'subscribe', { price: 'price_local_team_monthly' })
  const read = async () => (await admin.call('GET', '/billing/subscription')).body
  const { trial_ends_at } = await read()
  expect(await read()).toMatchObject({ plan: 'team', status: 'active' })
  await sendBillingAction(service, id, 'canceled', { created: event.created + 1 })
  expect(await read()).toMatchObject({ plan: 'pro', status: 'trialing', is_lapsed: false, trial_ends_at })
  await service.sql(`update accounts set trial_ends_at = app.now() where id = $1`, [id])
  expect(await read()).toMatchObject({ plan: 'free', status: 'free', is_lapsed: false })
})
