import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { ConnectionRow } from '../../../lib/psa/connection.ts'

/** Select the account's connection, active or not. */
export async function selectConnection(db: ReadDb): Promise<ConnectionRow | undefined> {
  const { rows } = await sql<ConnectionRow>`
    select id, account_id, provider, base_url, identity, credentials, is_active, last_checked_at, last_check_error, created_at, updated_at,
           app.now()::timestamptz(3) as now
      from psa_connections where account_id = app.account_id()`.execute(db as WriteDb)
  return rows[0]
}

export interface ConnectionChange {
  provider: string
  base_url: string
  identity: Record<string, string | null>
  credentials: string
  is_active: boolean
}

/**
 * Insert or update the account's connection. `oldCredentials` are the encrypted credentials that the caller read, or null for none. Return
 * false if another request has changed the connection since.
 */
export async function saveConnection(db: WriteDb, change: ConnectionChange, oldCredentials: string | null): Promise<boolean> {
  const { provider, base_url, identity, credentials, is_active } = change
  const { rows } = await sql`
    insert into psa_connections as c (provider, base_url, identity, credentials, is_active)
    select ${provider}, ${base_url}, ${JSON.stringify(identity)}::jsonb, ${credentials}, ${is_active}
     where ${oldCredentials}::text is null or exists (select from psa_connections c where c.account_id = app.account_id() and c.credentials = ${oldCredentials})
    on conflict (account_id) do update set provider = excluded.provider, base_url = excluded.base_url, identity = excluded.identity,
      credentials = excluded.credentials, is_active = excluded.is_active, updated_at = app.now()
      where c.credentials = ${oldCredentials}
    returning c.id`.execute(db)
  return rows.length > 0
}

export async function deleteConnection(db: WriteDb): Promise<boolean> {
  return (await sql`delete from psa_connections where account_id = app.account_id() returning id`.execute(db)).rows.length > 0
}

/** Store the result of a credentials check; `error` is null after a success. */
export async function recordCheck(db: WriteDb, id: string, error: string | null): Promise<void> {
  await sql`
    update psa_connections set last_checked_at = app.now(), last_check_error = ${error}
     where account_id = app.account_id() and id = ${id}`.execute(db)
}
