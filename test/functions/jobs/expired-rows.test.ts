// @module-tag mechanism
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { expiries } from '#db/retention.ts'
import { openPlatformDb } from '#db/scope.ts'
import { deleteExpiredRows } from '#functions/jobs/service.ts'
import type { Services } from '#http/app.ts'
import { openPostgres } from '#platform/node/postgres.ts'
import { startOwnService } from '#test/support/app.ts'
import { createAccount, type Person } from '#test/support/people.ts'

// The work covers the rows of every account, so this file needs its own service.
const service = await startOwnService()
const { DATABASE_PLATFORM_URL = '' } = service.settings
let roundTrips = 0
const database = openPostgres({
  url: DATABASE_PLATFORM_URL,
  maxConnections: 2,
  onRoundTrip: () => roundTrips++,
})
const platform = openPlatformDb(database, 'test', () => {})
const log: Record<string, unknown>[] = []
const { uploads } = (service.services as Services).ports
const ctx = { platform, uploads, log: (line: Record<string, unknown>) => void log.push(line) }
afterAll(async () => {
  await database.close()
  await service.close()
})

let admin: Person
beforeAll(async () => {
  admin = (await createAccount(service)).admin
})

const tables = [
  'idempotency_keys',
  'sign_ins',
  'oauth_states',
  'flow_conversations',
  'one_time_tokens',
  'sign_in_attempts',
  'sign_in_challenges',
  'passkey_challenges',
  'stream_tickets',
  'mail_batches',
  'mail_counts',
  'ai_calls',
  'ai_tasks',
  'ai_sessions',
]
const age = "app.now() - interval '40 days' - n * interval '1 second'"
const rowCount = 25
const openSignIn =
  '(select id from sign_ins where account_id = $1::uuid and user_id = $2::uuid and expires_at > app.now() limit 1)'

/** Insert 25 expired rows of each kind. */
beforeEach(async () => {
  const { accountId, id } = admin
  const insert = (text: string) =>
    service.sql(`${text} from generate_series(1, ${rowCount}) n`, [accountId, id])
  await insert(`insert into idempotency_keys (account_id, user_id, operation, key, request, created_at)
    select $1::uuid, $2::uuid, 'x', gen_random_uuid()::text, '', ${age}`)
  await insert(`insert into sign_ins (account_id, user_id, expires_at) select $1::uuid, $2::uuid, ${age}`)
  await insert(`insert into oauth_states (hash, provider, code_verifier, nonce, expires_at)
    select uuid_send(gen_random_uuid()), 'google', $1::text, $2::text, ${age}`)
  await insert(`insert into flow_conversations (account_id, user_id, goal, tree_type, messages, expires_at)
    select $1::uuid, $2::uuid, 'x', 'procedural', '[]', ${age}`)
  await insert(`insert into one_time_tokens (hash, user_id, purpose, expires_at)
    select uuid_send(gen_random_uuid()), $2::uuid, 'verify_email', ${age} + 0 * length($1::text) * interval '1 second'`)
  await insert(`insert into sign_in_attempts (key, attempted_at, expires_at)
    select uuid_send(gen_random_uuid()), '{}', ${age} + 0 * length($1::text || $2::text) * interval '1 second'`)
  await insert(`insert into sign_in_challenges (hash, user_id, is_password, expires_at)
    select uuid_send(gen_random_uuid()), $2::uuid, true, ${age} + 0 * length($1::text) * interval '1 second'`)
  await insert(`insert into passkey_challenges (hash, user_id, expires_at)
    select uuid_send(gen_random_uuid()), $2::uuid, ${age} + 0 * length($1::text) * interval '1 second'`)
  await insert(`insert into stream_tickets (hash, sign_in_id, expires_at)
    select uuid_send(gen_random_uuid()), ${openSignIn}, ${age}`)
  await insert(`insert into ai_calls (account_id, user_id, prompt, model, cost_micros, period_start, created_at)
    select $1::uuid, $2::uuid, 'chat_turn', 'local', 1, app.now(), ${age} - interval '400 days'`)
  await insert(`insert into mail_batches (key, delivery_ids, created_at)
    select $1::text || $2::text || n, '{}', ${age}`)
  await insert(`insert into ai_tasks (account_id, user_id, sign_in_id, operation, path, body, created_at)
    select $1::uuid, $2::uuid, gen_random_uuid(), 'x', '/x', '', ${age}`)
  await insert(`insert into mail_counts (account_id, day)
    select $1::uuid, date_trunc('day', app.now(), 'UTC') - (40 + n + 0 * length($2::text)) * interval '1 day'`)
  await insert(`insert into ai_sessions (account_id, user_id, session_type, title, status, last_activity_at)
    select $1::uuid, $2::uuid, 'chat', 'x', 'active', ${age}`)
})

/** Count the expired rows of each kind that are left. */
async function countExpired(): Promise<Record<string, number>> {
  const old = (column: string) => `${column} < app.now() - interval '35 days'`
  const conditions = [
    old('created_at'),
    ...Array(8).fill(old('expires_at')),
    old('created_at'),
    old('day'),
    old('created_at'),
    old('created_at'),
    `${old('last_activity_at')} and status <> 'archived'`,
  ]
  const counts = tables.map(async (table, index) => {
    const [row] = await service.sql<{ n: number }>(
      `select count(*)::int as n from ${table} where ${conditions[index]}`,
    )
    return [table, row?.n ?? 0] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

const each = (count: number) => Object.fromEntries(tables.map((table) => [table, count]))

it('processes expired rows in batches until none is left, and keeps the others', async () => {
  await deleteExpiredRows(ctx, { batchSize: 10 })
  expect(await countExpired()).toEqual(each(0))
  // Two full batches and one of five rows of these kinds. The others are empty and are read once; 12 more
  // statements are for kinds of their own.
  expect(roundTrips).toBe(2 * tables.length + expiries.length + 13)
  expect((await admin.call('GET', '/auth/me')).status).toBe(200)
})

it('stops each kind after its time, and continues in the next minute', async () => {
  await deleteExpiredRows(ctx, { batchSize: 10, budgetMs: 0 })
  expect(await countExpired()).toEqual(each(rowCount - 10))
  await deleteExpiredRows(ctx, { batchSize: 10 })
  expect(await countExpired()).toEqual(each(0))
})

it('logs a kind that fails, processes the others, and throws', async () => {
  await service.sql(
    `create function fail_test() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
  )
  await service.sql(
    'create trigger fail_test before delete on sign_ins for each row execute function fail_test()',
  )
  await expect(deleteExpiredRows(ctx, { batchSize: 10 })).rejects.toThrow('refused')
  expect(await countExpired()).toEqual({ ...each(0), sign_ins: rowCount })
  expect(log).toEqual([{ deletion_failed: 'sign_ins', error: expect.objectContaining({ code: 'P0001' }) }])
  await service.sql('drop function fail_test cascade')
})
