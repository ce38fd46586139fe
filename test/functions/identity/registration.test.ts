import { afterAll, expect, it } from 'vitest'
import { dashboard, type Service, sharedService, startOwnService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'

const selfServe = await startOwnService({ SELF_SERVE_ENABLED: 'true', INVITE_REQUIRED: 'true' })
const inviteOnly = await startOwnService({ SELF_SERVE_ENABLED: 'false', INVITE_REQUIRED: 'true' })
afterAll(() => Promise.all([selfServe.close(), inviteOnly.close()]))
const randomEmail = () => `p-${crypto.randomUUID()}@people.example`

function register(service: Service, fields: object = {}) {
  const body = { email: randomEmail(), password: 'violet-tractor-81', full_name: 'Dana Reyes', ...fields }
  return postWithoutToken(service, '/auth/register', body)
}

async function createPlatformCode(service: Service, input: object = {}) {
  const { addColleague } = await createAccount(service)
  const staff = await addColleague({ superAdmin: true })
  const body = await staff.client.admin.plans.createInviteCode(input)
  const countUses = async () => {
    const [row] = await service.sql<{ used_count: number }>(
      'select used_count from platform_invite_codes where id = $1',
      [body.id],
    )
    return row?.used_count
  }
  return { code: body.code as string, id: body.id as string, staff, countUses }
}

const countAccounts = async (service: Service) => (await service.sql('select from accounts')).length

it('AUT-01 registers without a platform code while self-serve is on, even if an invite is required', async () => {
  expectStatus(await register(selfServe), 201)
})

it('AUT-02 redeems a platform code while self-serve is on too', async () => {
  const { code, countUses } = await createPlatformCode(selfServe)
  expectStatus(await register(selfServe, { invite_code: code }), 201)
  expect(await countUses()).toBe(1)
  const secondRegistration = await register(selfServe, { invite_code: code })
  expect([secondRegistration.status, secondRegistration.body.code]).toEqual([400, 'invite_code_invalid'])
})

it('AUT-03 refuses registration without a code while self-serve is off and an invite is required', async () => {
  const countBefore = await countAccounts(inviteOnly)
  const response = await register(inviteOnly)
  expect([response.status, response.body.code]).toEqual([400, 'invite_code_required'])
  expect(await countAccounts(inviteOnly)).toBe(countBefore)
  const { code } = await createPlatformCode(inviteOnly)
  expectStatus(await register(inviteOnly, { invite_code: code }), 201)
})

it('registers without a code while self-serve is off and no invite is required', async () => {
  const service = await startOwnService({ SELF_SERVE_ENABLED: 'false' })
  const response = await register(service).finally(() => service.close())
  expectStatus(response, 201)
})

it("accepts an account's invite in place of a platform code", async () => {
  const { admin } = await createAccount(inviteOnly)
  const email = randomEmail()
  await admin.client.accounts.invites.create({ email, role: 'engineer' })
  const account_invite_code = await dashboard(inviteOnly).waitForLink(email, /register\?code=([\w-]+)/)
  const wrongPlatformCode = await register(inviteOnly, {
    email,
    account_invite_code,
    invite_code: 'not-a-code',
  })
  expect([wrongPlatformCode.status, wrongPlatformCode.body.code]).toEqual([400, 'invite_code_invalid'])
  const { code, countUses } = await createPlatformCode(inviteOnly)
  const unknownInvite = await register(inviteOnly, {
    email,
    account_invite_code: 'not-an-invite',
    invite_code: code,
  })
  expect([unknownInvite.status, await countUses()]).toEqual([404, 0])
  const joined = await register(inviteOnly, { email, account_invite_code })
  expect([joined.status, joined.body.user.account_id]).toEqual([201, admin.accountId])
})

it('AUT-36 returns the same response for a wrong, used or expired platform code, and creates no account', async () => {
  for (const service of [selfServe, inviteOnly]) {
    const [usedUp, expired] = [
      await createPlatformCode(service),
      await createPlatformCode(service, { max_uses: 9, expires_at: '2100-01-01T00:00:00Z' }),
    ]
    expectStatus(await register(service, { invite_code: usedUp.code }), 201)
    await service.sql(`update platform_invite_codes set expires_at = now() where id = $1`, [expired.id])
    const countBefore = await countAccounts(service)
    for (const invite_code of ['unknown-code', usedUp.code, expired.code, usedUp.code.toUpperCase()]) {
      const response = await register(service, { invite_code })
      expect([response.status, response.body]).toEqual([
        400,
        { detail: 'This invite code is wrong, used or expired', code: 'invite_code_invalid' },
      ])
    }
    expect(await countAccounts(service)).toBe(countBefore)
  }
})

it('does not count a use of a platform code when the registration is refused', async () => {
  const { code, countUses, staff } = await createPlatformCode(inviteOnly)
  const refused = await register(inviteOnly, { email: staff.email, invite_code: code })
  expect([refused.status, refused.body.code]).toEqual([409, 'email_taken'])
  expectStatus(await register(inviteOnly, { invite_code: code, password: 'short' }), 422)
  expect(await countUses()).toBe(0)
})

it('redeems a platform code exactly max_uses times when 32 registrations run concurrently', async () => {
  const { code, countUses } = await createPlatformCode(inviteOnly, { max_uses: 5 })
  const countBefore = await countAccounts(inviteOnly)
  expect(countByStatus(await runConcurrently(() => register(inviteOnly, { invite_code: code })))).toEqual({
    201: 5,
    400: 27,
  })
  expect([await countUses(), (await countAccounts(inviteOnly)) - countBefore]).toEqual([5, 5])
})

it("AUT-18 resolves a feature from the account's override, then from the plan, and disables it otherwise", async () => {
  const service = await sharedService()
  const { id, admin, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  const getFlags = async () => (await viewer.client.identity.auth.getFeatureFlags()).flags
  expect(Object.values(await getFlags())).toEqual(Array(7).fill(true))
  await service.sql(`update accounts set plan = 'free' where id = $1`, [id])
  expect(await getFlags()).toMatchObject({ maintenance_schedules: false, kb_import: true })
  await service.sql(
    `insert into feature_overrides values ($1, 'maintenance_schedules', true), ($1, 'kb_import', false)`,
    [id],
  )
  expect(await getFlags()).toMatchObject({ maintenance_schedules: true, kb_import: false, ai_sessions: true })
  const plan = `p${crypto.randomUUID().slice(0, 8)}`
  await service.sql('insert into plan_limits (plan) values ($1)', [plan])
  await service.sql('update accounts set plan = $2 where id = $1', [id, plan])
  expect(await getFlags()).toMatchObject({
    maintenance_schedules: true,
    kb_import: false,
    ai_sessions: false,
  })
  await service.sql(`update accounts set subscription_status = 'unpaid' where id = $1`, [id])
  await admin.client.identity.auth.getFeatureFlags()
})
