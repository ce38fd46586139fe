import { afterAll, expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { addColleague, id: staffAccountId } = await createAccount(service)
const staff = await addColleague({ superAdmin: true })
const platformAccountId = '00000000-0000-7000-8000-000000000001'
const createPlanName = () => `p${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`
const putPlan = (body: object) => staff.call('PUT', '/admin/plan-limits', body)
const selectPlanRows = async (plan: string) => ({
  limits: await service.sql('select * from plan_limits where plan = $1', [plan]),
  billing: await service.sql(
    'select display_name, monthly_price_cents, is_public from plan_billing where plan = $1',
    [plan],
  ),
})
const selectAuditRows = (plan: string) =>
  service.sql<{ action: string; changes: Record<string, unknown> }>(
    `select action, changes from audit_logs where account_id = $1 and changes -> 'plan' ->> 'to' = $2 order by id`,
    [platformAccountId, plan],
  )

it('ADM-06 lists every plan with its limits, and null billing fields for a plan without billing', async () => {
  const planWithoutBilling = createPlanName()
  await service.sql('insert into plan_limits (plan, max_users) values ($1, 4)', [planWithoutBilling])
  const { body } = await staff.call('GET', '/admin/plan-limits?limit=100')
  expect(body.slice(0, 4).map(({ plan }: { plan: string }) => plan)).toEqual([
    'free',
    'pro',
    'team',
    'enterprise',
  ])
  expect(body[1]).toMatchObject({
    plan: 'pro',
    max_users: 10,
    max_kb_imports: null,
    display_name: 'Pro',
    monthly_price_cents: 4900,
  })
  const {
    plan: _,
    max_users,
    max_kb_imports: __,
    max_ai_builds_per_month: ___,
    quotas,
    ...billing
  } = body.find((row: { plan: string }) => row.plan === planWithoutBilling)
  expect([max_users, ...new Set(Object.values(billing))]).toEqual([4, null])
  expect(quotas).toMatchObject({ flows: 2000, mails_per_day: 500, stored_bytes: 10_737_418_240 })
})

it('ADM-07 creates and updates limits and billing atomically, with one audit row for both', async () => {
  const [plan, otherPlan] = [createPlanName(), createPlanName()]
  const created = await putPlan({
    plan,
    max_users: 7,
    monthly_price_cents: 900,
    currency: 'EUR',
    is_public: true,
    provider_product_id: `prod_${plan}`,
  })
  expect([created.status, created.body]).toEqual([
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
  const changed = await putPlan({ plan, max_kb_imports: 2, annual_price_cents: 9000 })
  expect(changed.body).toEqual({ ...created.body, max_kb_imports: 2, annual_price_cents: 9000 })
  const quotas = { ...created.body.quotas, flows: 5, stored_bytes: null }
  expect((await putPlan({ plan, quotas: { flows: 5, stored_bytes: null } })).body.quotas).toEqual(quotas)
  expect((await putPlan({ plan, max_users: null, monthly_price_cents: null })).body).toMatchObject({
    max_users: null,
    monthly_price_cents: null,
  })
  expectStatus(await putPlan({ plan }), 200)
  const conflict = await putPlan({ plan: otherPlan, max_users: 3, provider_product_id: `prod_${plan}` })
  expect([conflict.status, await selectPlanRows(otherPlan)]).toEqual([409, { limits: [], billing: [] }])
  const log = await selectAuditRows(plan)
  expect(log.map(({ action }) => action)).toEqual([
    'plan.created',
    'plan.updated',
    'plan.updated',
    'plan.updated',
  ])
  expect(log[1]?.changes).toMatchObject({
    max_kb_imports: { from: null, to: 2 },
    annual_price_cents: { from: null, to: 9000 },
  })
})

it('creates no billing row without a billing field', async () => {
  const plan = createPlanName()
  expect((await putPlan({ plan, max_users: 2, display_name: null })).body).toMatchObject({
    max_users: 2,
    display_name: null,
    currency: null,
  })
  expect((await selectPlanRows(plan)).billing).toEqual([])
})

it('ADM-08 ADM-09 uses the plan as the default display name, and keeps a display name that an update omits or sets to null', async () => {
  const plan = createPlanName()
  const capitalisedPlan = `P${plan.slice(1)}`
  expect((await putPlan({ plan, sort_order: 3 })).body.display_name).toBe(capitalisedPlan)
  expect((await putPlan({ plan, display_name: 'Extra' })).body.display_name).toBe('Extra')
  for (const changes of [
    { display_name: null },
    { display_name: null, sort_order: 4 },
    { sort_order: 5 },
    { max_users: 9 },
  ])
    expect((await putPlan({ plan, ...changes })).body.display_name).toBe('Extra')
  expectStatus(await putPlan({ plan, display_name: ' ' }), 422)
})

it('stores one limits row, one billing row and 32 audit rows for 32 concurrent updates of a plan', async () => {
  const plan = createPlanName()
  const responses = await runConcurrently((caller) =>
    putPlan({ plan, max_users: caller + 1, monthly_price_cents: caller }),
  )
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  const { limits, billing } = await selectPlanRows(plan)
  expect([limits, billing]).toMatchObject([[{ plan }], [{ display_name: `P${plan.slice(1)}` }]])
  // Both rows come from the same caller: the last one.
  expect(limits[0]?.max_users).toBe(Number(billing[0]?.monthly_price_cents) + 1)
  const log = await selectAuditRows(plan)
  expect([log.length, log.filter(({ action }) => action === 'plan.created').length]).toEqual([32, 1])
})

it('ADM-10 applies new limits to the next request of accounts on the plan', async () => {
  const plan = createPlanName()
  await putPlan({ plan, max_users: 1 })
  const { id, admin } = await createAccount(service)
  await service.sql('update accounts set plan = $2 where id = $1', [id, plan])
  for (const max_users of [5, 2, null, 1]) {
    await putPlan({ plan, max_users })
    expect((await admin.client.accounts.get()).limits).toMatchObject({ max_users })
  }
  const refused = await admin.call('POST', '/accounts/me/invites', { email: 'a@b.example', role: 'viewer' })
  expect([refused.status, refused.body.code]).toEqual([409, 'seat_limit_reached'])
  expect((await staff.call('GET', '/plans/public')).text).not.toContain(plan)
  await putPlan({ plan, is_public: true })
  expect((await staff.call('GET', '/plans/public')).text).toContain(plan)
})

it('refuses invalid limits and prices', async () => {
  const plan = createPlanName()
  for (const invalid of [
    { max_users: 0 },
    { max_users: 2 ** 31 },
    { monthly_price_cents: -1 },
    { monthly_price_cents: 9.99 },
    { currency: 'euro' },
    { is_public: 'yes' },
    { plan: 'No Plan' },
  ])
    expect([invalid, (await putPlan({ plan, ...invalid })).status]).toEqual([invalid, 422])
  expect(await selectPlanRows(plan)).toEqual({ limits: [], billing: [] })
})

it('lists features with plan defaults and overrides, and writes one audit row per change', async () => {
  const plan = createPlanName()
  await putPlan({ plan })
  const { id, admin } = await createAccount(service)
  await service.sql('update accounts set plan = $2 where id = $1', [id, plan])
  const getFlags = async () => (await admin.client.identity.auth.getFeatureFlags()).flags
  expect((await getFlags()).kb_import).toBe(false)
  const planFeature = await staff.client.admin.plans.putFeatureFlag({
    flag_key: 'kb_import',
    plan,
    enabled: true,
  })
  expect(planFeature).toMatchObject({ key: 'kb_import', plans: { [plan]: true, free: true } })
  expect((await getFlags()).kb_import).toBe(true)
  const path = `/admin/accounts/${id}/feature-flags/kb_import`
  const override = await staff.call('PUT', path, { enabled: false })
  expect(override.body).toEqual({
    account_id: id,
    account_name: 'Test account',
    key: 'kb_import',
    override: false,
    enabled: false,
  })
  expect((await getFlags()).kb_import).toBe(false)
  const list = await staff.client.admin.plans.listFeatureFlags()
  expect(list).toHaveLength(7)
  const flag = list.find(({ key }: { key: string }) => key === 'kb_import')
  expect(flag).toMatchObject({
    override_count: 1,
    overrides: [{ account_id: id, account_name: 'Test account', enabled: false }],
  })
  expect(
    await staff.client.admin.plans.putFeatureOverride({ account_id: id, flag_key: 'kb_import' }),
  ).toEqual(override.body)
  expect(
    await staff.client.admin.plans.putFeatureOverride({
      account_id: id,
      flag_key: 'kb_import',
      enabled: null,
    }),
  ).toMatchObject({
    override: null,
    enabled: true,
  })
  const auditRows = await service.sql<{ action: string; changes: object }>(
    'select action, changes from audit_logs where account_id = $1 order by id',
    [id],
  )
  expect(auditRows.map(({ action }) => action)).toEqual([
    'feature_override.created',
    'feature_override.deleted',
  ])
  expect(auditRows[0]?.changes).toMatchObject({ feature: { to: 'kb_import' }, enabled: { to: false } })
  expect((await selectAuditRows(plan)).map(({ action }) => action)).toEqual([
    'plan.created',
    'plan_feature.created',
  ])
})

it('refuses an unknown feature, plan or account', async () => {
  await expectRefusal(
    staff.client.admin.plans.putFeatureFlag({ flag_key: 'time_travel', plan: 'pro', enabled: true }),
    404,
  )
  await expectRefusal(staff.client.admin.plans.putFeatureFlag({ flag_key: 'time_travel' }), 404)
  const unknownPlan = await staff.call('PUT', '/admin/feature-flags/kb_import', {
    plan: 'platinum',
    enabled: true,
  })
  expect([unknownPlan.status, unknownPlan.body.errors[0].loc]).toEqual([422, ['body', 'plan']])
  await expectRefusal(staff.client.admin.plans.putFeatureFlag({ flag_key: 'kb_import', plan: 'pro' }), 422)
  for (const enabled of [true, null]) {
    await expectRefusal(
      staff.client.admin.plans.putFeatureOverride({
        account_id: crypto.randomUUID(),
        flag_key: 'kb_import',
        enabled,
      }),
      404,
    )
    await expectRefusal(
      staff.client.admin.plans.putFeatureOverride({
        account_id: staffAccountId,
        flag_key: 'time_travel',
        enabled,
      }),
      404,
    )
  }
})
