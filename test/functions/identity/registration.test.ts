import { afterAll, expect, it } from 'vitest'
import { tally, together } from '../../soak/callers.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService, request, type Service, shared } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const open = await ownService({ SELF_SERVE_ENABLED: 'true', INVITE_REQUIRED: 'true' })
const closed = await ownService({ SELF_SERVE_ENABLED: 'false', INVITE_REQUIRED: 'true' })
afterAll(() => Promise.all([open.close(), closed.close()]))
const someone = () => `p-${crypto.randomUUID()}@people.example`

function register(service: Service, more: object = {}) {
  const body = { email: someone(), password: 'violet-tractor-81', full_name: 'Dana Reyes', ...more }
  return request(service, 'POST', '/auth/register', { body, headers: { 'cf-connecting-ip': `198.51.100.${crypto.randomUUID()}` } })
}

async function makeCode(service: Service, input: object = {}) {
  const { colleague } = await newAccount(service)
  const staff = await colleague({ superAdmin: true })
  const made = await staff.call('POST', '/admin/invite-codes', input)
  expectStatus(made, 201)
  const uses = async () => {
    const [row] = await service.sql<{ used_count: number }>('select used_count from platform_invite_codes where id = $1', [made.body.id])
    return row?.used_count
  }
  return { code: made.body.code as string, id: made.body.id as string, staff, uses }
}

const accounts = async (service: Service) => (await service.sql('select from accounts')).length

it('AUT-01 needs no platform code while self-serve is on, even with the requirement on', async () => {
  expectStatus(await register(open), 201)
})

it('AUT-02 applies a code that is given while self-serve is on: one use, and then it is used up', async () => {
  const { code, uses } = await makeCode(open)
  expectStatus(await register(open, { invite_code: code }), 201)
  expect(await uses()).toBe(1)
  const again = await register(open, { invite_code: code })
  expect([again.status, again.body.code]).toEqual([400, 'invite_code_invalid'])
})

it('AUT-03 refuses to register without a code while self-serve is off and the requirement on', async () => {
  const before = await accounts(closed)
  const answer = await register(closed)
  expect([answer.status, answer.body.code]).toEqual([400, 'invite_code_required'])
  expect(await accounts(closed)).toBe(before)
  const { code } = await makeCode(closed)
  expectStatus(await register(closed, { invite_code: code }), 201)
})

it('needs none while self-serve is off and nothing is required', async () => {
  const neither = await ownService({ SELF_SERVE_ENABLED: 'false' })
  const answer = await register(neither).finally(() => neither.close())
  expectStatus(answer, 201)
})

it("lets an account's own invite stand for the platform's code", async () => {
  const { admin } = await newAccount(closed)
  const email = someone()
  expectStatus(await admin.call('POST', '/accounts/me/invites', { email, role: 'engineer' }), 201)
  const account_invite_code = await desk(closed).linkIn(email, /register\?code=([\w-]+)/)
  const wrong = await register(closed, { email, account_invite_code, invite_code: 'not-a-code' })
  expect([wrong.status, wrong.body.code]).toEqual([400, 'invite_code_invalid'])
  const { code, uses } = await makeCode(closed)
  const unusable = await register(closed, { email, account_invite_code: 'not-an-invite', invite_code: code })
  expect([unusable.status, await uses()]).toEqual([404, 0])
  const joined = await register(closed, { email, account_invite_code })
  expect([joined.status, joined.body.user.account_id]).toEqual([201, admin.accountId])
})

it('AUT-36 refuses a wrong, used-up or expired platform code in the same words, and registers nobody', async () => {
  for (const service of [open, closed]) {
    const [usedUp, expired] = [await makeCode(service), await makeCode(service, { max_uses: 9, expires_at: '2100-01-01T00:00:00Z' })]
    expectStatus(await register(service, { invite_code: usedUp.code }), 201)
    await service.sql(`update platform_invite_codes set expires_at = now() where id = $1`, [expired.id])
    const before = await accounts(service)
    for (const invite_code of ['never-was-one', usedUp.code, expired.code, usedUp.code.toUpperCase()]) {
      const answer = await register(service, { invite_code })
      expect([answer.status, answer.body]).toEqual([
        400,
        { detail: 'This invite code is wrong, used up or has run out', code: 'invite_code_invalid' },
      ])
    }
    expect(await accounts(service)).toBe(before)
  }
})

it('keeps the use of a code whose registration is refused', async () => {
  const { code, uses, staff } = await makeCode(closed)
  const taken = await register(closed, { email: staff.email, invite_code: code })
  expect([taken.status, taken.body.code]).toEqual([409, 'email_taken'])
  expectStatus(await register(closed, { invite_code: code, password: 'short' }), 422)
  expect(await uses()).toBe(0)
})

it('lets a code be used exactly as often as it says by 32 at once', async () => {
  const { code, uses } = await makeCode(closed, { max_uses: 5 })
  const before = await accounts(closed)
  expect(tally(await together(() => register(closed, { invite_code: code })))).toEqual({ 201: 5, 400: 27 })
  expect([await uses(), (await accounts(closed)) - before]).toEqual([5, 5])
})

it('AUT-18 resolves a feature by the value of the account, then that of its plan, then off', async () => {
  const service = shared()
  const { id, admin, colleague } = await newAccount(service)
  const viewer = await colleague({ role: 'viewer' })
  const flags = async () => (await viewer.call('GET', '/auth/me/feature-flags')).body.flags
  expect(Object.values(await flags())).toEqual(Array(7).fill(true))
  await service.sql(`update accounts set plan = 'free' where id = $1`, [id])
  expect(await flags()).toMatchObject({ maintenance_schedules: false, kb_import: true })
  await service.sql(`insert into feature_overrides values ($1, 'maintenance_schedules', true), ($1, 'kb_import', false)`, [id])
  expect(await flags()).toMatchObject({ maintenance_schedules: true, kb_import: false, ai_sessions: true })
  const plan = `p${crypto.randomUUID().slice(0, 8)}`
  await service.sql('insert into plan_limits (plan) values ($1)', [plan])
  await service.sql('update accounts set plan = $2 where id = $1', [id, plan])
  expect(await flags()).toMatchObject({ maintenance_schedules: true, kb_import: false, ai_sessions: false })
  await service.sql(`update accounts set subscription_status = 'unpaid' where id = $1`, [id])
  expectStatus(await admin.call('GET', '/auth/me/feature-flags'), 200)
})
