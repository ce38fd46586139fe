// @module-tag plan
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openScope, type StaffDb, type WriteDb } from '#db/scope.ts'
import { selectAuditLog, selectMembers } from '#functions/accounts/accounts/queries.ts'
import { selectAuditLogs, selectUsers } from '#functions/admin/users/queries.ts'
import { selectQueue } from '#functions/ai/escalations/queries.ts'
import { selectSignIns } from '#functions/identity/sign-ins/queries.ts'
import { startOwnService } from '#test/support/app.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { explainStatements, type PlanNode, rowsRead, totalRowsRead } from '#test/support/query-plans.ts'

const pageSize = 50
const counts = { users: 20_000, signIns: 10_000, auditLogs: 10_000, waiting: 1_000 }

let service: Awaited<ReturnType<typeof startOwnService>>
let reader: Person

beforeAll(async () => {
  service = await startOwnService()
  const { admin, addColleague } = await createAccount(service)
  reader = await addColleague({ role: 'admin', superAdmin: true })
  const fill = (text: string) => service.sql(text, [admin.accountId, admin.id])
  // An account's statistics do not include the rows since the last analyze.
  await service.sql(
    'alter table ai_sessions set (autovacuum_enabled = off); alter table ai_handoffs set (autovacuum_enabled = off)',
  )
  // The trigger that checks the seats counts all users for each new one.
  await service.sql('alter table users disable trigger user')
  await fill(`insert into users (account_id, email, full_name, role)
    select $1::uuid, n || $2::text || '@people.example', 'Colleague ' || n, 'engineer' from generate_series(1, ${counts.users}) n`)
  await service.sql('alter table users enable trigger user')
  // The newest are revoked, and the oldest have expired.
  await fill(`insert into sign_ins (account_id, user_id, last_used_at, expires_at, ended_at)
    select $1::uuid, $2::uuid, at, at + interval '30 days', case when n < ${counts.signIns / 4} then at end
      from generate_series(1, ${counts.signIns}) n, lateral (select now() - n * interval '60 days' / ${counts.signIns} as at) t`)
  await fill(`insert into audit_logs (account_id, actor_id, action, resource_type, created_at)
    select $1::uuid, $2::uuid, 'member.updated', 'user', now() - n * interval '1 minute' from generate_series(1, ${counts.auditLogs}) n`)
  await service.sql('vacuum analyze')
  await fill(`with s as (
      insert into ai_sessions (account_id, user_id, session_type, title, status)
      select $1::uuid, id, 'chat', 'The VPN is slow', 'escalated' from users
       where account_id = $1::uuid and id <> $2::uuid order by id limit ${counts.waiting} returning *)
    insert into ai_handoffs (account_id, session_id, intent, created_by, assessment_status)
    select account_id, id, 'escalate', user_id, 'ready' from s`)
})
afterAll(() => service.close())

/** Run a list and return the plans' scans of each table, and the number of rows in the list. */
async function explainList(list: (db: WriteDb) => Promise<unknown[]>, staff = false) {
  const { id: userId, accountId, signInId } = reader
  const caller = { userId, accountId, signInId }
  const options = {
    caller,
    access: staff ? 'super_admin' : 'account_admin',
    skipGuards: 'none',
    ip: '',
    readOnly: true,
  } as const
  const { nodes, result } = await explainStatements(
    service,
    false,
    (connection) => list(openScope(connection, options, () => {}).db),
    staff ? 'app_platform' : 'app_runtime',
  )
  return {
    scansOf: (table: string) => nodes.filter((node) => node['Relation Name'] === table),
    rows: result.length,
  }
}

const isIndexOnly = (node: PlanNode) => node['Node Type'] === 'Index Only Scan'

it('the escalation queue reads each waiting session and its handoff once, also before the statistics know them', async () => {
  const { scansOf, rows } = await explainList((db) => selectQueue.all(db, { skip: 0, limit: pageSize }))
  expect(rows).toBe(pageSize + 1)
  expect(totalRowsRead(scansOf('ai_sessions'))).toBe(counts.waiting)
  expect(totalRowsRead(scansOf('ai_handoffs'))).toBe(counts.waiting)
  // Besides the engineers of the page, the scope reads its caller.
  expect(totalRowsRead(scansOf('users'))).toBeLessThanOrEqual(pageSize + 2)
})

it('the list of members reads one sign-in of each member on the page', async () => {
  const { scansOf, rows } = await explainList((db) => selectMembers(db, { skip: 0, limit: pageSize }))
  expect(rows).toBe(pageSize + 1)
  expect(totalRowsRead(scansOf('users'))).toBeLessThanOrEqual(pageSize + 2)
  expect(totalRowsRead(scansOf('sign_ins'))).toBeLessThanOrEqual(pageSize + 2)
})

it('the list of sign-ins of a user with 10,000 sign-ins reads at most 100 rows', async () => {
  const [row] = await service.sql<{ user_id: string }>(
    'select user_id from sign_ins group by user_id order by count(*) desc limit 1',
  )
  const { scansOf, rows } = await explainList((db) => selectSignIns(db, row?.user_id ?? '', reader.signInId))
  expect(rows).toBe(100)
  // Besides the list, the scope reads the caller's sign-in.
  expect(totalRowsRead(scansOf('sign_ins'))).toBeLessThanOrEqual(101)
})

it('the audit log at a high offset reads only the entries of the page outside the index', async () => {
  const { scansOf, rows } = await explainList((db) =>
    selectAuditLog(db, { skip: counts.auditLogs - 1000, limit: pageSize }),
  )
  expect(rows).toBe(pageSize + 1)
  const scans = scansOf('audit_logs')
  expect(Math.max(...scans.filter(isIndexOnly).map(rowsRead))).toBe(counts.auditLogs - 1000 + pageSize + 1)
  expect(totalRowsRead(scans.filter((scan) => !isIndexOnly(scan)))).toBe(pageSize + 1)
})

it('the search of all users without a match reads no users', async () => {
  const { scansOf } = await explainList(
    (db) => selectUsers(db as unknown as StaffDb, { q: 'zeppelin', skip: 0, limit: pageSize }),
    true,
  )
  // The scope reads its caller.
  expect(totalRowsRead(scansOf('users'))).toBe(1)
})

it('the audit log of all accounts with an unknown action reads no entries', async () => {
  const query = { action: 'zeppelin.created', skip: 0, limit: pageSize }
  const { scansOf } = await explainList((db) => selectAuditLogs(db as unknown as StaffDb, query), true)
  expect(totalRowsRead(scansOf('audit_logs'))).toBe(0)
})
