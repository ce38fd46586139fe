import type { PlatformDb } from '#db/scope.ts'
import { openPlatformDb } from '#db/scope.ts'
import { eraseDueAccounts } from '#functions/accounts/erasure/service.ts'
import type { Services } from '#http/app.ts'
import { getFixture } from '#test/contract/fixtures.ts'
import { insertPublishedFlowRows } from '#test/contract/fixtures-flows.ts'
import { insertFollowUp } from '#test/contract/fixtures-oncall.ts'
import { listTenantTables } from '#test/contract/row-checksums.ts'
import { tenantOperations } from '#test/contract/two-accounts.ts'
import type { Service } from './app.ts'
import { openTestDatabase } from './databases.ts'
import type { Person, TestAccount } from './people.ts'

const skippedFixtures = ['accounts.restore', 'identity.credentials.resendVerification']

/** Insert what the requests of every operation need, and a row into each table that none of them needs. */
export async function fillAccount(service: Service, { id, admin }: TestAccount): Promise<void> {
  for (const op of tenantOperations)
    if (!skippedFixtures.includes(op.id)) await getFixture(op)(service, admin)
  await insertPublishedFlowRows(service, admin)
  await insertRest(service, id, admin)
  await insertCredentials(service, admin)
}

async function insertRest(service: Service, accountId: string, { id: userId }: Person): Promise<void> {
  const insert = (text: string) => service.sql(text, [accountId, userId])
  await insert(
    `insert into ai_calls (account_id, user_id, prompt, model, cost_micros, period_start) values ($1, $2, 'x', 'x', 1, now())`,
  )
  await insert(
    `insert into chat_links (account_id, sign_in_id, config_id, team, chat_user, request_id)
     select s.account_id, s.id, c.id, 'T1', 'U1', gen_random_uuid() from sign_ins s join notification_configs c on c.account_id = s.account_id
      where s.account_id = $1 and s.user_id = $2 limit 1`,
  )
  await insert(
    `insert into push_subscriptions (account_id, sign_in_id, endpoint_hash, sealed)
     select account_id, id, sha256(uuid_send(id)), 'x' from sign_ins where account_id = $1 and user_id = $2 limit 1`,
  )
  await insert(`insert into feedback (account_id, user_id, subject, message) values ($1, $2, 'x', 'x')`)
  await insert(
    `insert into idempotency_keys (account_id, user_id, operation, key, request) values ($1, $2, 'x', 'x', '')`,
  )
  await insert(`insert into onboarding (account_id, user_id, current_step) values ($1, $2, 1)`)
  await insert(
    `insert into phone_numbers (account_id, user_id, number, verified_at) values ($1, $2, '+4930123456', app.now()) on conflict do nothing`,
  )
  const insertForAccount = (text: string) => service.sql(text, [accountId])
  await insertForAccount(
    `insert into ai_budgets (account_id, period_start, used_micros) values ($1, now(), 1)`,
  )
  await insertForAccount(
    `insert into billing_events (id, account_id, occurred_at) values ('evt_' || $1::text, $1::uuid, now())`,
  )
  await insertForAccount(
    `insert into billing_customers (id, account_id, deleted_at) values ('cus_' || $1::text, $1::uuid, now())`,
  )
  await insertForAccount(
    `insert into billing_subscriptions (id, account_id, customer_id, status, created_at, event_id, event_at)
     values ('sub_' || $1::text, $1::uuid, 'cus_' || $1::text, 'canceled', now(), 'evt', now())`,
  )
  await insertForAccount(
    `insert into feature_overrides (account_id, feature, enabled) select $1, key, true from features limit 1`,
  )
  await insertForAccount(
    `insert into mail_counts (account_id, day) values ($1, date_trunc('day', now(), 'UTC'))`,
  )
  await insertForAccount(
    `insert into quota_counters (account_id, quota, period_start) values ($1, 'ai_builds', now())`,
  )
  // A change keeps the version before it.
  await insertForAccount('update script_templates set version = version + 1 where account_id = $1')
  await insertForAccount('update network_diagrams set version = version + 1 where account_id = $1')
  await insertForAccount(
    `insert into on_call_schedule_versions (account_id, schedule_id, timezone, rotations, people)
     select account_id, id, timezone, rotations, '{}' from on_call_schedules where account_id = $1 limit 1`,
  )
  await insertForAccount(
    `insert into account_export_parts (account_id, export_id, number, object_key, bytes, directory)
     select account_id, id, 1, 'accounts/' || account_id || '/exports/part', 1, '' from account_exports where account_id = $1 limit 1`,
  )
  await insertForAccount(
    `insert into account_import_records (account_id, import_id, kind, place, key, is_valid, length)
     select account_id, id, 'teams', 1, 'k', true, 1 from account_imports where account_id = $1 limit 1`,
  )
  await insertForAccount(
    `insert into kb_batches (account_id, created_by, source, address, total, state)
     select account_id, id, 'url', 'https://kb.example.com/', 1, 'succeeded' from users where account_id = $1 limit 1`,
  )
  await insertForAccount(
    `insert into kb_batch_items (account_id, batch_id, place, name) select account_id, id, 0, 'a.md' from kb_batches where account_id = $1 limit 1`,
  )
  await insertForAccount(`insert into psa_ticket_changes (account_id, ticket_id) values ($1, '4711')`)
  await insertForAccount(
    `insert into psa_rule_matches (account_id, rule_id, ticket_id) select account_id, id, '4711' from psa_rules where account_id = $1 limit 1`,
  )
  await insertFollowUp(service, accountId)
  await insertForAccount(
    `insert into weekly_reports (account_id, team_id, week, due_at, content) select account_id, id, '2026-W47', now(), '{}' from teams where account_id = $1`,
  )
  await insertForAccount(
    `insert into stream_events (account_id, event, data) values ($1, 'handoff_created', '{}')`,
  )
}

