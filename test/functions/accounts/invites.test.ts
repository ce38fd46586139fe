import { afterAll, expect, it } from 'vitest'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type TestAccount } from '#test/support/people.ts'
import { postWithoutToken, randomIpAddress } from '#test/support/public-requests.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { advanceClock, waitForLink } = dashboard(service)
const randomEmail = () => `p-${crypto.randomUUID()}@people.example`
const invalidCodeError = {
  detail: 'invite_invalid_or_expired_or_revoked',
  code: 'invite_invalid_or_expired_or_revoked',
}

async function createInvite({ admin }: TestAccount, email: string, role = 'engineer') {
  const { body } = expectStatus(await admin.call('POST', '/accounts/me/invites', { email, role }), 201)
  return { ...body, code: await waitForCode(email) } as { id: string; code: string; status: string }
}

const waitForCode = (email: string, earlierCode?: string) =>
  waitForLink(email, /register\?code=([\w-]+)/, earlierCode)

const lookUpInvite = (code: string) =>
  request(service, 'GET', `/accounts/invites/${encodeURIComponent(code)}/lookup`, {
    headers: { 'cf-connecting-ip': randomIpAddress() },
  })
const registerWithCode = (email: string, account_invite_code: string) =>
  postWithoutToken(service, '/auth/register', {
    email,
    password: 'violet-tractor-81',
    full_name: 'New Comer',
    account_invite_code,
  })

it('ACC-01 returns the invite of an open code without a token', async () => {
  const account = await createAccount(service)
  const email = randomEmail()
  const { code } = await createInvite(account, email, 'viewer')
  const response = await lookUpInvite(code)
  const expected = {
    account_name: 'Test account',
    inviter_name: account.admin.fullName,
    invited_email: email,
    role: 'viewer',
  }
  expect([response.status, response.body]).toEqual([200, expected])
})

it('AUT-22 NOT-53 registers an invited user in the existing account with the role of the invite, and notifies the inviter', async () => {
  const account = await createAccount(service)
  const email = randomEmail()
  const { code } = await createInvite(account, email)
  const accountsBefore = await service.sql('select id from accounts')
  const registered = await registerWithCode(email, code)
  expectStatus(registered, 201)
  expect(registered.body.user).toMatchObject({
    account_id: account.id,
    role: 'engineer',
    team_id: account.teamId,
    team_role: 'member',
    email_verified: true,
  })
  expect(await service.sql('select id from accounts')).toHaveLength(accountsBefore.length)
  expect(await account.admin.client.notifications.list()).toMatchObject([
    { event_key: 'member.joined', title: 'New Comer joined the account' },
  ])
  expect(await account.admin.client.accounts.invites.list()).toMatchObject([{ status: 'accepted', email }])
})

it('ACC-02 ACC-13 returns the same 404 for an unknown, used, revoked, replaced or expired code', async () => {
  const account = await createAccount(service)
  const usedEmail = randomEmail()
  const used = await createInvite(account, usedEmail)
  expectStatus(await registerWithCode(usedEmail, used.code), 201)
  const revoked = await createInvite(account, randomEmail())
  await account.admin.client.accounts.invites.revoke({ invite_id: revoked.id })
  await expectRefusal(account.admin.client.accounts.invites.revoke({ invite_id: revoked.id }), 409)
  const resentEmail = randomEmail()
  const replaced = await createInvite(account, resentEmail)
  await account.admin.client.accounts.invites.resend({ invite_id: replaced.id })
  expectStatus(await lookUpInvite(await waitForCode(resentEmail, replaced.code)), 200)
  const expired = await createInvite(account, randomEmail())
  await advanceClock(7 * 24 * 3600 - 60)
  expectStatus(await lookUpInvite(expired.code), 200)
  await advanceClock(61)
  const codes = {
    unknown: 'unknown-code',
    used: used.code,
    revoked: revoked.code,
    replaced: replaced.code,
    expired: expired.code,
  }
  for (const [kind, code] of Object.entries(codes)) {
    const responses = [await lookUpInvite(code), await registerWithCode(randomEmail(), code)]
    for (const response of responses)
      expect([kind, response.status, response.body]).toEqual([kind, 404, invalidCodeError])
  }
})

it('refuses to register another e-mail address with the code, and keeps the invite open', async () => {
  const account = await createAccount(service)
  const email = randomEmail()
  const { code } = await createInvite(account, email)
  const refused = await registerWithCode(randomEmail(), code)
  expect([refused.status, refused.body.code]).toEqual([400, 'invite_email_mismatch'])
  expectStatus(await registerWithCode(email.toUpperCase(), code), 201)
})

it('refuses a second open invite for an e-mail address, and an invite for a member', async () => {
  const account = await createAccount(service)
  const email = randomEmail()
  await createInvite(account, email)
  const secondInvite = await account.admin.call('POST', '/accounts/me/invites', {
    email: email.toUpperCase(),
    role: 'viewer',
  })
  expect([secondInvite.status, secondInvite.body.code]).toEqual([409, 'already_pending'])
  const memberInvite = await account.admin.call('POST', '/accounts/me/invites', {
    email: account.admin.email,
    role: 'viewer',
  })
  expect([memberInvite.status, memberInvite.body.code]).toEqual([409, 'already_member'])
})

