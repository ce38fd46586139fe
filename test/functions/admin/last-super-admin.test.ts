import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { ownService } from '../../support/app.ts'
import { newAccount, type Person } from '../../support/people.ts'

// A database of its own: nobody else here may be a super admin.
const service = await ownService()
afterAll(() => service.close())
const [ours, elsewhere] = [await newAccount(service), await newAccount(service)]
const only = await ours.colleague({ superAdmin: true })

const demote = (by: Person, who: Person) => by.call('PUT', `/admin/users/${who.id}/super-admin`, { is_super_admin: false })
const left = () => service.sql('select id from users where is_super_admin and is_active')
const put = (who: Person, is: boolean) => service.sql('update users set is_super_admin = $2 where id = $1', [who.id, is])

it('neither demotes nor deactivates the last active super admin, not even by an admin of the account', async () => {
  for (const answer of [await demote(only, only), await ours.admin.call('DELETE', `/accounts/me/members/${only.id}`)])
    expect([answer.status, answer.body.code]).toEqual([409, 'last_super_admin'])
  // One in another account is out of sight of these admins, and counts all the same.
  const other = await elsewhere.colleague({ superAdmin: true })
  expectStatus(await ours.admin.call('DELETE', `/accounts/me/members/${only.id}`), 204)
  await service.sql('update users set is_active = true where id = $1', [only.id])
  await service.sql('update sign_ins set ended_at = null where user_id = $1', [only.id])
  await put(other, false)
})

it('keeps one when two demote each other at once', async () => {
  for (let round = 0; round < 4; round++) {
    const other = await elsewhere.colleague({ superAdmin: true })
    const answers = await Promise.all([demote(only, other), demote(other, only)])
    expect(answers.map(({ status }) => status)).toContain(200)
    expect(await left()).toHaveLength(1)
    await put(only, true)
    await put(other, false)
  }
})

it('lets the second of two wait until the first is through, and then refuses it', async () => {
  const other = await elsewhere.colleague({ superAdmin: true })
  const clients = [new pg.Client(service.stack.ownerUrl), new pg.Client(service.stack.ownerUrl)] as const
  await Promise.all(clients.map((client) => client.connect()))
  const [first, second] = clients
  const statement = 'update users set is_super_admin = false where id = $1'
  try {
    for (const client of clients) await client.query('begin')
    await first.query(statement, [other.id])
    const outcome = second.query(statement, [only.id]).catch((error: { code: string }) => error.code)
    const waits = `select count(*)::integer as n from pg_locks where locktype = 'advisory' and not granted`
    await expect.poll(async () => (await service.sql<{ n: number }>(waits))[0]?.n).toBeGreaterThan(0)
    await first.query('commit')
    expect(await outcome).toBe('SF4LS')
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
  expect(await left()).toEqual([{ id: only.id }])
})