const hash = 'uuid_send(gen_random_uuid())'

/** Insert a row into each table about how a person signs in. */
export async function insertCredentials(service: Service, { id, signInId }: Person): Promise<void> {
  const insert = (text: string) => service.sql(text, [id])
  await insert(
    `insert into identities (provider, subject, user_id) values ('google', gen_random_uuid(), $1) on conflict do nothing`,
  )
  await insert(
    `insert into one_time_tokens (hash, user_id, purpose, expires_at) values (${hash}, $1, 'verify_email', now())`,
  )
  await insert(`insert into sign_in_challenges (hash, user_id, is_password) values (${hash}, $1, true)`)
  await insert(`insert into passkey_challenges (hash, user_id) values (${hash}, $1)`)
  await insert(`insert into recovery_codes (hash, user_id) values (${hash}, $1)`)
  const insertOfSignIn = (text: string) => service.sql(text, [signInId])
  await insertOfSignIn(`insert into refresh_tokens (hash, sign_in_id) values (${hash}, $1)`)
  await insertOfSignIn(
    `insert into stream_tickets (hash, sign_in_id, reconnect_hash, expires_at) values (${hash}, $1, ${hash}, now())`,
  )
}

/** List the tables with an account_id in which an account has no row. */
export async function listEmptyTables(service: Service, accountId: string): Promise<string[]> {
  const tables = await listTenantTables(service)
  const selects = tables.map(
    (table) => `select '${table}' as name where not exists (select from ${table} where account_id = $1)`,
  )
  return (await service.sql<{ name: string }>(selects.join(' union all '), [accountId])).map(
    ({ name }) => name,
  )
}

/**
 * Return every column of the database, the queue included, that contains one of the texts, as `table.column`.
 */
export async function findTraces(service: Service, texts: readonly string[]): Promise<string[]> {
  const tables = await service.sql<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p')`,
  )
  const selects = tables.map(
    ({ name }) => `select '${name}.' || e.key as name from ${name} x, jsonb_each_text(to_jsonb(x)) e
                    where x::text like any ($1) and e.value like any ($1)`,
  )
  const patterns = texts.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`)
  const rows = await service.sql<{ name: string }>(
    `select distinct name from (${selects.join(' union all ')}) t order by 1`,
    [patterns],
  )
  return rows.map(({ name }) => name)
}

/** Let the grace period of an account end now. */
export async function endGracePeriod(service: Service, { id, admin }: TestAccount): Promise<void> {
  await service.sql(
    `update accounts set deletes_at = app.now() - interval '1 second', deletion_requested_by = $2 where id = $1`,
    [id, admin.id],
  )
}

type Erasure = Parameters<typeof eraseDueAccounts>

/**
 * Return the job that erases accounts, with other ports or another platform connection where a test needs
 * them.
 */
export function createErasure(service: Service) {
  const { ports } = service.services as Services
  const platform = openPlatformDb(
    openTestDatabase(service.settings.DATABASE_PLATFORM_URL),
    'test',
    () => {},
  ) as PlatformDb
  const log: Record<string, unknown>[] = []
  const ctx = { ...ports, platform, log: (line: Record<string, unknown>) => void log.push(line) }
  return {
    log,
    erase: (changes: Partial<Erasure[0]> = {}, options?: Erasure[1]) =>
      eraseDueAccounts({ ...ctx, ...changes }, options),
  }
}