it('ACC-12 creates only as many invites as there are free seats when ten requests run concurrently', async () => {
  const account = await createAccount(service)
  await service.sql(`update accounts set plan = 'free', subscription_status = 'free' where id = $1`, [
    account.id,
  ])
  const responses = await Promise.all(
    Array.from({ length: 10 }, () =>
      account.admin.call('POST', '/accounts/me/invites', { email: randomEmail(), role: 'viewer' }),
    ),
  )
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(2)
  expect(
    new Set(
      responses.filter(({ status }) => status !== 201).map(({ status, body }) => `${status} ${body.code}`),
    ),
  ).toEqual(new Set(['409 seat_limit_reached']))
})

it('ACC-18 refuses to register an invited user when no seat is free, and keeps the invite open', async () => {
  const account = await createAccount(service)
  const email = randomEmail()
  const { code } = await createInvite(account, email)
  await service.sql(`update accounts set plan = 'free', subscription_status = 'free' where id = $1`, [
    account.id,
  ])
  const colleague = await account.addColleague()
  await account.addColleague()
  const refused = await registerWithCode(email, code)
  expect([refused.status, refused.body.code]).toEqual([409, 'seat_limit_reached'])
  await account.admin.client.accounts.removeMember({ user_id: colleague.id })
  expectStatus(await registerWithCode(email, code), 201)
})

it('AUT-08 accepts an invite once when eight registrations run concurrently', async () => {
  for (let round = 0; round < 3; round++) {
    const account = await createAccount(service)
    const email = randomEmail()
    const { code } = await createInvite(account, email)
    const responses = await Promise.all(Array.from({ length: 8 }, () => registerWithCode(email, code)))
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(responses.every(({ status }) => [201, 404, 409].includes(status))).toBe(true)
    expect(await account.admin.client.accounts.listMembers()).toHaveLength(2)
  }
})

it.each([
  ['is deactivated', { is_active: false }],
  ['is no admin any more', { role: 'engineer' }],
])('ACC-19 revokes the open invites of an admin who %s', async (_, change) => {
  const account = await createAccount(service)
  const inviter = await account.addColleague({ role: 'admin' })
  const email = randomEmail()
  const { code, id } = await createInvite({ ...account, admin: inviter }, email, 'admin')
  expectStatus(await account.admin.call('PATCH', `/accounts/me/members/${inviter.id}`, change), 200)
  expectStatus(await lookUpInvite(code), 404)
  expectStatus(await registerWithCode(email, code), 404)
  expect(await account.admin.client.accounts.invites.list()).toMatchObject([{ id, status: 'revoked' }])
})

it('ACC-19 refuses an invite of an admin whose demotion commits first', async () => {
  const account = await createAccount(service)
  const inviter = await account.addColleague({ role: 'engineer' })
  const insertion = service.sql(
    `insert into invites (account_id, email, role, invited_by) values ($1, $2, 'admin', $3)`,
    [account.id, randomEmail(), inviter.id],
  )
  await expect(insertion).rejects.toMatchObject({ code: 'SF403' })
})

it('ACC-24 revokes the invites to a team that is deleted, also those that have expired', async () => {
  const { admin, teamId } = await createAccount(service)
  const team = await admin.client.accounts.teams.create({ name: 'Client B' })
  const [open, expired] = [randomEmail(), randomEmail()]
  for (const email of [open, expired])
    expectStatus(
      await admin.call('POST', '/accounts/me/invites', { email, role: 'engineer', team_id: team.id }),
      201,
    )
  const code = await waitForCode(open)
  await service.sql('update invites set expires_at = app.now() where email = $1', [expired])
  expectStatus(await admin.call('DELETE', `/teams/${team.id}`), 204)
  const answer = await registerWithCode(open, code)
  expect([answer.status, answer.body]).toEqual([404, invalidCodeError])
  const invites = await admin.client.accounts.invites.list()
  expect(invites.map(({ status }) => status)).toEqual(['revoked', 'revoked'])
  for (const { id } of invites)
    expectStatus(await admin.call('POST', `/accounts/me/invites/${id}/resend`), 409)
  expect(await service.sql('select from users where team_id = $1 and email = $2', [teamId, open])).toEqual([])
})

it('ACC-26 whoever was removed joins another account, or opens their own, with their address', async () => {
  const [first, second] = [await createAccount(service), await createAccount(service)]
  for (const way of ['join', 'open'] as const) {
    const colleague = await first.addColleague()
    const { email } = colleague
    expectStatus(await first.admin.call('DELETE', `/accounts/me/members/${colleague.id}`), 204)
    const code = way === 'join' ? (await createInvite(second, email)).code : undefined
    const password = 'violet-tractor-81'
    const body = { email, password, full_name: 'Robin', ...(code ? { account_invite_code: code } : {}) }
    const { user } = expectStatus(await postWithoutToken(service, '/auth/register', body), 201).body
    expect(user.id).not.toBe(colleague.id)
    if (code) expect(user.account_id).toBe(second.id)
    const signedIn = expectStatus(await postWithoutToken(service, '/auth/login', { email, password }), 200)
    expect(signedIn.body.user.id).toBe(user.id)
    const activate = () =>
      first.admin.call('PATCH', `/accounts/me/members/${colleague.id}`, { is_active: true })
    expect((await activate()).body).toMatchObject({ code: 'email_taken' })
    const members = await first.admin.client.accounts.listMembers()
    expect(members.find(({ id }) => id === colleague.id)).toMatchObject({
      email,
      full_name: colleague.fullName,
    })
    if (way === 'open') continue
    expectStatus(await second.admin.call('DELETE', `/accounts/me/members/${user.id}`), 204)
    expectStatus(await activate(), 200)
  }
})
