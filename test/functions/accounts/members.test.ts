import { expect, it } from 'vitest'
import { insertRefreshToken, someAddress } from '../../contract/fixture-rows.ts'
import { expectStatus } from '../../support/answers.ts'
import { request, shared } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()

it('shows my account with its plan, limits and usage, and lets an admin change it', async () => {
  const { id, admin, colleague } = await newAccount(service)
  const viewer = await colleague({ role: 'viewer' })
  await service.sql(`update accounts set plan = 'pro' where id = $1`, [id])
  const { body } = await viewer.call('GET', '/accounts/me')
  expect(body).toMatchObject({
    id,
    plan: 'pro',
    subscription_status: 'trialing',
    limits: { max_users: 10 },
    usage: { users: 2, open_invites: 0 },
  })
  const changed = await admin.call('PATCH', '/accounts/me', {
    name: 'New name',
    timezone: 'Asia/Kolkata',
    settings: { logo: { dark: true } },
  })
  expect(changed.body).toEqual({ ...body, name: 'New name', timezone: 'Asia/Kolkata', settings: { logo: { dark: true } } })
  expect((await admin.call('PATCH', '/accounts/me', {})).body).toEqual(changed.body)
  for (const wrong of [
    { timezone: 'Mars/Base' },
    { name: '' },
    { settings: [] },
    { settings: { big: 'x'.repeat(17_000) } },
    { plan: 'team' },
  ]) {
    expectStatus(await admin.call('PATCH', '/accounts/me', wrong), 422)
  }
})

it('ACC-16 has the free plan when the trial has ended', async () => {
  const { id, admin } = await newAccount(service)
  await service.sql(`update accounts set trial_ends_at = now() - interval '1 second' where id = $1`, [id])
  expect((await admin.call('GET', '/accounts/me')).body).toMatchObject({
    plan: 'free',
    subscription_status: 'free',
    limits: { max_users: 3 },
  })
})

it('ACC-08 ACC-09 ACC-11 merges preferences, keeps the keys not given, and removes a null', async () => {
  const { admin, colleague } = await newAccount(service)
  const viewer = await colleague({ role: 'viewer' })
  expect((await viewer.call('GET', '/accounts/me/preferences')).body).toEqual({})
  const first = await viewer.call('PATCH', '/accounts/me/preferences', { templatize_prompt_enabled: true, own: { deep: [1, null] } })
  expect(first.body).toEqual({ templatize_prompt_enabled: true, own: { deep: [1, null] } })
  const second = await admin.call('PATCH', '/accounts/me/preferences', { theme: 'dark', own: null })
  expect(second.body).toEqual({ templatize_prompt_enabled: true, theme: 'dark' })
  expect((await viewer.call('GET', '/accounts/me/preferences')).body).toEqual(second.body)
  const many = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`k${n}`, n]))
  for (const wrong of [{ mask_exports: 'yes' }, { default_export_format: 'doc' }, many, { x: 'y'.repeat(17_000) }]) {
    expectStatus(await admin.call('PATCH', '/accounts/me/preferences', wrong), 422)
  }
  expect((await viewer.call('GET', '/accounts/me/preferences')).body).toEqual(second.body)
})

it('lists members to every member, by name, without those of another account', async () => {
  const { admin, colleague } = await newAccount(service)
  const viewer = await colleague({ role: 'viewer' })
  await newAccount(service)
  const { body } = await viewer.call('GET', '/accounts/me/members')
  expect(body.map(({ id }: { id: string }) => id).sort()).toEqual([admin.id, viewer.id].sort())
  expect(body.find(({ id }: { id: string }) => id === viewer.id)).toMatchObject({
    role: 'viewer',
    team_role: 'member',
    is_active: true,
    email_verified: true,
  })
})

it("ACC-15 changes a member's role, which holds on the next request with the token already held", async () => {
  const { admin, colleague } = await newAccount(service)
  const person = await colleague({ role: 'engineer' })
  expectStatus(await person.call('GET', '/accounts/me/invites'), 403)
  const changed = await admin.call('PATCH', `/accounts/me/members/${person.id}`, { role: 'admin' })
  expect([changed.status, changed.body.role, changed.body.team_role]).toEqual([200, 'admin', 'member'])
  expectStatus(await person.call('GET', '/accounts/me/invites'), 200)
})

it('moves a member between teams, with a role only where there is a team', async () => {
  const { admin, colleague, teamId } = await newAccount(service)
  const person = await colleague({ teamRole: 'admin' })
  const path = `/accounts/me/members/${person.id}`
  const { body: other } = await admin.call('POST', '/teams', { name: 'North' })
  expect((await admin.call('PATCH', path, { team_id: other.id })).body).toMatchObject({ team_id: other.id, team_role: 'member' })
  expect((await admin.call('PATCH', path, { team_role: 'admin' })).body).toMatchObject({ team_id: other.id, team_role: 'admin' })
  expect((await admin.call('PATCH', path, { team_id: null })).body).toMatchObject({ team_id: null, team_role: null })
  expect((await admin.call('PATCH', path, { team_role: 'admin' })).body).toMatchObject({ team_id: null, team_role: null })
  expect((await admin.call('PUT', `/teams/${teamId}/members/${person.id}`, { team_role: 'admin' })).body).toMatchObject({
    team_id: teamId,
    team_role: 'admin',
  })
  expectStatus(await admin.call('PATCH', path, { team_id: null, team_role: 'admin' }), 422)
})

