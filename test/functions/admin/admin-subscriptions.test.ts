import { afterAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService } from '../../support/app.ts'
import { type AccountOf, newAccount } from '../../support/people.ts'

const service = await ownService()
afterAll(() => service.close())
const { advance } = desk(service)

/** An account with a subscription as `state` says it, and staff of elsewhere. */
async function scene(state = '') {
  const [account, house] = [await newAccount(service), await newAccount(service)]
  if (state) await service.sql(`update accounts set ${state} where id = $1`, [account.id])
  const staff = await house.colleague({ superAdmin: true })
  const path = `/admin/users/${account.admin.id}`
  return {
    account,
    plan: (plan: string) => staff.call('PUT', `${path}/subscription/plan`, { plan }),
    extend: (body: unknown, headers?: Record<string, string>) => staff.call('POST', `${path}/extend-trial`, body, headers),
    staff,
  }
}

async function shown({ admin }: AccountOf) {
  const { body } = await admin.call('GET', '/accounts/me')
  return [body.plan, body.subscription_status, body.limits?.max_users]
}
const actions = ({ id }: AccountOf) => service.sql('select action from audit_logs where account_id = $1', [id])

it('ADM-04 changes the plan that the account then shows, whatever state its subscription is in', async () => {
  const cases = [
    [`plan = 'pro'`, 'team', ['team', 'trialing', 50]],
    [`plan = 'pro', trial_ends_at = now() - interval '1 day'`, 'team', ['team', 'active', 50]],
    [`plan = 'free', subscription_status = 'free'`, 'pro', ['pro', 'active', 10]],
    [`plan = 'pro', subscription_status = 'active'`, 'enterprise', ['enterprise', 'active', null]],
    [`plan = 'pro', subscription_status = 'past_due', past_due_since = now()`, 'team', ['team', 'past_due', 50]],
    [`plan = 'pro', subscription_status = 'canceled'`, 'free', ['free', 'free', 3]],
    [`plan = 'pro'`, 'free', ['free', 'free', 3]],
  ] as const
  for (const [state, plan, expected] of cases) {
    const { account, plan: put } = await scene(state)
    const { status, body } = await put(plan)
    expect([state, status, body.plan, body.status]).toEqual([state, 200, plan, expected[1]])
    expect([state, ...(await shown(account))]).toEqual([state, ...expected])
    expect(await actions(account)).toEqual([{ action: 'subscription.updated' }])
    expect((await put(plan)).body).toEqual(body)
    expect(await actions(account)).toHaveLength(1)
  }
})

it('refuses a plan that is not there, and changes nothing', async () => {
  const { account, plan, staff } = await scene()
  const before = await shown(account)
  for (const wrong of ['platinum', 'PRO', '', "pro'--"]) {
    const { status, body } = await plan(wrong)
    expect([wrong, status, body.errors[0].loc]).toEqual([wrong, 422, ['body', 'plan']])
  }
  expectStatus(await staff.call('PUT', `/admin/users/${crypto.randomUUID()}/subscription/plan`, { plan: 'pro' }), 404)
  expect((await staff.call('PUT', `/admin/users/${account.admin.id}/subscription/plan`, {})).body.plan).toBe(before[0])
  expect([await shown(account), await actions(account)]).toEqual([before, []])
})

it('ADM-05 moves the end of a trial later, by days from its end, or from now when it is over', async () => {
  const running = await scene()
  const before = await running.staff.call('GET', `/admin/users/${running.account.admin.id}`)
  const { body } = await running.extend({ days: 10 })
  const end = Date.parse(before.body.subscription.trial_ends_at)
  expect(Date.parse(body.trial_ends_at) - end).toBe(10 * 86_400_000)
  expect(await actions(running.account)).toEqual([{ action: 'subscription.updated' }])

  const over = await scene(`plan = 'pro', trial_ends_at = app.now() - interval '40 days'`)
  expect(await shown(over.account)).toEqual(['free', 'free', 3])
  expect((await over.extend({ days: 3 })).body).toMatchObject({ plan: 'pro', status: 'trialing' })
  expect(await shown(over.account)).toEqual(['pro', 'trialing', 10])
  await advance(3 * 86_400 - 60)
  expect((await shown(over.account))[1]).toBe('trialing')
  await advance(61)
  expect(await shown(over.account)).toEqual(['free', 'free', 3])
})

it('extends no trial of an account that has none', async () => {
  for (const status of ['active', 'past_due', 'unpaid', 'canceled', 'free']) {
    const { account, extend } = await scene(`subscription_status = '${status}'`)
    const answer = await extend({ days: 5 })
    expect([status, answer.status, answer.body.code]).toEqual([status, 409, 'not_on_trial'])
    expect(await actions(account)).toEqual([])
  }
})

it('ADM-11 takes 1 to 365 days and nothing else', async () => {
  const { account, extend } = await scene()
  for (const days of [0, -1, 366, 1.5, '7', null, 1e9, undefined]) {
    const answer = await extend({ days })
    expect([days, answer.status, answer.body.errors[0].loc]).toEqual([days, 422, ['body', 'days']])
  }
  expect(await actions(account)).toEqual([])
  for (const days of [1, 365]) expectStatus(await extend({ days }), 200)
})

it('extends once for a key that is sent twice, 32 times at once too, and keeps the keys of two of staff apart', async () => {
  const { account, extend } = await scene()
  const end = async () => (await service.sql<{ at: Date }>('select trial_ends_at as at from accounts where id = $1', [account.id]))[0]?.at
  const before = Number(await end())
  const answers = await Promise.all(Array.from({ length: 32 }, () => extend({ days: 1 }, { 'idempotency-key': 'once' })))
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
  expect(Number(await end()) - before).toBe(86_400_000)
  const again = await extend({ days: 1 }, { 'idempotency-key': 'once' })
  expect([again.status, again.text]).toEqual([200, answers.find(({ status }) => status === 200)?.text])
  expectStatus(await extend({ days: 2 }, { 'idempotency-key': 'once' }), 422)
  const other = await account.colleague({ superAdmin: true })
  const theirs = await other.call('POST', `/admin/users/${account.admin.id}/extend-trial`, { days: 2 }, { 'idempotency-key': 'once' })
  expect([theirs.status, Number(await end()) - before]).toEqual([200, 3 * 86_400_000])
})
