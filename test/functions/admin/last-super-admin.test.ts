// @module-tag behaviour
import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

// This file uses its own database, because no other test may create a super admin in it.
const service = await startOwnService()
afterAll(() => service.close())
const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
const superAdmin = await account.addColleague({ superAdmin: true })

const demote = (caller: Person, target: Person) =>
  caller.call('PUT', `/admin/users/${target.id}/super-admin`, { is_super_admin: false })
const selectActiveSuperAdmins = () => service.sql('select id from users where is_super_admin and is_active')
const setSuperAdmin = (person: Person, isSuperAdmin: boolean) =>
  service.sql('update users set is_super_admin = $2 where id = $1', [person.id, isSuperAdmin])

it('refuses to demote or deactivate the last active super admin, even for the account admin', async () => {
  for (const response of [
    await demote(superAdmin, superAdmin),
    await account.admin.call('DELETE', `/accounts/me/members/${superAdmin.id}`),
  ])
    expect([response.status, response.body.code]).toEqual([409, 'last_super_admin'])
  // A super admin of another account counts too, although this account's admins cannot see that user.
  const otherSuperAdmin = await otherAccount.addColleague({ superAdmin: true })
  expectStatus(await account.admin.call('DELETE', `/accounts/me/members/${superAdmin.id}`), 204)
  await service.sql('update users set is_active = true where id = $1', [superAdmin.id])
  await service.sql('update sign_ins set ended_at = null where user_id = $1', [superAdmin.id])
  await setSuperAdmin(otherSuperAdmin, false)
})

it('keeps one super admin when two super admins demote each other concurrently', async () => {
  for (let round = 0; round < 4; round++) {
    const otherSuperAdmin = await otherAccount.addColleague({ superAdmin: true })
    const responses = await Promise.all([
      demote(superAdmin, otherSuperAdmin),
      demote(otherSuperAdmin, superAdmin),
    ])
    expect(responses.map(({ status }) => status)).toContain(200)
    expect(await selectActiveSuperAdmins()).toHaveLength(1)
    await setSuperAdmin(superAdmin, true)
    await setSuperAdmin(otherSuperAdmin, false)
  }
})

it('blocks a concurrent demotion until the first one commits, and then refuses it', async () => {
  const otherSuperAdmin = await otherAccount.addColleague({ superAdmin: true })
  const clients = [new pg.Client(service.stack.ownerUrl), new pg.Client(service.stack.ownerUrl)] as const
  await Promise.all(clients.map((client) => client.connect()))
  const [first, second] = clients
  const statement = 'update users set is_super_admin = false where id = $1'
  try {
    for (const client of clients) await client.query('begin')
    await first.query(statement, [otherSuperAdmin.id])
    const outcome = second.query(statement, [superAdmin.id]).catch((error: { code: string }) => error.code)
    const selectWaitCount = `select count(*)::integer as n from pg_locks where locktype = 'advisory' and not granted`
    await expect
      .poll(async () => (await service.sql<{ n: number }>(selectWaitCount))[0]?.n)
      .toBeGreaterThan(0)
    await first.query('commit')
    expect(await outcome).toBe('SF4LS')
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
  expect(await selectActiveSuperAdmins()).toEqual([{ id: superAdmin.id }])
})
