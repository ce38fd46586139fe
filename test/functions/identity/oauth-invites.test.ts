import { afterAll, expect, it } from 'vitest'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { obtainProviderCode, postCallback, signInThroughProvider } from '#test/support/oauth.ts'
import { createAccount, type TestAccount } from '#test/support/people.ts'
import { postWithoutToken, randomIpAddress } from '#test/support/public-requests.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { waitForLink } = dashboard(service)
const providers = ['google', 'microsoft'] as const
const randomEmail = () => `p-${crypto.randomUUID()}@people.example`

const codes = new Map<string, string>()
async function invite({ admin }: TestAccount, email: string, role = 'engineer'): Promise<string> {
  expectStatus(await admin.call('POST', '/accounts/me/invites', { email, role }), 201)
  const code = await waitForLink(email, /register\?code=([\w-]+)/, codes.get(email))
  codes.set(email, code)
  return code
}

const lookUpInvite = (code: string) =>
  request(service, 'GET', `/accounts/invites/${code}/lookup`, {
    headers: { 'cf-connecting-ip': randomIpAddress() },
  })
const countRows = () =>
  service.sql(
    'select (select count(*) from accounts) a, (select count(*) from users) u, (select count(*) from identities) i',
  )

it.each(providers)(
  'AUT-14 AUT-15 lets a new user from %s join by invite, without creating an account',
  async (provider) => {
    const account = await createAccount(service)
    const email = randomEmail()
    const code = await invite(account, email, 'viewer')
    const accountsBefore = await service.sql('select id from accounts')
    const joined = await signInThroughProvider(
      service,
      provider,
      { email: email.toUpperCase(), name: 'Noa' },
      { account_invite_code: code },
    )
    expectStatus(joined, 200)
    expect(joined.body.user).toMatchObject({
      account_id: account.id,
      role: 'viewer',
      team_id: account.teamId,
      team_role: 'member',
    })
    // The code was sent to the address, so the address counts as verified, whatever the provider claims.
    expect(joined.body.user.email_verified).toBe(true)
    expect(await service.sql('select id from accounts')).toHaveLength(accountsBefore.length)
    const usedInvite = await lookUpInvite(code)
    expect([usedInvite.status, usedInvite.body.code]).toEqual([404, 'invite_invalid_or_expired_or_revoked'])
    expect((await account.admin.call('GET', '/accounts/me/invites')).body).toMatchObject([
      { status: 'accepted', email },
    ])
    expect((await account.admin.call('GET', '/notifications')).body).toMatchObject([
      { event_key: 'member.joined' },
    ])
    const second = await signInThroughProvider(
      service,
      provider,
      { email: email.toUpperCase() },
      { account_invite_code: code },
    )
    expect(second.body.user.id).toBe(joined.body.user.id)
  },
)

it.each(providers)(
  'AUT-16 AUT-19 refuses an address of %s that is not the invited one, creates no user and keeps the invite open',
  async (provider) => {
    const account = await createAccount(service)
    const email = randomEmail()
    const code = await invite(account, email)
    const countsBefore = await countRows()
    const bothFields = { account_invite_code: code, invited_email: email }
    for (const fields of [{ account_invite_code: code }, bothFields, { invited_email: email }]) {
      const refused = await signInThroughProvider(service, provider, { email: randomEmail() }, fields)
      expect([refused.status, refused.body.code]).toEqual([400, 'invite_email_mismatch'])
    }
    expect(await countRows()).toEqual(countsBefore)
    const upperCase = { account_invite_code: code, invited_email: email.toUpperCase() }
    const joined = await signInThroughProvider(service, provider, { email }, upperCase)
    expect([joined.status, joined.body.user?.account_id]).toEqual([200, account.id])
  },
)

