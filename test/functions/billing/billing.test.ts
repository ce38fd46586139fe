import { afterAll, beforeAll, expect, it } from 'vitest'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { createStripeCustomer } from '#test/support/billing.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { night } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'

let service: Awaited<ReturnType<typeof startOwnService>>
beforeAll(async () => {
  service = await startOwnService()
})
afterAll(() => service.close())

const openPortal = (person: Person) => person.call('GET', '/billing/portal-session')

async function createCustomer(): Promise<{ admin: Person; id: string; customer: string }> {
  const { admin, id } = await createAccount(service)
  const customer = await createStripeCustomer(service)
  await service.sql('update accounts set billing_customer_id = $2 where id = $1', [id, customer])
  return { admin, id, customer }
}

it('PUB-12 PUB-14 returns the URL of a working portal page, and does not log it', async () => {
  const { admin } = await createCustomer()
  const { status, body } = await openPortal(admin)
  expect([status, Object.keys(body)]).toEqual([200, ['url']])
  const page = await fetch(body.url)
  expect([page.status, await page.text()]).toEqual([
    200,
    expect.stringContaining('https://app.supportflow.example/settings/billing'),
  ])
  expect(service.log.join('\n')).not.toContain(body.url)
})

it('PUB-11 WIR-02 returns 400 {error: no_billing_customer} without a customer or with one that the provider deleted', async () => {
  const { admin } = await createAccount(service)
  expect([(await openPortal(admin)).status, (await openPortal(admin)).body]).toEqual([
    400,
    { error: 'no_billing_customer' },
  ])
  const deleted = await createCustomer()
  const headers = { authorization: `Bearer ${service.settings.STRIPE_SECRET_KEY}` }
  await fetch(`${service.settings.STRIPE_BASE_URL}/v1/customers/${deleted.customer}`, {
    method: 'DELETE',
    headers,
  })
  expect((await openPortal(deleted.admin)).body).toEqual({ error: 'no_billing_customer' })
})

it.each(['down', 'error', 'rate_limit', 'client_error', 'garbage', 'redirect'])(
  'PUB-14 returns 502 {error: billing_provider_error} when the provider has the fault %s',
  async (mode) => {
    const { admin } = await createCustomer()
    await dashboard(service).setFault({ service: 'stripe', mode })
    expect([(await openPortal(admin)).status, (await openPortal(admin)).body]).toEqual([
      502,
      { error: 'billing_provider_error' },
    ])
  },
)

it('returns 502 when the provider hangs', { ...night, timeout: 40_000 }, async () => {
  const { admin } = await createCustomer()
  await dashboard(service).setFault({ service: 'stripe', mode: 'hang' })
  expectStatus(await openPortal(admin), 502)
})

it('PUB-13 AUT-13 opens the portal only for a signed-in user, and skips the e-mail and subscription guards', async () => {
  expectStatus(await request(service, 'GET', '/billing/portal-session'), 401)
  const { admin, id } = await createCustomer()
  await service.sql(`update accounts set subscription_status = 'unpaid' where id = $1`, [id])
  await service.sql(
    `update users set email_verified_at = null, created_at = now() - interval '73 hours' where id = $1`,
    [admin.id],
  )
  await expectRefusal(admin.client.accounts.teams.list(), 403)
  expectStatus(await openPortal(admin), 200)
  expect(await admin.client.billing.getSubscription()).toMatchObject({ status: 'unpaid', is_lapsed: true })
})

it('does not call the provider for portal requests beyond the rate limit', async () => {
  const { admin } = await createCustomer()
  const responses = await Promise.all(Array.from({ length: 15 }, () => openPortal(admin)))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(10)
  const portalRequests = service.stack.localServer.dashboard.records
    .list('billing')
    .map(({ request: sent }) => sent as { customer?: string })
  const [{ billing_customer_id: customer } = {}] = await service.sql<{ billing_customer_id: string }>(
    'select billing_customer_id from accounts where id = $1',
    [admin.accountId],
  )
  expect(portalRequests.filter((sent) => sent.customer === customer)).toHaveLength(10)
})

it('PUB-10 WIR-02 returns 503 {error: billing_provider_not_configured} without a secret, with or without a customer', {
  timeout: 60_000,
}, async () => {
  const unconfigured = await startOwnService({ STRIPE_SECRET_KEY: '' })
  try {
    const { admin, id } = await createAccount(unconfigured)
    const expected = [503, { error: 'billing_provider_not_configured' }]
    expect([(await openPortal(admin)).status, (await openPortal(admin)).body]).toEqual(expected)
    await unconfigured.sql(`update accounts set billing_customer_id = 'cus_1' where id = $1`, [id])
    expect([(await openPortal(admin)).status, (await openPortal(admin)).body]).toEqual(expected)
    const event = await request(unconfigured, 'POST', '/billing/webhook', { raw: '{}' })
    expect([event.status, event.body]).toEqual(expected)
    await admin.client.billing.getSubscription()
  } finally {
    await unconfigured.close()
  }
})

it('returns the plan with the used seats and the used AI quota', async () => {
  const { admin, id, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  await service.sql(
    `update accounts set plan = 'pro', billing_anchor = '2026-01-31T10:00:00Z', current_period_end = '2027-01-31T10:00:00Z' where id = $1`,
    [id],
  )
  await service.sql(
    `insert into quota_counters (account_id, quota, period_start, used) select id, 'ai_builds', app.quota_period(a), 7 from accounts a where id = $1`,
    [id],
  )
  const body = await viewer.client.billing.getSubscription()
  expect(body).toEqual({
    plan: 'pro',
    status: 'trialing',
    is_lapsed: false,
    trial_ends_at: expect.any(String),
    past_due_since: null,
    current_period_end: '2027-01-31T10:00:00.000Z',
    cancel_at: null,
    cancel_at_period_end: false,
    other_subscriptions: [],
    seats: 10,
    seats_used: 2,
    ai_builds: { used: 7, limit: 100, resets_at: expect.any(String) },
    has_billing_customer: false,
    checkout_reference: expect.stringMatching(new RegExp(`^${id}_[\\w-]{43}$`)),
  })
  expect(Date.parse(body.ai_builds.resets_at)).toBeGreaterThan(Date.now())
  expect(await admin.client.accounts.get()).toMatchObject({ plan: 'pro' })
})

it.each([
  // Each row is the billing cycle anchor, the current time, and the start of the current month.
  ['2026-01-31T10:00:00Z', '2026-02-28T09:59:00Z', '2026-01-31T10:00:00Z'],
  ['2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z', '2026-02-28T10:00:00Z'],
  ['2026-01-31T10:00:00Z', '2026-03-31T09:00:00Z', '2026-02-28T10:00:00Z'],
  ['2024-02-29T00:00:00Z', '2026-12-31T23:59:59Z', '2026-12-29T00:00:00Z'],
  ['2026-05-15T12:00:00Z', '2026-05-15T12:00:00Z', '2026-05-15T12:00:00Z'],
  ['2026-12-20T00:00:00Z', '2026-11-21T00:00:00Z', '2026-11-20T00:00:00Z'],
])(
  'counts months from the billing cycle anchor %s: at %s the current month started at %s',
  async (anchor, now, expected) => {
    const [{ start } = { start: null }] = await service.sql<{ start: Date | null }>(
      `select app.month_start($1::timestamptz, $2::timestamptz, 0) as start`,
      [anchor, now],
    )
    expect(start?.toISOString()).toBe(new Date(expected).toISOString())
  },
)
