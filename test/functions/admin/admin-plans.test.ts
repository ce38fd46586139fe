import { afterAll, expect, it } from 'vitest'
import { together } from '../../soak/callers.ts'
import { expectStatus } from '../../support/answers.ts'
import { ownService } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = await ownService()
afterAll(() => service.close())
const { colleague, id: house } = await newAccount(service)
const staff = await colleague({ superAdmin: true })
const platform = '00000000-0000-7000-8000-000000000001'
const somePlan = () => `p${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`
const put = (body: object) => staff.call('PUT', '/admin/plan-limits', body)
const rows = async (plan: string) => ({
  limits: await service.sql('select * from plan_limits where plan = $1', [plan]),
  billing: await service.sql('select display_name, monthly_price_cents, is_public from plan_billing where plan = $1', [plan]),
})
const told = (plan: string) =>
  service.sql<{ action: string; changes: Record<string, unknown> }>(
    `select action, changes from audit_logs where account_id = $1 and changes -> 'plan' ->> 'to' = $2 order by id`,
    [platform, plan],
  )

it('ADM-06 lists every plan with its limits, and null for the billing of one that has none', async () => {
  const bare = somePlan()
  await service.sql('insert into plan_limits (plan, max_users) values ($1, 4)', [bare])
  const { body } = await staff.call('GET', '/admin/plan-limits?limit=100')
  expect(body.slice(0, 4).map(({ plan }: { plan: string }) => plan)).toEqual(['free', 'pro', 'team', 'enterprise'])
  expect(body[1]).toMatchObject({ plan: 'pro', max_users: 10, max_kb_imports: null, display_name: 'Pro', monthly_price_cents: 4900 })
  const {
    plan: _,
    max_users,
    max_kb_imports: __,
    max_ai_builds_per_month: ___,
    ...billing
  } = body.find((row: { plan: string }) => row.plan === bare)
  expect([max_users, ...new Set(Object.values(billing))]).toEqual([4, null])
})

it('ADM-07 makes and changes limits and billing together, or neither, and tells of both in one row', async () => {
  const [plan, other] = [somePlan(), somePlan()]
  const made = await put({
    plan,
    max_users: 7,
    monthly_price_cents: 900,
    currency: 'EUR',
    is_public: true,
    provider_product_id: `prod_${plan}`,
  })
  expect([made.status, made.body]).toEqual([
    200,
    expect.objectContaining({
      plan,
      max_users: 7,
      max_kb_imports: null,
      monthly_price_cents: 900,
      annual_price_cents: null,
      currency: 'eur',
    }),
  ])
  const changed = await put({ plan, max_kb_imports: 2, annual_price_cents: 9000 })
  expect(changed.body).toEqual({ ...made.body, max_kb_imports: 2, annual_price_cents: 9000 })
  expect((await put({ plan, max_users: null, monthly_price_cents: null })).body).toMatchObject({
    max_users: null,
    monthly_price_cents: null,
  })
  expectStatus(await put({ plan }), 200)
  const conflict = await put({ plan: other, max_users: 3, provider_product_id: `prod_${plan}` })
  expect([conflict.status, await rows(other)]).toEqual([409, { limits: [], billing: [] }])
  const log = await told(plan)
  expect(log.map(({ action }) => action)).toEqual(['plan.created', 'plan.updated', 'plan.updated'])
  expect(log[1]?.changes).toMatchObject({ max_kb_imports: { from: null, to: 2 }, annual_price_cents: { from: null, to: 9000 } })
})

it('makes no billing where no billing field is given', async () => {
  const plan = somePlan()
  expect((await put({ plan, max_users: 2, display_name: null })).body).toMatchObject({ max_users: 2, display_name: null, currency: null })
  expect((await rows(plan)).billing).toEqual([])
})

it('ADM-08 ADM-09 names new billing after its plan, and keeps a name that is there when it is given none', async () => {
  const plan = somePlan()
  const capitalised = `P${plan.slice(1)}`
  expect((await put({ plan, sort_order: 3 })).body.display_name).toBe(capitalised)
  expect((await put({ plan, display_name: 'Extra' })).body.display_name).toBe('Extra')
  for (const change of [{ display_name: null }, { display_name: null, sort_order: 4 }, { sort_order: 5 }, { max_users: 9 }])
    expect((await put({ plan, ...change })).body.display_name).toBe('Extra')
  expectStatus(await put({ plan, display_name: ' ' }), 422)
})

