import { beforeAll, expect, it } from 'vitest'
import { retention } from '#db/retention.ts'
import { openPlatformDb } from '#db/scope.ts'
import { deleteExpiredRows } from '#functions/jobs/service.ts'
import type { Services } from '#http/app.ts'
import { type Service, sharedService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { createFlow } from '#test/support/flows.ts'
import { createSchedule } from '#test/support/maintenance.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'

let service: Service
let account: TestAccount
let admin: Person
let deleteOld: () => Promise<void>
beforeAll(async () => {
  service = await sharedService()
  const platform = openPlatformDb(openTestDatabase(service.settings.DATABASE_PLATFORM_URL), 'test', () => {})
  const { uploads } = (service.services as Services).ports
  deleteOld = () => deleteExpiredRows({ platform, uploads, log: () => {} })
  account = await createAccount(service)
  admin = account.admin
})

const ago = (days: string | number) => `app.now() - ${days} * interval '1 day'`

/**
 * Run an INSERT … SELECT twice: once with a row that is one day too old for `limit` days, once with one that
 * is a day younger.
 */
async function insertOldAndNew(limit: number, insert: (time: string, n: number) => string) {
  await service.sql(insert(ago(limit + 1), 1), [account.id, admin.id])
  await service.sql(insert(ago(limit - 1), 2), [account.id, admin.id])
}

async function count(from: string): Promise<number> {
  const [row] = await service.sql<{ n: number }>(`select count(*)::int as n from ${from}`, [account.id])
  return row?.n ?? 0
}

/** Insert an ended AI session with a message and a step, and return the session's id. */
async function insertAiSession(days: number, status = 'archived'): Promise<string> {
  const [row] = await service.sql<{ id: string }>(
    `insert into ai_sessions (account_id, user_id, session_type, title, status, last_activity_at)
     select $1::uuid, $2::uuid, 'chat', 'x', '${status}', ${ago(days)} returning id`,
    [account.id, admin.id],
  )
  const id = row?.id ?? ''
  await insertMessage(id)
  await service.sql(
    `insert into ai_steps (account_id, session_id, seq, kind, text) values ($1, $2, 1, 'action', 'x')`,
    [account.id, id],
  )
  return id
}

const insertMessage = (id: string) =>
  service.sql(
    `insert into ai_messages (account_id, session_id, branch_id, role, content)
     select account_id, id, active_branch_id, 'assistant', 'x' from ai_sessions where id = $1`,
    [id],
  )

const countMessages = (id: string) => count(`ai_messages where account_id = $1 and session_id = '${id}'`)

it('RET-02 reads an index for each kind of rows that expires', async () => {
  const indexes = await service.sql<{ name: string }>(`
    select i.indrelid::regclass || ' ' || a.attname as name
      from pg_index i cross join lateral unnest(i.indkey[0:2]) k join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k`)
  const names = new Set(indexes.map(({ name }) => name))
  const columns = Object.entries(retention).flatMap(([table, policy]) =>
    policy.kind === 'expires' ? policy.expiries.map(({ column }) => `${table} ${column}`) : [],
  )
  expect(columns.filter((name) => !names.has(name))).toEqual([])
})

it('RET-02 deletes old events with their notifications and deliveries, old e-mails, runs and tokens, and keeps newer ones', async () => {
  const schedule = await createSchedule(admin)
  await insertOldAndNew(
    180,
    (time) => `
    with e as (insert into events (account_id, key, title, body, created_at) values ($1, 'test', '', '', ${time}) returning account_id, id),
         n as (insert into notifications (account_id, user_id, event_id, event_key, title, body) select account_id, $2, id, 'test', '', '' from e)
    insert into deliveries (account_id, event_id, channel, recipient, state, next_attempt_at)
    select account_id, id, 'email', 'a@example.com', 'delivered', null from e`,
  )
  await insertOldAndNew(
    180,
    (
      time,
    ) => `insert into deliveries (account_id, channel, recipient, purpose, user_id, state, next_attempt_at, created_at)
      values ($1, 'email', 'a@example.com', 'verify_email', $2, 'delivered', null, ${time})`,
  )
  await insertOldAndNew(
    400,
    (time, n) => `insert into billing_events (id, account_id, occurred_at, received_at)
      select 'evt_${n}' || $1::text, $1::uuid, ${time}, ${time} where $2::uuid is not null`,
  )
  await insertOldAndNew(
    400,
    (time) => `insert into maintenance_runs (account_id, schedule_id, due_at, trigger, status, error)
      select $1::uuid, '${schedule.id}'::uuid, ${time}, 'scheduled', 'missed', 'x' where $2::uuid is not null`,
  )
  await insertOldAndNew(
    35,
    (time) => `insert into refresh_tokens (hash, sign_in_id, used_at, created_at)
      select uuid_send(gen_random_uuid()), id, ${time}, ${time} from sign_ins
       where account_id = $1 and user_id = $2 and expires_at > app.now() limit 1`,
  )
  await deleteOld()
  expect({
    events: await count(`events where account_id = $1 and key = 'test'`),
    notifications: await count(`notifications where account_id = $1 and event_key = 'test'`),
    deliveries: await count(`deliveries where account_id = $1 and recipient = 'a@example.com'`),
    billing_events: await count('billing_events where account_id = $1'),
    maintenance_runs: await count('maintenance_runs where account_id = $1'),
    refresh_tokens: await count(
      `refresh_tokens t join sign_ins s on s.id = t.sign_in_id where s.account_id = $1 and t.created_at < ${ago(20)}`,
    ),
  }).toEqual({
    events: 1,
    notifications: 1,
    deliveries: 2,
    billing_events: 1,
    maintenance_runs: 1,
    refresh_tokens: 1,
  })
  expect((await admin.call('GET', '/auth/me')).status).toBe(200)
})

it('RET-02 leaves nothing old after 32 concurrent runs, and fails none of them', async () => {
  await service.sql(
    `insert into events (account_id, key, title, body, created_at) select $1, 'many', '', '', ${ago('(175 + n % 10)')}
       from generate_series(1, 2000) n`,
    [account.id],
  )
  await runConcurrently(deleteOld)
  expect(await count(`events where account_id = $1 and key = 'many'`)).toBe(1000)
})

it('RET-03 deletes what is older than the account keeps it', async () => {
  const settings = { audit_log_days: 365, notification_days: 30, ai_message_days: 30, session_days: 90 }
  const other = await createAccount(service)
  const sessions = [await createSession(admin), await createSession(admin), await createSession(admin)]
  const [old, young] = sessions.map(({ id }) => id)
  const complete = `update sessions set state = 'completed', outcome = 'resolved', completed_at = `
  await service.sql(`${complete} ${ago(91)} where id = $1`, [old])
  await service.sql(`${complete} ${ago(89)} where id = $1`, [young])
  await insertOldAndNew(
    365,
    (time) =>
      `insert into audit_logs (account_id, actor_id, action, resource_type, created_at) values ($1, $2, 'test', 'test', ${time})`,
  )
  await service.sql(
    `insert into audit_logs (account_id, action, resource_type, created_at) values ($1, 'test', 'test', ${ago(366)})`,
    [other.id],
  )
  const aiSession = await insertAiSession(31)
  await deleteOld()
  expect(await count(`audit_logs where account_id = $1 and action = 'test'`)).toBe(2)
  expect(await count('sessions where account_id = $1')).toBe(3)
  expect((await admin.call('PATCH', '/accounts/me', { retention: settings })).body.retention).toEqual(
    settings,
  )
  await deleteOld()
  expect(await count(`audit_logs where account_id = $1 and action = 'test'`)).toBe(1)
  expect(await count('sessions where account_id = $1')).toBe(2)
  expect(await countMessages(aiSession)).toBe(0)
  expect(
    (await other.admin.call('GET', '/accounts/me/audit-logs')).body.map(
      ({ action }: { action: string }) => action,
    ),
  ).toContain('test')
})

it('RET-03 refuses times outside the limits, changes only what is named, and audits the change', async () => {
  const { admin } = await createAccount(service)
  const patch = (retention: unknown) => admin.call('PATCH', '/accounts/me', { retention })
  const refused = [
    { audit_log_days: 364 },
    { notification_days: 29 },
    { ai_message_days: 3651 },
    { session_days: 89 },
    { x: 1 },
  ]
  for (const fields of refused) expect((await patch(fields)).status).toBe(422)
  const defaults = { audit_log_days: 730, notification_days: 180, ai_message_days: 730, session_days: null }
  expect((await patch({})).body.retention).toEqual(defaults)
  expect((await patch({ notification_days: 60 })).body.retention).toEqual({
    ...defaults,
    notification_days: 60,
  })
  const [entry] = (await admin.call('GET', '/accounts/me/audit-logs')).body
  expect(entry).toMatchObject({
    action: 'account.updated',
    changes: { notification_days: { from: 180, to: 60 } },
  })
})

it('RET-04 lets no role delete entries of the audit log but the function that deletes old ones', async () => {
  const rights = await service.sql(`
    select r, has_table_privilege(r, 'audit_logs', 'delete') as "deletes",
           has_function_privilege(r, 'app.delete_audit_logs(integer)', 'execute') as "calls"
      from unnest(array['app_runtime', 'app_platform']) r`)
  expect(rights).toEqual([
    { r: 'app_runtime', deletes: false, calls: false },
    { r: 'app_platform', deletes: false, calls: true },
  ])
})

it('RET-05 clears the text of a note 90 days after it was pushed, and keeps that of one that failed', async () => {
  const insert = (state: string, days: number) =>
    service.sql(
      `insert into psa_pushes (account_id, ticket_id, body, source_kind, source_id, requested_by, state, next_attempt_at, pushed_at)
       values ($1, '${state}-${days}', 'text', 'session', $1, $2, '${state}', null, ${ago(days)})`,
      [account.id, admin.id],
    )
  await insert('pushed', 91)
  await insert('pushed', 89)
  await insert('failed', 91)
  await deleteOld()
  const rows = await service.sql(
    'select ticket_id, body from psa_pushes where account_id = $1 order by ticket_id',
    [account.id],
  )
  expect(rows).toEqual([
    { ticket_id: 'failed-91', body: 'text' },
    { ticket_id: 'pushed-89', body: 'text' },
    { ticket_id: 'pushed-91', body: '[deleted]' },
  ])
})

it('RET-06 deletes the messages of a session that ended long ago, also when it continued meanwhile, and none of an open one', async () => {
  const [ended, open] = [await insertAiSession(731), await insertAiSession(731, 'escalated')]
  const recent = await insertAiSession(29)
  await deleteOld()
  expect([await countMessages(ended), await countMessages(open), await countMessages(recent)]).toEqual([
    0, 1, 1,
  ])
  expect((await admin.call('GET', `/ai-sessions/${ended}`)).status).toBe(200)
  await insertMessage(ended)
  await service.sql(`update ai_sessions set messages_deleted_at = ${ago(900)} where id = $1`, [ended])
  await deleteOld()
  expect(await countMessages(ended)).toBe(0)
})

/** Upload an image by SQL and put its object, some days ago. Return its id and key. */
async function insertUpload(days: number): Promise<{ id: string; key: string }> {
  const id = crypto.randomUUID()
  const key = `accounts/${account.id}/${id}.jpg`
  await (service.services as Services).ports.uploads.put(key, new Uint8Array([1]))
  await service.sql(
    `insert into uploads (id, account_id, object_key, content_type, width, height, size, sha256, created_at)
     values ($1, $2, $3, 'image/jpeg', 1, 1, 1, repeat('0', 64), ${ago(days)})`,
    [id, account.id, key],
  )
  return { id, key }
}

it('RET-07 deletes uploads that nothing uses after 7 days, with their objects', async () => {
  const { uploads } = (service.services as Services).ports
  const [unused, young, logo, noted] = [
    await insertUpload(8),
    await insertUpload(6),
    await insertUpload(8),
    await insertUpload(8),
  ]
  const session = await createSession(admin)
  await service.sql('update teams set branding_logo_upload_id = $2 where id = $1', [account.teamId, logo.id])
  await service.sql(
    `insert into session_supporting_data (account_id, session_id, kind, title, upload_id, created_by) values ($1, $2, 'screenshot', 'x', $3, $4)`,
    [account.id, session.id, noted.id, admin.id],
  )
  const aiSession = await insertAiSession(1)
  const sent = await insertUpload(8)
  await service.sql(
    `insert into ai_message_uploads (account_id, session_id, message_id, place, upload_id) select account_id, session_id, id, 0, $2 from ai_messages where session_id = $1`,
    [aiSession, sent.id],
  )
  await deleteOld()
  expect(await uploads.get(unused.key)).toBeNull()
  for (const { key } of [young, logo, noted, sent]) expect(await uploads.get(key)).not.toBeNull()
  await service.sql('delete from ai_messages where session_id = $1', [aiSession])
  await service.sql('delete from session_supporting_data where upload_id = $1', [noted.id])
  await deleteOld()
  for (const { key } of [noted, sent]) expect(await uploads.get(key)).toBeNull()
  expect(await service.sql('select from uploads where account_id = $1', [account.id])).toHaveLength(2)
})

it('RET-07 deletes an object again after the store has failed', async () => {
  const { uploads } = (service.services as Services).ports
  const { id, key } = await insertUpload(8)
  const platform = openPlatformDb(openTestDatabase(service.settings.DATABASE_PLATFORM_URL), 'test', () => {})
  const failing = { ...uploads, remove: () => Promise.reject(new Error('away')) }
  await expect(deleteExpiredRows({ platform, uploads: failing, log: () => {} })).rejects.toThrow('away')
  expect(await service.sql('select from uploads where id = $1', [id])).toEqual([])
  await deleteOld()
  expect(await uploads.get(key)).toBeNull()
  expect(await service.sql('select from deleted_objects where object_key = $1', [key])).toEqual([])
})

it('RET-08 deletes the versions of a deleted flow that no session has run, and the flow when nothing refers to it', async () => {
  const flows = [await createFlow(admin), await createFlow(admin), await createFlow(admin)]
  const [unused, used, young] = flows.map(({ id }) => id)
  for (const id of [used, unused])
    await service.sql(`update tree_versions set version = 7 where tree_id = $1`, [id])
  await service.sql(
    `insert into tree_versions (account_id, tree_id, version, status, name, tree_structure, tree_type, saved_by)
     select account_id, tree_id, 8, status, name, tree_structure, tree_type, saved_by from tree_versions where tree_id = any ($1)`,
    [[used, unused]],
  )
  await service.sql('update trees set version = 8 where id = any ($1)', [[used, unused]])
  const { id: session } = await createSession(admin, { tree_id: used })
  for (const id of [unused, used])
    await service.sql(`update trees set deleted_at = ${ago(91)} where id = $1`, [id])
  await service.sql(`update trees set deleted_at = ${ago(89)} where id = $1`, [young])
  await deleteOld()
  const versions = await service.sql<{ tree_id: string; version: number }>(
    'select tree_id, version from tree_versions where tree_id = any ($1) order by version desc',
    [flows.map(({ id }) => id)],
  )
  expect(versions).toEqual([
    { tree_id: used, version: 8 },
    { tree_id: young, version: 1 },
  ])
  expect(await service.sql('select id from trees where id = any ($1)', [[unused]])).toEqual([])
  expect((await admin.call('GET', `/sessions/${session}`)).status).toBe(200)
})
