import { afterAll, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { getFixture } from '#test/contract/fixtures.ts'
import { roles, send } from '#test/contract/requests.ts'
import { startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await startOwnService()
afterAll(() => service.close())

/** Create a super admin in an account of its own. */
async function createStaff(): Promise<Person> {
  return (await createAccount(service)).addColleague({ role: 'viewer', superAdmin: true })
}
const selectAuditRows = (accountId: string) =>
  service.sql(
    'select actor_id, action, resource_id, changes from audit_logs where account_id = $1 order by id',
    [accountId],
  )

it('ADM-01 returns 403 for every admin operation to everyone but super admins, even to account admins', async () => {
  const adminOperations = operations.filter(({ path }) => path.startsWith('/admin/'))
  expect(adminOperations.length).toBeGreaterThanOrEqual(15)
  const account = await createAccount(service)
  const roleNames = ['admin', 'teamAdmin', 'engineer', 'viewer', 'superAdmin'] as const
  const people = await Promise.all(
    roleNames.map(async (name) => [name, await account.addColleague(roles[name].options)] as const),
  )
  for (const op of adminOperations) {
    const fixture = await getFixture(op)(service, account.admin)
    for (const [name, { token }] of people) {
      const { status } = await send(service, op, fixture, { token })
      expect([op.id, name, status]).toEqual([op.id, name, name === 'superAdmin' ? op.success : 403])
    }
  }
})

it('ADM-02 returns a user of any account with the account, subscription, sign-ins and audit log', async () => {
  const staff = await createStaff()
  const { id, admin, addColleague } = await createAccount(service)
  const person = await addColleague()
  await admin.call('PATCH', `/accounts/me/members/${person.id}`, { role: 'viewer' })
  await admin.call('POST', '/teams', { name: 'North' })
  const { status, body } = await staff.call('GET', `/admin/users/${person.id}`)
  expect(status).toBe(200)
  expect(body.user).toMatchObject({
    id: person.id,
    email: person.email,
    account_id: id,
    role: 'viewer',
    is_active: true,
  })
  expect(body.account).toMatchObject({ id, name: 'Test account', user_count: 2 })
  expect(body.subscription).toMatchObject({
    account_id: id,
    plan: 'enterprise',
    status: 'trialing',
    limits: { max_users: null },
  })
  expect(body.sessions).toMatchObject([{ id: person.signInId, ended_at: null }])
  expect(body.audit_logs).toMatchObject([
    { action: 'member.updated', resource_id: person.id, actor_name: admin.fullName },
  ])
  expect((await staff.call('GET', `/admin/users/${crypto.randomUUID()}`)).body).toEqual({
    detail: 'User not found',
  })
})

it('returns the last 50 sign-ins and audit rows of a user with one database round trip', async () => {
  const staff = await createStaff()
  const { id, admin } = await createAccount(service)
  await service.sql(
    `insert into sign_ins (account_id, user_id, expires_at, last_used_at) select $1, $2, now(), now() - n * interval '1 day' from generate_series(1, 60) n`,
    [id, admin.id],
  )
  await service.sql(
    `insert into audit_logs (account_id, actor_id, action, resource_type, created_at) select $1, $2, 'n' || n, 'test', now() - n * interval '1 day' from generate_series(1, 60) n`,
    [id, admin.id],
  )
  const roundTripsBefore = service.stack.countRoundTrips()
  const { body } = await staff.call('GET', `/admin/users/${admin.id}`)
  expect(service.stack.countRoundTrips() - roundTripsBefore).toBe(1)
  expect([body.sessions.length, body.sessions[0].id, body.audit_logs.length]).toEqual([
    50,
    admin.signInId,
    50,
  ])
  expect([body.audit_logs[0].action, body.audit_logs[49].action]).toEqual(['n1', 'n50'])
})

it('searches users by a literal part of the name or address, in pages and with one round trip', async () => {
  const staff = await createStaff()
  const { id, addColleague } = await createAccount(service)
  const people = [await addColleague(), await addColleague(), await addColleague()]
  const tag = crypto.randomUUID().slice(0, 8)
  for (const [n, name] of [`${tag} 100% Ann`, `${tag} 1000 Bob`, `${tag} A_B\\C`].entries())
    await service.sql('update users set full_name = $2 where id = $1', [people[n]?.id, name])
  const search = async (q: string, parameters = '') => {
    const { body } = await staff.call('GET', `/admin/users?q=${encodeURIComponent(q)}${parameters}`)
    return body.map((user: { id: string }) => people.findIndex((person) => person.id === user.id))
  }
  expect(await search(`${tag} 100%`)).toEqual([0])
  expect(await search(`${tag} a_b\\c`)).toEqual([2])
  expect(await search(`${tag} A%`)).toEqual([])
  expect(await search(people[1]?.email.toUpperCase() ?? '')).toEqual([1])
  const roundTripsBefore = service.stack.countRoundTrips()
  expect(await search(tag, `&account_id=${id}`)).toEqual([2, 1, 0])
  expect(service.stack.countRoundTrips() - roundTripsBefore).toBe(1)
  const page = await staff.call('GET', `/admin/users?q=${tag}&limit=2`)
  expect([page.body.length, page.headers.get('link')]).toEqual([2, expect.stringContaining('after=')])
  expect(await search(tag, '&limit=2&skip=2')).toEqual([0])
})

it('returns matching accounts with their user count, with one round trip', async () => {
  const staff = await createStaff()
  const accounts = [await createAccount(service), await createAccount(service)]
  const tag = crypto.randomUUID()
  for (const [n, { id }] of accounts.entries())
    await service.sql('update accounts set name = $2 where id = $1', [id, `${tag}_${n}`])
  await accounts[0]?.addColleague()
  await service.sql(`update accounts set trial_ends_at = now() where id = $1`, [accounts[1]?.id])
  const roundTripsBefore = service.stack.countRoundTrips()
  const { body } = await staff.call('GET', `/admin/accounts?q=${tag}_`)
  expect(service.stack.countRoundTrips() - roundTripsBefore).toBe(1)
  expect(body).toMatchObject([
    { name: `${tag}_1`, user_count: 1, plan: 'free', subscription_status: 'free' },
    { name: `${tag}_0`, user_count: 2, plan: 'enterprise', subscription_status: 'trialing' },
  ])
})

it('ADM-03 applies a promotion or demotion to the next request, and writes an audit row in the user’s account', async () => {
  const staff = await createStaff()
  const { id, admin } = await createAccount(service)
  const setSuperAdmin = (is_super_admin: boolean) =>
    staff.call('PUT', `/admin/users/${admin.id}/super-admin`, { is_super_admin })
  expectStatus(await admin.call('GET', '/admin/users'), 403)
  expect((await setSuperAdmin(true)).body).toMatchObject({ id: admin.id, is_super_admin: true })
  expectStatus(await setSuperAdmin(true), 200)
  expectStatus(await admin.call('GET', '/admin/users'), 200)
  expect((await setSuperAdmin(false)).body).toMatchObject({ is_super_admin: false })
  expectStatus(await admin.call('GET', '/admin/users'), 403)
  const row = { actor_id: staff.id, action: 'member.updated', resource_id: admin.id }
  expect(await selectAuditRows(id)).toEqual([
    { ...row, changes: { is_super_admin: { from: false, to: true } } },
    { ...row, changes: { is_super_admin: { from: true, to: false } } },
  ])
})

it('lists and filters the audit log of all accounts, with the names of actors from other accounts', async () => {
  const staff = await createStaff()
  const { id, admin } = await createAccount(service)
  await admin.call('POST', '/teams', { name: 'North' })
  await staff.call('PUT', `/admin/users/${admin.id}/subscription/plan`, { plan: 'team' })
  const listAuditLogs = async (query: string) => (await staff.call('GET', `/admin/audit-logs?${query}`)).body
  expect(await listAuditLogs(`account_id=${id}`)).toMatchObject([
    { action: 'subscription.updated', actor_id: staff.id, actor_name: staff.fullName, account_id: id },
    { action: 'team.created', actor_id: admin.id },
  ])
  expect(await listAuditLogs(`actor_id=${staff.id}`)).toHaveLength(1)
  expect(await listAuditLogs(`account_id=${id}&action=team.created`)).toHaveLength(1)
  expect(await listAuditLogs(`account_id=${id}&created_before=2020-01-01T00:00:00Z`)).toEqual([])
  expect(await listAuditLogs(`account_id=${id}&created_after=2020-01-01T00:00:00Z`)).toHaveLength(2)
  expect(await listAuditLogs(`account_id=${id}&created_after=2090-01-01T00:00:00Z`)).toEqual([])
  const allEntries = await listAuditLogs('limit=100')
  expect(
    new Set(allEntries.map(({ account_id }: { account_id: string }) => account_id)).size,
  ).toBeGreaterThan(1)
})

it.each([
  ['PUT', '/admin/users/ID/super-admin', { is_super_admin: true }, 'User not found'],
  ['PUT', '/admin/users/ID/super-admin', {}, 'User not found'],
  ['PUT', '/admin/users/ID/subscription/plan', { plan: 'pro' }, 'User not found'],
  ['PUT', '/admin/users/ID/subscription/plan', {}, 'User not found'],
  ['POST', '/admin/users/ID/extend-trial', { days: 1 }, 'User not found'],
  ['DELETE', '/admin/users/ID/mfa', undefined, 'User not found'],
  ['PUT', '/admin/gallery/flows/ID', { is_featured: true }, 'Flow not found'],
  ['PUT', '/admin/gallery/flows/ID', {}, 'Flow not found'],
  ['PUT', '/admin/gallery/scripts/ID', { sort_order: 1 }, 'Script template not found'],
  ['PUT', '/admin/gallery/scripts/ID', {}, 'Script template not found'],
])('returns 404 for %s %s with the body %j and an unknown id', async (method, path, body, detail) => {
  const answer = await (await createStaff()).call(method, path.replace('ID', crypto.randomUUID()), body)
  expect([answer.status, answer.body]).toEqual([404, { detail }])
})
