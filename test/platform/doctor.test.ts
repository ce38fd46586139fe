import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checks } from '#ops/checks.ts'
import { describeFinding, diagnose, type Finding, runCheck } from '#ops/doctor.ts'
import { connectAsOwner, sharedService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
let client: pg.Client
beforeAll(async () => {
  client = await connectAsOwner()
})
afterAll(() => client.end())

it('OPS-02 the doctor finds nothing wrong with a migrated database', async () => {
  const findings = await diagnose(service.ownerUrl)
  expect(findings).toHaveLength(checks.length + 1)
  const problems = findings.filter(({ isWarning, problems }) => !isWarning && problems.length > 0)
  // Other tests leave rows that are due and not attempted. A copy of a database does not copy who may create temporary tables in it.
  const isExpected = (problem: string) => problem.endsWith('may create temporary tables')
  const others = problems.filter(({ name, problems }) => !/lease|due/.test(name) && !problems.every(isExpected))
  expect(others).toEqual([])
})

/** Run a check after a change that is rolled back. */
async function findAfter(change: string, name: string): Promise<Finding> {
  const check = checks.find((candidate) => candidate.name.includes(name))
  if (!check) throw new Error(`There is no check "${name}"`)
  await client.query('begin')
  try {
    await client.query(change)
    return await runCheck(client, check)
  } finally {
    await client.query('rollback')
  }
}

it.each([
  [
    "create or replace function app.now() returns timestamptz language sql stable as $$ select now() + interval '1 day' $$",
    'clock',
    '86400 s ahead',
  ],
  ['alter table flows_probe enable row level security', 'row level security', 'flows_probe'],
  ['alter table trees no force row level security', 'row level security', 'trees'],
  ['grant create on schema public to app_runtime', 'roles', 'app_runtime may create objects in public'],
  ['alter table webhooks add constraint probe check (length(url) > 0) not valid', 'constraint', 'webhooks.probe'],
  [
    'drop index webhook_deliveries_open, webhook_deliveries_log, webhook_deliveries_failed; alter table webhook_deliveries drop constraint webhook_deliveries_account_id_id_key',
    'foreign key',
    'webhook_deliveries',
  ],
  [
    `with a as (insert into accounts (name, plan, subscription_status) values ('Probe', 'pro', 'active') returning id)
     insert into users (account_id, email, full_name, role) select id, 'probe@people.example', 'Probe', 'engineer' from a`,
    'admin',
    'account ',
  ],
])('after `%s` the check of the %s finds %s', async (change, name, expected) => {
  const probe = 'create table flows_probe (account_id uuid); grant select on flows_probe to app_runtime;'
  const { problems } = await findAfter(change.includes('flows_probe') ? probe + change : change, name)
  expect(problems.join('\n')).toContain(expected)
})

it('a row that is due and a lease that never ended are found in every outbox', async () => {
  const { id, admin } = await createAccount(service)
  const insert = (columns: string, values: string) =>
    `insert into deliveries (account_id, channel, recipient, purpose, user_id, created_at, ${columns})
     values ('${id}', 'email', '${admin.email}', 'verify_email', '${admin.id}', now() - interval '2 hours', ${values})`
  const due = await findAfter(insert('next_attempt_at', `app.now() - interval '1 hour'`), 'due was attempted')
  expect(due.problems.join()).toMatch(/deliveries: \d+ rows that have been due for 15 minutes, oldest \d{4}-/)
  const stuck = await findAfter(insert('leased_until', `app.now() - interval '1 hour'`), 'lease')
  expect(stuck.problems.join()).toMatch(/deliveries: \d+ attempts that never ended/)
})

it('a check whose statement fails is a problem, and the lines name at most ten problems with the remedy', async () => {
  const failing = await runCheck(client, { name: 'x', remedy: 'r', sql: 'select no_such_column as problem' })
  expect(failing.problems).toEqual(['The check failed: column "no_such_column" does not exist'])
  const finding = { name: 'rows are there', remedy: 'Look.', isWarning: false, problems: Array.from({ length: 12 }, (_, n) => `row ${n}`) }
  const lines = describeFinding(finding)
  expect([lines[0], lines.length, lines.at(-2)?.trim(), lines.at(-1)?.trim()]).toEqual([
    'PROBLEM  rows are there: no',
    13,
    'and 2 more',
    'Look.',
  ])
  expect(describeFinding({ ...finding, problems: [] })).toEqual(['ok       rows are there'])
})
