import { describe, expect, it } from 'vitest'
import { insertRefreshToken } from '#test/contract/fixture-rows.ts'
import { request, sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'

const service = await sharedService()

it('returns the account with plan, limits and usage to a viewer, and lets an admin update the account', async () => {
  const { id, admin, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  await service.sql(`update accounts set plan = 'pro' where id = $1`, [id])
  const { body } = await viewer.call('GET', '/accounts/me')
  expect(body).toMatchObject({
    id,
    plan: 'pro',
    subscription_status: 'trialing',
    limits: { max_users: 10 },
    usage: { users: 2, open_invites: 0 },
  })
  const changed = await admin.client.accounts.update({
    name: 'New name',
    timezone: 'Asia/Kolkata',
    settings: { logo: { dark: true } },
  })
  expect(changed).toEqual({
    ...body,
    name: 'New name',
    timezone: 'Asia/Kolkata',
    settings: { logo: { dark: true } },
  })
  expect(await admin.client.accounts.update({})).toEqual(changed)
  for (const invalid of [
    { timezone: 'Mars/Base' },
    { name: '' },
    { settings: [] },
    { settings: { big: 'x'.repeat(17_000) } },
    { plan: 'team' },
  ]) {
    expectStatus(await admin.call('PATCH', '/accounts/me', invalid), 422)
  }
})

it('ACC-16 falls back to the free plan when the trial has ended', async () => {
  const { id, admin } = await createAccount(service)
  await service.sql(`update accounts set trial_ends_at = now() - interval '1 second' where id = $1`, [id])
  expect(await admin.client.accounts.get()).toMatchObject({
    plan: 'free',
    subscription_status: 'free',
    limits: { max_users: 3 },
  })
})

it('ACC-08 ACC-09 ACC-11 merges account preferences, keeps absent keys and removes a key that is null', async () => {
  const { admin, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  expect(await viewer.client.accounts.getPreferences()).toEqual({})
  const first = await viewer.call('PATCH', '/accounts/me/preferences', {
    templatize_prompt_enabled: true,
    custom: { deep: [1, null] },
  })
  expect(first.body).toEqual({ templatize_prompt_enabled: true, custom: { deep: [1, null] } })
  const second = await admin.call('PATCH', '/accounts/me/preferences', { theme: 'dark', custom: null })
  expect(second.body).toEqual({ templatize_prompt_enabled: true, theme: 'dark' })
  expect(await viewer.client.accounts.getPreferences()).toEqual(second.body)
  const tooManyKeys = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`k${n}`, n]))
  for (const invalid of [
    { mask_exports: 'yes' },
    { default_export_format: 'doc' },
    tooManyKeys,
    { x: 'y'.repeat(17_000) },
  ]) {
    expectStatus(await admin.call('PATCH', '/accounts/me/preferences', invalid), 422)
  }
  expect(await viewer.client.accounts.getPreferences()).toEqual(second.body)
})

describe('the preference mask_exports', () => {
  const path = '/accounts/me/preferences'
  const selectAuditRows = (accountId: string) =>
    service.sql(
      `select actor_id, action, changes -> 'preferences' as preferences from audit_logs where account_id = $1 order by id`,
      [accountId],
    )

  it.each([
    ['a viewer', { role: 'viewer' }],
    ['an engineer', { role: 'engineer' }],
    ['a team admin', { role: 'engineer', teamRole: 'admin' }],
  ] as const)(
    'ACC-22 is not changed, removed or set by %s, who may change the other keys',
    async (_, options) => {
      const { admin, addColleague } = await createAccount(service)
      const colleague = await addColleague(options)
      for (const stored of [true, false, null]) {
        await admin.client.accounts.updatePreferences({ mask_exports: stored })
        for (const other of [true, false, null].filter((value) => value !== stored)) {
          const refused = await colleague.call('PATCH', path, { theme: 'dark', mask_exports: other })
          expect([refused.status, refused.body.code]).toEqual([403, 'account_admin_required'])
        }
        const same = await colleague.client.accounts.updatePreferences({
          theme: String(stored),
          mask_exports: stored,
        })
        expect(same).toEqual({ theme: String(stored), ...(stored === null ? {} : { mask_exports: stored }) })
      }
    },
  )

  it('ACC-22 leaves an audit row when an account admin changes it, and none when it stays', async () => {
    const { id, admin } = await createAccount(service)
    await admin.client.accounts.updatePreferences({ mask_exports: true, theme: 'dark' })
    await admin.client.accounts.updatePreferences({ mask_exports: true, theme: 'light' })
    await admin.client.accounts.updatePreferences({ mask_exports: null })
    expect(await selectAuditRows(id)).toEqual([
      {
        actor_id: admin.id,
        action: 'account.updated',
        preferences: { from: {}, to: { mask_exports: true, theme: 'dark' } },
      },
      {
        actor_id: admin.id,
        action: 'account.updated',
        preferences: { from: { mask_exports: true, theme: 'light' }, to: { theme: 'light' } },
      },
    ])
  })

  it('ACC-22 keeps the admin’s value when a viewer sends the opposite at the same time', async () => {
    const { id, admin, addColleague } = await createAccount(service)
    const viewer = await addColleague({ role: 'viewer' })
    await Promise.all([
      admin.call('PATCH', path, { mask_exports: true }),
      viewer.call('PATCH', path, { mask_exports: false }),
    ])
    expect(await admin.client.accounts.getPreferences()).toEqual({ mask_exports: true })
    expect(await selectAuditRows(id)).toHaveLength(1)
  })
})

