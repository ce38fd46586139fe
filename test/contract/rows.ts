import type { Service } from '../support/app.ts'

// Kept beside the change on purpose: who did what, and the answers kept for a key, refusals among them.
const aside = new Set(['audit_logs', 'idempotency_keys'])
const ofUsers = ['passwords', 'one_time_tokens', 'identities']
// A mail that an earlier request asked for is sent beside the next one.
const sentLater = 'and purpose is null'
const statements = new Map<string, Promise<string>>()

/** The tables of schema public that belong to accounts. */
export async function tenantTables(service: Service): Promise<string[]> {
  const rows = await service.sql<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
  )
  return rows.map(({ name }) => name)
}

async function checksumStatement(service: Service): Promise<string> {
  const own = (await tenantTables(service)).filter((table) => !aside.has(table))
  const parts = [
    `select 'accounts' as t, md5(x::text) as h from accounts x where id = any($1)`,
    ...own.map(
      (table) => `select '${table}', md5(x::text) from ${table} x where account_id = any($1) ${table === 'deliveries' ? sentLater : ''}`,
    ),
    ...ofUsers.map(
      (table) => `select '${table}', md5(x::text) from ${table} x join users u on u.id = x.user_id where u.account_id = any($1)`,
    ),
    `select 'refresh_tokens', md5(x::text) from refresh_tokens x join sign_ins s on s.id = x.sign_in_id where s.account_id = any($1)`,
  ]
  return `select t, count(*) || ':' || md5(string_agg(h, '' order by h)) as h from (${parts.join(' union all ')}) r group by t order by t`
}

/** What the rows of accounts are at this moment, one line per table, so that a difference names its table. */
export async function rowsOf(service: Service, ...accountIds: string[]): Promise<Record<string, string>> {
  const statement = statements.get(service.api) ?? checksumStatement(service)
  statements.set(service.api, statement)
  const rows = await service.sql<{ t: string; h: string }>(await statement, [accountIds], 'rows')
  return Object.fromEntries(rows.map(({ t, h }) => [t, h]))
}
