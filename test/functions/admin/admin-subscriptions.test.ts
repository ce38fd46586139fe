import { afterAll, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type TestAccount } from '#test/support/people.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { advanceClock } = dashboard(service)

/**
 * Create an account, and a super admin in another account. `columns` are SQL assignments for the account's
 * row.
 */
async function createScene(columns = '') {
  const [account, staffAccount] = [await createAccount(service), await createAccount(service)]
  if (columns) await service.sql(`update accounts set ${columns} where id = $1`, [account.id])
  const staff = await staffAccount.addColleague({ superAdmin: true })
  const path = `/admin/users/${account.admin.id}`
  return {
    account,
    putPlan: (plan: string) => staff.call('PUT', `${path}/subscription/plan`, { plan }),
    extendTrial: (body: unknown, headers?: Record<string, string>) =>
      staff.call('POST', `${path}/extend-trial`, body, headers),
    staff,
  }
}

async function readPlan({ admin }: TestAccount) {
  const { body } = await admin.call('GET', '/accounts/me')
  return [body.plan, body.subscription_status, body.limits?.max_users]
}
const selectAuditActions = ({ id }: TestAccount) =>
  service.sql('select action from audit_logs where account_id = $1', [id])

it('ADM-04 changes the plan of an account in every subscription state', async () => {
  const cases = [
    [`plan = 'pro'`, 'team', ['team', 'trialing', 50]],
    [`plan = 'pro', trial_ends_at = now() - interval '1 day'`, 'team', ['team', 'active', 50]],
    [`plan = 'free', subscription_status = 'free'`, 'pro', ['pro', 'active', 10]],
    [`plan = 'pro', subscription_status = 'active'`, 'enterprise', ['enterprise', 'active', null]],
    [
      `plan = 'pro', subscription_status = 'past_due', past_due_since = now()`,
      'team',
      ['team', 'past_due', 50],
    ],
    [`plan = 'pro', subscription_status = 'canceled'`, 'free', ['free', 'free', 3]],
    [`plan = 'pro'`, 'free', ['free', 'free', 3]],
  ] as const
  for (const [columns, plan, expected] of cases) {
    const { account, putPlan } = await createScene(columns)
    const { status, body } = await putPlan(plan)
    expect([columns, status, body.plan, body.status]).toEqual([columns, 200, plan, expected[1]])
    expect([columns, ...(await readPlan(account))]).toEqual([columns, ...expected])
    expect(await selectAuditActions(account)).toEqual([{ action: 'subscription.updated' }])
    expect((await putPlan(plan)).body).toEqual(body)
    expect(await selectAuditActions(account)).toHaveLength(1)
  }
})

it('refuses an unknown plan, and changes nothing', async () => {
  const { account, putPlan, staff } = await createScene()
  const planBefore = await readPlan(account)
  for (const plan of ['platinum', 'PRO', '', "pro'--"]) {
    const { status, body } = await putPlan(plan)
    expect([plan, status, body.errors[0].loc]).toEqual([plan, 422, ['body', 'plan']])
  }
  expectStatus(
    await staff.call('PUT', `/admin/users/${crypto.randomUUID()}/subscription/plan`, { plan: 'pro' }),
    404,
  )
  expect((await staff.call('PUT', `/admin/users/${account.admin.id}/subscription/plan`, {})).body.plan).toBe(
    planBefore[0],
  )
  expect([await readPlan(account), await selectAuditActions(account)]).toEqual([planBefore, []])
})

it('ADM-05 extends a trial by a number of days from its end, or from now if it has ended', async () => {
  const running = await createScene()
  const userBefore = await running.staff.call('GET', `/admin/users/${running.account.admin.id}`)
  const { body } = await running.extendTrial({ days: 10 })
  const endBefore = Date.parse(userBefore.body.subscription.trial_ends_at)
  expect(Date.parse(body.trial_ends_at) - endBefore).toBe(10 * 86_400_000)
  expect(await selectAuditActions(running.account)).toEqual([{ action: 'subscription.updated' }])

  const ended = await createScene(`plan = 'pro', trial_ends_at = app.now() - interval '40 days'`)
  expect(await readPlan(ended.account)).toEqual(['free', 'free', 3])
  expect((await ended.extendTrial({ days: 3 })).body).toMatchObject({ plan: 'pro', status: 'trialing' })
  expect(await readPlan(ended.account)).toEqual(['pro', 'trialing', 10])
  await advanceClock(3 * 86_400 - 60)
  expect((await readPlan(ended.account))[1]).toBe('trialing')
  await advanceClock(61)
  expect(await readPlan(ended.account)).toEqual(['free', 'free', 3])
})

it('refuses to extend the trial of an account that is not on trial', async () => {
  for (const status of ['active', 'past_due', 'unpaid', 'canceled', 'free']) {
    const { account, extendTrial } = await createScene(`subscription_status = '${status}'`)
    const response = await extendTrial({ days: 5 })
    expect([status, response.status, response.body.code]).toEqual([status, 409, 'not_on_trial'])
    expect(await selectAuditActions(account)).toEqual([])
  }
})

it('ADM-11 extends a trial by 1 to 365 days, and refuses any other number', async () => {
  const { account, extendTrial } = await createScene()
  for (const days of [0, -1, 366, 1.5, '7', null, 1e9, undefined]) {
    const response = await extendTrial({ days })
    expect([days, response.status, response.body.errors[0].loc]).toEqual([days, 422, ['body', 'days']])
  }
  expect(await selectAuditActions(account)).toEqual([])
  for (const days of [1, 365]) expectStatus(await extendTrial({ days }), 200)
})

it('extends a trial once per idempotency key for 32 concurrent requests, and scopes the key to a super admin', async () => {
  const { account, extendTrial } = await createScene()
  const selectTrialEnd = async () =>
    (
      await service.sql<{ trial_ends_at: Date }>('select trial_ends_at from accounts where id = $1', [
        account.id,
      ])
    )[0]?.trial_ends_at
  const endBefore = Number(await selectTrialEnd())
  const responses = await Promise.all(
    Array.from({ length: 32 }, () => extendTrial({ days: 1 }, { 'idempotency-key': 'once' })),
  )
  expect(responses.every(({ status }) => status === 200 || status === 409)).toBe(true)
  expect(Number(await selectTrialEnd()) - endBefore).toBe(86_400_000)
  const repeated = await extendTrial({ days: 1 }, { 'idempotency-key': 'once' })
  expect([repeated.status, repeated.text]).toEqual([
    200,
    responses.find(({ status }) => status === 200)?.text,
  ])
  expectStatus(await extendTrial({ days: 2 }, { 'idempotency-key': 'once' }), 422)
  const otherStaff = await account.addColleague({ superAdmin: true })
  const path = `/admin/users/${account.admin.id}/extend-trial`
  const extended = await otherStaff.call('POST', path, { days: 2 }, { 'idempotency-key': 'once' })
  expect([extended.status, Number(await selectTrialEnd()) - endBefore]).toEqual([200, 3 * 86_400_000])
})