it('leaves one row of each when 32 put the same plan at once, each audit row telling a change', async () => {
  const plan = somePlan()
  const answers = await together((caller) => put({ plan, max_users: caller + 1, monthly_price_cents: caller }))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  const { limits, billing } = await rows(plan)
  expect([limits, billing]).toMatchObject([[{ plan }], [{ display_name: `P${plan.slice(1)}` }]])
  // Both are of one caller, whoever was last.
  expect(limits[0]?.max_users).toBe(Number(billing[0]?.monthly_price_cents) + 1)
  const log = await told(plan)
  expect([log.length, log.filter(({ action }) => action === 'plan.created').length]).toEqual([32, 1])
})

it('ADM-10 shows accounts on the plan the new values on their next request', async () => {
  const plan = somePlan()
  await put({ plan, max_users: 1 })
  const { id, admin } = await newAccount(service)
  await service.sql('update accounts set plan = $2 where id = $1', [id, plan])
  for (const max_users of [5, 2, null, 1]) {
    await put({ plan, max_users })
    expect((await admin.call('GET', '/accounts/me')).body.limits).toMatchObject({ max_users })
  }
  const full = await admin.call('POST', '/accounts/me/invites', { email: 'a@b.example', role: 'viewer' })
  expect([full.status, full.body.code]).toEqual([409, 'seat_limit_reached'])
  expect((await staff.call('GET', '/plans/public')).text).not.toContain(plan)
  await put({ plan, is_public: true })
  expect((await staff.call('GET', '/plans/public')).text).toContain(plan)
})

it('refuses limits and prices that cannot be', async () => {
  const plan = somePlan()
  for (const wrong of [
    { max_users: 0 },
    { max_users: 2 ** 31 },
    { monthly_price_cents: -1 },
    { monthly_price_cents: 9.99 },
    { currency: 'euro' },
    { is_public: null },
    { plan: 'No Plan' },
  ])
    expect([wrong, (await put({ plan, ...wrong })).status]).toEqual([wrong, 422])
  expect(await rows(plan)).toEqual({ limits: [], billing: [] })
})

it('lists features with the defaults of plans and the accounts that differ, and changes both with one audit row each', async () => {
  const plan = somePlan()
  await put({ plan })
  const { id, admin } = await newAccount(service)
  await service.sql('update accounts set plan = $2 where id = $1', [id, plan])
  const flags = async () => (await admin.call('GET', '/auth/me/feature-flags')).body.flags
  expect((await flags()).kb_import).toBe(false)
  const byPlan = await staff.call('PUT', '/admin/feature-flags/kb_import', { plan, enabled: true })
  expect(byPlan.body).toMatchObject({ key: 'kb_import', plans: { [plan]: true, free: true } })
  expect((await flags()).kb_import).toBe(true)
  const path = `/admin/accounts/${id}/feature-flags/kb_import`
  const off = await staff.call('PUT', path, { enabled: false })
  expect(off.body).toEqual({ account_id: id, account_name: 'Test account', key: 'kb_import', override: false, enabled: false })
  expect((await flags()).kb_import).toBe(false)
  const list = (await staff.call('GET', '/admin/feature-flags')).body
  expect(list).toHaveLength(7)
  const flag = list.find(({ key }: { key: string }) => key === 'kb_import')
  expect(flag).toMatchObject({ override_count: 1, overrides: [{ account_id: id, account_name: 'Test account', enabled: false }] })
  expect((await staff.call('PUT', path, {})).body).toEqual(off.body)
  expect((await staff.call('PUT', path, { enabled: null })).body).toMatchObject({ override: null, enabled: true })
  const own = await service.sql<{ action: string; changes: object }>(
    'select action, changes from audit_logs where account_id = $1 order by id',
    [id],
  )
  expect(own.map(({ action }) => action)).toEqual(['feature_override.created', 'feature_override.deleted'])
  expect(own[0]?.changes).toMatchObject({ feature: { to: 'kb_import' }, enabled: { to: false } })
  expect((await told(plan)).map(({ action }) => action)).toEqual(['plan.created', 'plan_feature.created'])
})

it('knows no other feature, plan or account', async () => {
  const feature = '/admin/feature-flags/time_travel'
  expectStatus(await staff.call('PUT', feature, { plan: 'pro', enabled: true }), 404)
  expectStatus(await staff.call('PUT', feature, {}), 404)
  const unknown = await staff.call('PUT', '/admin/feature-flags/kb_import', { plan: 'platinum', enabled: true })
  expect([unknown.status, unknown.body.errors[0].loc]).toEqual([422, ['body', 'plan']])
  expectStatus(await staff.call('PUT', '/admin/feature-flags/kb_import', { plan: 'pro' }), 422)
  for (const enabled of [true, null]) {
    expectStatus(await staff.call('PUT', `/admin/accounts/${crypto.randomUUID()}/feature-flags/kb_import`, { enabled }), 404)
    expectStatus(await staff.call('PUT', `/admin/accounts/${house}/feature-flags/time_travel`, { enabled }), 404)
  }
})