it('WIR-08 refuses a team of another account', async () => {
  const [ours, theirs] = [await newAccount(service), await newAccount(service)]
  const person = await ours.colleague()
  const answer = await ours.admin.call('PATCH', `/accounts/me/members/${person.id}`, { team_id: theirs.teamId })
  expect([answer.status, answer.body.errors[0].loc]).toEqual([422, ['body', 'team_id']])
  expectStatus(await ours.admin.call('PUT', `/teams/${theirs.teamId}/members/${person.id}`, {}), 404)
  const invite = await ours.admin.call('POST', '/accounts/me/invites', { email: 'x@y.example', role: 'viewer', team_id: theirs.teamId })
  expect([invite.status, invite.body.errors[0].loc]).toEqual([422, ['body', 'team_id']])
})

it('AUT-35 signs a deactivated member out at once', async () => {
  const { admin, colleague } = await newAccount(service)
  const person = await colleague()
  const refresh_token = await insertRefreshToken(service, person)
  expectStatus(await admin.call('DELETE', `/accounts/me/members/${person.id}`), 204)
  expectStatus(await person.call('GET', '/notifications'), 401)
  expectStatus(
    await request(service, 'POST', '/auth/refresh', { body: { refresh_token }, headers: { 'cf-connecting-ip': someAddress() } }),
    401,
  )
  const back = await admin.call('PATCH', `/accounts/me/members/${person.id}`, { is_active: true })
  expect(back.body.is_active).toBe(true)
  expectStatus(await person.call('GET', '/notifications'), 401)
})

it('ACC-14 neither demotes nor deactivates the last active admin, also when two admins try it on each other at once', async () => {
  const { id, admin, colleague } = await newAccount(service)
  for (const [method, body] of [
    ['PATCH', { role: 'engineer' }],
    ['PATCH', { is_active: false }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await admin.call(method, `/accounts/me/members/${admin.id}`, body)
    expect([answer.status, answer.body.code]).toEqual([409, 'last_admin'])
  }
  for (let round = 0; round < 3; round++) {
    const second = await colleague({ role: 'admin' })
    const [a, b] = await Promise.all([
      admin.call('PATCH', `/accounts/me/members/${second.id}`, { role: 'viewer' }),
      second.call('PATCH', `/accounts/me/members/${admin.id}`, { role: 'viewer' }),
    ])
    expect([a.status, b.status]).toContain(200)
    const [left] = await service.sql<{ count: string }>(
      `select count(*) from users where account_id = $1 and role = 'admin' and is_active`,
      [id],
    )
    expect(Number(left?.count)).toBeGreaterThan(0)
    await service.sql(`update users set role = 'admin' where id = $1`, [admin.id])
  }
})

it('ACC-17 leaves an audit row with actor and changes for each write, and none for a refused one', async () => {
  const { admin, colleague } = await newAccount(service)
  const person = await colleague()
  const { body: team } = await admin.call('POST', '/teams', { name: 'North' })
  await admin.call('PATCH', `/teams/${team.id}`, { name: 'South' })
  await admin.call('PUT', `/teams/${team.id}/members/${person.id}`, { team_role: 'admin' })
  await admin.call('DELETE', `/teams/${team.id}`)
  await admin.call('PATCH', `/accounts/me/members/${person.id}`, { role: 'viewer' })
  await admin.call('PATCH', `/accounts/me/members/${admin.id}`, { role: 'viewer' })
  await admin.call('PATCH', '/accounts/me', { timezone: 'Europe/Berlin' })
  await admin.call('PATCH', '/accounts/me', { timezone: 'Europe/Berlin' })
  const { body } = await admin.call('GET', '/accounts/me/audit-logs')
  const actions = ['team.created', 'team.updated', 'member.updated', 'team.deleted', 'member.updated', 'account.updated']
  expect(body.map(({ action }: { action: string }) => action).reverse()).toEqual(actions)
  expect(new Set(body.map((row: { actor_name: string }) => row.actor_name))).toEqual(new Set([admin.fullName]))
  expect(body[1]).toMatchObject({ resource_id: person.id, changes: { role: { from: 'engineer', to: 'viewer' } } })
})

it('deletes a team: its members stay without one, and another account cannot tell it is there', async () => {
  const [ours, theirs] = [await newAccount(service), await newAccount(service)]
  const person = await ours.colleague({ teamRole: 'admin' })
  expectStatus(await theirs.admin.call('DELETE', `/teams/${ours.teamId}`), 404)
  expect((await ours.admin.call('GET', '/teams')).body).toMatchObject([{ id: ours.teamId, name: 'Test team', member_count: 2 }])
  expectStatus(await ours.admin.call('DELETE', `/teams/${ours.teamId}`), 204)
  expect((await ours.admin.call('GET', '/teams')).body).toEqual([])
  expect((await request(service, 'GET', '/auth/me', { token: person.token })).body).toMatchObject({ team_id: null, team_role: null })
})
