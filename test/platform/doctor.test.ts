import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Finding } from '#ops/checks.ts'
import { checks } from '#ops/checks.ts'
import { describeFinding, diagnose, runCheck } from '#ops/doctor.ts'
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
  // A warning that every database has hides the others.
  const problems = findings.filter(({ problems }) => problems.length > 0)
  // Other tests leave work. A copy of a database does not copy who may create temporary tables in it.
  const isExpected = (problem: string) => problem.endsWith('may create temporary tables')
  const others = problems.filter(({ isAboutWork, problems }) => !isAboutWork && !problems.every(isExpected))
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
  [
    'alter table webhooks add constraint probe check (length(url) > 0) not valid',
    'constraint',
    'webhooks.probe',
  ],
  [
    'drop index webhook_deliveries_open, webhook_deliveries_log, webhook_deliveries_failed, webhook_deliveries_audit; alter table webhook_deliveries drop constraint webhook_deliveries_account_id_id_key',
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

it('OPS-04 finds jobs that nobody releases, rows that nobody deletes, and messages that did not leave', async () => {
  const { id, admin } = await createAccount(service)
  const insert = (columns: string, values: string) =>
    `insert into deliveries (account_id, recipient, channel, purpose, user_id, ${columns})
     values ('${id}', '${admin.email}', 'email', 'verify_email', '${admin.id}', ${values})`
  const jobs = (hours: number) =>
    `create schema if not exists graphile_worker; drop view if exists graphile_worker.jobs cascade;
     create view graphile_worker.jobs as select now() - interval '${hours} hours' as locked_at`
  const cases: [change: string, check: string, expected: RegExp | null][] = [
    [jobs(5), 'job of the queue', /^1 jobs are locked/],
    [jobs(4), 'job of the queue', null],
    ['drop view if exists graphile_worker.jobs cascade', 'job of the queue', null],
    ["insert into queue_message_ids values ('old', app.now() - interval '2 days')", 'old rows', null],
    [insert('created_at', "app.now() - interval '182 days'"), 'old rows', /^deliveries: rows since \d{4}-/m],
    [insert('state, attempts', "'failed', 4"), 'reached their channel', /^email: [1-9]\d* of \d+ failed$/m],
    [
      `insert into mail_counts values ('${id}', date_trunc('day', app.now(), 'UTC'), 3, 2)`,
      'left out',
      new RegExp(`^account ${id}: 2 left out, 3 allowed$`, 'm'),
    ],
    [
      `insert into mail_counts values ('${id}', date_trunc('day', app.now(), 'UTC') - interval '2 days', 3, 2)`,
      'left out',
      null,
    ],
  ]
  for (const [change, check, expected] of cases) {
    const text = (await findAfter(change, check)).problems.join('\n')
    if (expected) expect(text, change).toMatch(expected)
    else expect(text, change).not.toMatch(new RegExp(`${id}|jobs are locked|check failed`))
  }
})

it('a check whose statement fails is a problem, and the lines name at most ten problems with the remedy', async () => {
  const failing = await runCheck(client, { name: 'x', remedy: 'r', sql: 'select no_such_column as problem' })
  expect(failing.problems).toEqual(['The check failed: column "no_such_column" does not exist'])
  const finding = {
    name: 'rows are there',
    remedy: 'Look.',
    isWarning: false,
    problems: Array.from({ length: 12 }, (_, n) => `row ${n}`),
  }
  const lines = describeFinding(finding)
  expect([lines[0], lines.length, lines.at(-2)?.trim(), lines.at(-1)?.trim()]).toEqual([
    'PROBLEM  rows are there: no',
    13,
    'and 2 more',
    'Look.',
  ])
  expect(describeFinding({ ...finding, problems: [] })).toEqual(['ok       rows are there'])
})
