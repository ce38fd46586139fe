import type { Service } from '#test/support/app.ts'

// A refused request may write these: the audit log and the stored responses of idempotency keys.
const ignoredTables = new Set(['audit_logs', 'idempotency_keys'])
/** A live event of an earlier request is deleted once it was published, perhaps during the next request. */
export const passingTables = ['stream_events']
const userTables = [
  'passwords',
  'one_time_tokens',
  'email_changes',
  'identities',
  'totp_factors',
  'recovery_codes',
  'passkeys',
]
// A transactional e-mail of an earlier request may be sent during the next one.
const exceptPendingMails = 'and purpose is null'
const checkedColumns: Readonly<Record<string, string>> = {
  // A ticket that an earlier callback named may be read during the next request, and an alert judged.
  psa_ticket_changes: '(x.id, x.ticket_id)::text',
  alerts: '(x.id, x.fingerprint)::text',
  // A refused call counts, and is the last error.
  alert_sources: '(x.id, x.name, x.updated_at)::text',
}
const statements = new Map<string, Promise<string>>()

/** Return the tables that have an account_id. */
export async function listTenantTables(service: Service): Promise<string[]> {
  const rows = await service.sql<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
  )
  return rows.map(({ name }) => name)
}

async function buildChecksumStatement(service: Service): Promise<string> {
  const checkedTables = (await listTenantTables(service)).filter(
    (table) => !ignoredTables.has(table) && !passingTables.includes(table),
  )
  const parts = [
    `select 'accounts' as t, md5(x::text) as h from accounts x where id = any($1)`,
    ...checkedTables.map(
      (table) =>
        `select '${table}', md5(${checkedColumns[table] ?? 'x::text'}) from ${table} x where account_id = any($1) ${table === 'deliveries' ? exceptPendingMails : ''}`,
    ),
    ...userTables.map(
      (table) =>
        `select '${table}', md5(x::text) from ${table} x join users u on u.id = x.user_id where u.account_id = any($1)`,
    ),
    `select 'refresh_tokens', md5(x::text) from refresh_tokens x join sign_ins s on s.id = x.sign_in_id where s.account_id = any($1)`,
    `select 'oauth_codes', md5(x::text) from oauth_codes x join sign_ins s on s.id = x.sign_in_id where s.account_id = any($1)`,
  ]
  return `select t, count(*) || ':' || md5(string_agg(h, '' order by h)) as h from (${parts.join(' union all ')}) r group by t order by t`
}

/** Return one checksum per table of the accounts' rows, so that a difference shows its table. */
export async function readChecksums(
  service: Service,
  ...accountIds: string[]
): Promise<Record<string, string>> {
  const statement = statements.get(service.api) ?? buildChecksumStatement(service)
  statements.set(service.api, statement)
  const rows = await service.sql<{ t: string; h: string }>(await statement, [accountIds])
  return Object.fromEntries(rows.map(({ t, h }) => [t, h]))
}