it('lists the members of the account to every member', async () => {
  const { admin, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  await createAccount(service)
  const { body } = await viewer.call('GET', '/accounts/me/members')
  expect(body.map(({ id }: { id: string }) => id).sort()).toEqual([admin.id, viewer.id].sort())
  expect(body.find(({ id }: { id: string }) => id === viewer.id)).toMatchObject({
    role: 'viewer',
    team_role: 'member',
    is_active: true,
    email_verified: true,
  })
})

it("ACC-15 applies a changed role to the member's next request with the same token", async () => {
  const { admin, addColleague } = await createAccount(service)
  const member = await addColleague({ role: 'engineer' })
  await expectRefusal(member.client.accounts.invites.list(), 403)
  const changed = await admin.call('PATCH', `/accounts/me/members/${member.id}`, { role: 'admin' })
  expect([changed.status, changed.body.role, changed.body.team_role]).toEqual([200, 'admin', 'member'])
  await member.client.accounts.invites.list()
})

it('moves a member between teams, and removes the team role of a member without a team', async () => {
  const { admin, addColleague, teamId } = await createAccount(service)
  const member = await addColleague({ teamRole: 'admin' })
  const otherTeam = await admin.client.accounts.teams.create({ name: 'North' })
  expect(
    await admin.client.accounts.updateMember({ user_id: member.id, team_id: otherTeam.id }),
  ).toMatchObject({
    team_id: otherTeam.id,
    team_role: 'member',
  })
  expect(await admin.client.accounts.updateMember({ user_id: member.id, team_role: 'admin' })).toMatchObject({
    team_id: otherTeam.id,
    team_role: 'admin',
  })
  expect(await admin.client.accounts.updateMember({ user_id: member.id, team_id: null })).toMatchObject({
    team_id: null,
    team_role: null,
  })
  expect(await admin.client.accounts.updateMember({ user_id: member.id, team_role: 'admin' })).toMatchObject({
    team_id: null,
    team_role: null,
  })
  expect(
    await admin.client.accounts.teams.assignMember({
      team_id: teamId,
      user_id: member.id,
      team_role: 'admin',
    }),
  ).toMatchObject({
    team_id: teamId,
    team_role: 'admin',
  })
  await expectRefusal(
    admin.client.accounts.updateMember({ user_id: member.id, team_id: null, team_role: 'admin' }),
    422,
  )
})

it('WIR-08 refuses a team of another account for a member or an invite', async () => {
  const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
  const member = await account.addColleague()
  const response = await account.admin.call('PATCH', `/accounts/me/members/${member.id}`, {
    team_id: otherAccount.teamId,
  })
  expect([response.status, response.body.errors[0].loc]).toEqual([422, ['body', 'team_id']])
  await expectRefusal(
    account.admin.client.accounts.teams.assignMember({ team_id: otherAccount.teamId, user_id: member.id }),
    404,
  )
  const invite = await account.admin.call('POST', '/accounts/me/invites', {
    email: 'x@y.example',
    role: 'viewer',
    team_id: otherAccount.teamId,
  })
  expect([invite.status, invite.body.errors[0].loc]).toEqual([422, ['body', 'team_id']])
})

it('AUT-35 revokes the sign-ins of a deactivated member immediately', async () => {
  const { admin, addColleague } = await createAccount(service)
  const member = await addColleague()
  const refresh_token = await insertRefreshToken(service, member)
  await admin.client.accounts.removeMember({ user_id: member.id })
  await expectRefusal(member.client.notifications.list(), 401)
  expectStatus(await postWithoutToken(service, '/auth/refresh', { refresh_token }), 401)
  const reactivated = await admin.client.accounts.updateMember({ user_id: member.id, is_active: true })
  expect(reactivated.is_active).toBe(true)
  await expectRefusal(member.client.notifications.list(), 401)
})

it('ACC-14 never demotes or deactivates the last active admin, even when two admins demote each other concurrently', async () => {
  const { id, admin, addColleague } = await createAccount(service)
  for (const [method, body] of [
    ['PATCH', { role: 'engineer' }],
    ['PATCH', { is_active: false }],
    ['DELETE', undefined],
  ] as const) {
    const response = await admin.call(method, `/accounts/me/members/${admin.id}`, body)
    expect([response.status, response.body.code]).toEqual([409, 'last_admin'])
  }
  for (let round = 0; round < 3; round++) {
    const otherAdmin = await addColleague({ role: 'admin' })
    const responses = await Promise.all([
      admin.call('PATCH', `/accounts/me/members/${otherAdmin.id}`, { role: 'viewer' }),
      otherAdmin.call('PATCH', `/accounts/me/members/${admin.id}`, { role: 'viewer' }),
    ])
    expect(responses.map(({ status }) => status)).toContain(200)
    const [activeAdmins] = await service.sql<{ count: string }>(
      `select count(*) from users where account_id = $1 and role = 'admin' and is_active`,
      [id],
    )
    expect(Number(activeAdmins?.count)).toBeGreaterThan(0)
    await service.sql(`update users set role = 'admin' where id = $1`, [admin.id])
  }
})

it('ACC-17 writes an audit row with actor and changes for each write, and none for a refused one', async () => {
  const { admin, addColleague } = await createAccount(service)
  const member = await addColleague()
  const team = await admin.client.accounts.teams.create({ name: 'North' })
  await admin.client.accounts.teams.rename({ team_id: team.id, name: 'South' })
  await admin.client.accounts.teams.assignMember({ team_id: team.id, user_id: member.id, team_role: 'admin' })
  await admin.client.accounts.teams.delete({ team_id: team.id })
  await admin.client.accounts.updateMember({ user_id: member.id, role: 'viewer' })
  await expectRefusal(admin.client.accounts.updateMember({ user_id: admin.id, role: 'viewer' }), 409)
  await admin.client.accounts.update({ timezone: 'Europe/Berlin' })
  await admin.client.accounts.update({ timezone: 'Europe/Berlin' })
  const { body } = await admin.call('GET', '/accounts/me/audit-logs')
  const actions = [
    'team.created',
    'team.updated',
    'member.updated',
    'team.deleted',
    'member.updated',
    'account.updated',
  ]
  expect(body.map(({ action }: { action: string }) => action).reverse()).toEqual(actions)
  expect(new Set(body.map((row: { actor_name: string }) => row.actor_name))).toEqual(
    new Set([admin.fullName]),
  )
  expect(body[1]).toMatchObject({
    resource_id: member.id,
    changes: { role: { from: 'engineer', to: 'viewer' } },
  })
})

it('deletes a team, keeps its members without a team, and returns 404 to another account', async () => {
  const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
  const member = await account.addColleague({ teamRole: 'admin' })
  await expectRefusal(otherAccount.admin.client.accounts.teams.delete({ team_id: account.teamId }), 404)
  expect(await account.admin.client.accounts.teams.list()).toMatchObject([
    { id: account.teamId, name: 'Test team', member_count: 2 },
  ])
  await account.admin.client.accounts.teams.delete({ team_id: account.teamId })
  expect(await account.admin.client.accounts.teams.list()).toEqual([])
  expect((await request(service, 'GET', '/auth/me', { token: member.token })).body).toMatchObject({
    team_id: null,
    team_role: null,
  })
})

it('refuses to delete a team that owns content', async () => {
  const { admin, teamId } = await createAccount(service)
  const flow = await createFlow(admin)
  const refusal = await expectRefusal(admin.client.accounts.teams.delete({ team_id: teamId }), 409)
  expect(refusal.body).toMatchObject({ code: 'in_use' })
  expect(await admin.client.flows.trees.get({ tree_id: flow.id })).toMatchObject({ team_id: teamId })
})