it('AUT-17 accepts account_invite_code and invited_email, both optional, and no other field', async () => {
  const email = randomEmail()
  const created = await signInThroughProvider(service, 'google', { email }, { invited_email: email })
  expect([created.status, created.body.user.role, created.body.user.email]).toEqual([200, 'admin', email])
  expectStatus(await signInThroughProvider(service, 'google', { email: randomEmail() }), 200)
  const flow = await obtainProviderCode(service, 'google', { email: randomEmail() })
  for (const invalid of [
    { invited_email: 'nobody' },
    { account_invite_code: '' },
    { account_invite_code: 1 },
    { invite: 'x' },
  ]) {
    expectStatus(await postCallback(service, 'google', { ...flow, ...invalid }), 422)
  }
  expectStatus(await postCallback(service, 'google', flow), 200)
})

it('AUT-14 refuses an unknown invite code and creates no user', async () => {
  const countsBefore = await countRows()
  const response = await signInThroughProvider(
    service,
    'google',
    { email: randomEmail() },
    { account_invite_code: 'unknown-code' },
  )
  expect([response.status, response.body.code]).toEqual([404, 'invite_invalid_or_expired_or_revoked'])
  expect(await countRows()).toEqual(countsBefore)
})

it('ACC-18 refuses an invited provider user when no seat is free, and keeps the invite open', async () => {
  const account = await createAccount(service)
  const email = randomEmail()
  const code = await invite(account, email)
  await service.sql(`update accounts set plan = 'free', subscription_status = 'free' where id = $1`, [
    account.id,
  ])
  await account.addColleague()
  await account.addColleague()
  const countsBefore = await countRows()
  const refused = await signInThroughProvider(service, 'google', { email }, { account_invite_code: code })
  expect([refused.status, refused.body.code]).toEqual([409, 'seat_limit_reached'])
  expect(await countRows()).toEqual(countsBefore)
  expectStatus(await lookUpInvite(code), 200)
})

it('AUT-08 accepts an invite once when a password and a provider registration run concurrently', async () => {
  const account = await createAccount(service)
  const email = randomEmail()
  const code = await invite(account, email)
  const flow = await obtainProviderCode(service, 'google', { email })
  const body = { email, password: 'violet-tractor-81', full_name: 'By Password', account_invite_code: code }
  const responses = await Promise.all([
    postCallback(service, 'google', { ...flow, account_invite_code: code }),
    postWithoutToken(service, '/auth/register', body),
  ])
  expect(responses.filter(({ status }) => status < 300)).toHaveLength(1)
  expect((await account.admin.call('GET', '/accounts/me/members')).body).toHaveLength(2)
})

it.each(providers)(
  'ACC-26 whoever was removed joins another account with their identity at %s',
  async (provider) => {
    const [first, second] = [await createAccount(service), await createAccount(service)]
    const [email, id] = [randomEmail(), crypto.randomUUID()]
    const persona = { email, name: 'Noa', sub: `sub-${id}`, oid: id }
    const join = async (account: TestAccount) =>
      signInThroughProvider(service, provider, persona, { account_invite_code: await invite(account, email) })
    const signIn = () => signInThroughProvider(service, provider, persona)
    const former = expectStatus(await join(first), 200).body.user
    expectStatus(await first.admin.call('DELETE', `/accounts/me/members/${former.id}`), 204)
    // Signing in opens no account by accident.
    expect((await signIn()).body).toMatchObject({ code: 'user_deactivated' })
    const badCode = { account_invite_code: 'no-such-code' }
    expectStatus(await signInThroughProvider(service, provider, persona, badCode), 404)
    expect(await service.sql('select from identities where user_id = $1', [former.id])).toHaveLength(1)
    const joined = expectStatus(await join(second), 200).body.user
    expect(joined).toMatchObject({ account_id: second.id, email })
    expect(joined.id).not.toBe(former.id)
    expect(expectStatus(await signIn(), 200).body.user.id).toBe(joined.id)
    // An active user keeps the identity.
    const code = await invite(await createAccount(service), email)
    const again = await signInThroughProvider(service, provider, persona, { account_invite_code: code })
    expect(expectStatus(again, 200).body.user.id).toBe(joined.id)
  },
)
