import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCustomer } from '../../contract/fixtures-billing.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService, request } from '../../support/app.ts'
import { newAccount, type Person } from '../../support/people.ts'

let service: Awaited<ReturnType<typeof ownService>>
beforeAll(async () => {
  service = await ownService()
})
afterAll(() => service.close())

const portal = (person: Person) => person.call('GET', '/billing/portal-session')

async function customerOf(): Promise<{ admin: Person; id: string; customer: string }> {
  const { admin, id } = await newAccount(service)
  const customer = await makeCustomer(service)
  await service.sql('update accounts set billing_customer_id = $2 where id = $1', [id, customer])
  return { admin, id, customer }
}

it('PUB-12 PUB-14 gives the address of the provider’s page, which a person can open', async () => {
  const { admin } = await customerOf()
  const { status, body } = await portal(admin)
  expect([status, Object.keys(body)]).toEqual([200, ['url']])
  const page = await fetch(body.url)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('https://app.supportflow.example/settings/billing')])
  expect(service.log.join('\n')).not.toContain(body.url)
})

it('PUB-11 WIR-02 is 400 {error: no_billing_customer} without a customer, and for one the provider deleted', async () => {
  const { admin } = await newAccount(service)
  expect([(await portal(admin)).status, (await portal(admin)).body]).toEqual([400, { error: 'no_billing_customer' }])
  const gone = await customerOf()
  const headers = { authorization: `Bearer ${service.settings.STRIPE_SECRET_KEY}` }
  await fetch(`${service.settings.STRIPE_BASE_URL}/v1/customers/${gone.customer}`, { method: 'DELETE', headers })
  expect((await portal(gone.admin)).body).toEqual({ error: 'no_billing_customer' })
})

it.each(['down', 'error', 'rate_limit', 'client_error', 'garbage', 'redirect'])(
  'PUB-14 is 502 {error: billing_provider_error} when the provider is on %s',
  async (mode) => {
    const { admin } = await customerOf()
    await desk(service).fault({ service: 'stripe', mode })
    expect([(await portal(admin)).status, (await portal(admin)).body]).toEqual([502, { error: 'billing_provider_error' }])
  },
)

it('gives up on a provider that hangs, and says so', { timeout: 40_000 }, async () => {
  const { admin } = await customerOf()
  await desk(service).fault({ service: 'stripe', mode: 'hang' })
  expectStatus(await portal(admin), 502)
})

it('PUB-13 AUT-13 needs a signed-in user, and lets in past the address and subscription guards', async () => {
  expectStatus(await request(service, 'GET', '/billing/portal-session'), 401)
  const { admin, id } = await customerOf()
  await service.sql(`update accounts set subscription_status = 'unpaid' where id = $1`, [id])
  await service.sql(`update users set email_verified_at = null, created_at = now() - interval '73 hours' where id = $1`, [admin.id])
  expectStatus(await admin.call('GET', '/teams'), 403)
  expectStatus(await portal(admin), 200)
  expect((await admin.call('GET', '/billing/subscription')).body).toMatchObject({ status: 'unpaid', is_lapsed: true })
})

it('asks the provider for nothing once the limit is reached', async () => {
  const { admin } = await customerOf()
  const answers = await Promise.all(Array.from({ length: 15 }, () => portal(admin)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  const asked = service.stack.local.desk.records.list('billing').filter(({ request: sent }) => {
    return (sent as { customer?: string }).customer !== undefined
  })
  const [{ billing_customer_id: customer } = {}] = await service.sql<{ billing_customer_id: string }>(
    'select billing_customer_id from accounts where id = $1',
    [admin.accountId],
  )
  expect(asked.filter(({ request: sent }) => (sent as { customer: string }).customer === customer)).toHaveLength(10)
})

it('PUB-10 WIR-02 is 503 {error: billing_provider_not_configured} without a secret, whoever asks', { timeout: 60_000 }, async () => {
  const bare = await ownService({ STRIPE_SECRET_KEY: '' })
  try {
    const { admin, id } = await newAccount(bare)
    const expected = [503, { error: 'billing_provider_not_configured' }]
    expect([(await portal(admin)).status, (await portal(admin)).body]).toEqual(expected)
    await bare.sql(`update accounts set billing_customer_id = 'cus_1' where id = $1`, [id])
    expect([(await portal(admin)).status, (await portal(admin)).body]).toEqual(expected)
    const event = await request(bare, 'POST', '/billing/webhook', { raw: '{}' })
    expect([event.status, event.body]).toEqual(expected)
    expectStatus(await admin.call('GET', '/billing/subscription'), 200)
  } finally {
    await bare.close()
  }
})

it('shows the plan, its seats and what is used of them and of the AI quota', async () => {
  const { admin, id, colleague } = await newAccount(service)
  const viewer = await colleague({ role: 'viewer' })
  await service.sql(
    `update accounts set plan = 'pro', billing_anchor = '2026-01-31T10:00:00Z', current_period_end = '2027-01-31T10:00:00Z' where id = $1`,
    [id],
  )
  await service.sql(
    `insert into quota_counters (account_id, quota, period_start, used) select id, 'ai_builds', app.quota_period(a), 7 from accounts a where id = $1`,
    [id],
  )
  const { body } = await viewer.call('GET', '/billing/subscription')
  expect(body).toEqual({
    plan: 'pro',
    status: 'trialing',
    is_lapsed: false,
    trial_ends_at: expect.any(String),
    past_due_since: null,
    current_period_end: '2027-01-31T10:00:00.000Z',
    seats: 10,
    seats_used: 2,
    ai_builds: { used: 7, limit: 100, resets_at: expect.any(String) },
    has_billing_customer: false,
  })
  expect(Date.parse(body.ai_builds.resets_at)).toBeGreaterThan(Date.now())
  expect((await admin.call('GET', '/accounts/me')).body).toMatchObject({ plan: 'pro' })
})

it.each([
  // The anchor, now, and when the month that is under way began.
  ['2026-01-31T10:00:00Z', '2026-02-28T09:59:00Z', '2026-01-31T10:00:00Z'],
  ['2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z', '2026-02-28T10:00:00Z'],
  ['2026-01-31T10:00:00Z', '2026-03-31T09:00:00Z', '2026-02-28T10:00:00Z'],
  ['2024-02-29T00:00:00Z', '2026-12-31T23:59:59Z', '2026-12-29T00:00:00Z'],
  ['2026-05-15T12:00:00Z', '2026-05-15T12:00:00Z', '2026-05-15T12:00:00Z'],
  ['2026-12-20T00:00:00Z', '2026-11-21T00:00:00Z', '2026-11-20T00:00:00Z'],
])('counts months of use from the anchor %s: at %s the one that began at %s', async (anchor, now, began) => {
  const [{ start } = { start: null }] = await service.sql<{ start: Date | null }>(
    `select app.month_start($1::timestamptz, $2::timestamptz, 0) as start`,
    [anchor, now],
  )
  expect(start?.toISOString()).toBe(new Date(began).toISOString())
})
