import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { accountId, jsonb, now } from '#db/expressions.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { ConnectionRow } from '#vendors/psa/connection.ts'

/** Select the account's connection, active or not. */
export function selectConnection(db: ReadDb): Promise<ConnectionRow | undefined> {
  return db
    .selectFrom('psa_connections')
    .select([
      'id',
      'account_id',
      'provider',
      'base_url',
      sql<ConnectionRow['identity']>`identity`.as('identity'),
      'credentials',
    ])
    .select([
      'is_active',
      'time_rounding_minutes',
      'time_minimum_minutes',
      'resolved_statuses',
      'last_checked_at',
      'last_check_error',
      'created_at',
      'updated_at',
    ])
    .select(sql<string>`app.now()::timestamptz(3)`.as('now'))
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}

export interface ConnectionChange {
  provider: ConnectionRow['provider']
  base_url: string
  identity: Record<string, string | null>
  credentials: string
  is_active: boolean
  time_rounding_minutes: number
  time_minimum_minutes: number
  resolved_statuses: Record<string, string>
  /** Whether the address, the identity or a secret was given: then the last check says nothing any more. */
  changesAccess: boolean
}

/**
 * Insert or update the account's connection. `oldCredentials` are the encrypted credentials that the caller
 * read, or null for none. Return false if another request has changed the connection since.
 */
export const saveConnection = writeStatement(
  z.object({ id: z.string() }),
  (change: ConnectionChange, oldCredentials: string | null) => {
    const {
      provider,
      base_url,
      identity,
      credentials,
      is_active,
      time_rounding_minutes,
      time_minimum_minutes,
      resolved_statuses,
      changesAccess,
    } = change
    const keepsCheck = (column: RawBuilder<unknown>) =>
      sql`case when not ${changesAccess}::boolean then c.${column} end`
    return sql`
    insert into psa_connections as c (provider, base_url, identity, credentials, is_active, time_rounding_minutes, time_minimum_minutes,
                                      resolved_statuses)
    select ${provider}, ${base_url}, ${jsonb(identity)}, ${credentials}, ${is_active}, ${time_rounding_minutes}, ${time_minimum_minutes},
           ${jsonb(resolved_statuses)}
     where ${oldCredentials}::text is null or exists (select from psa_connections c where c.account_id = app.account_id() and c.credentials = ${oldCredentials})
    on conflict (account_id) do update set provider = excluded.provider, base_url = excluded.base_url, identity = excluded.identity,
      credentials = excluded.credentials, is_active = excluded.is_active,
      time_rounding_minutes = excluded.time_rounding_minutes, time_minimum_minutes = excluded.time_minimum_minutes,
      resolved_statuses = excluded.resolved_statuses, updated_at = app.now(),
      last_checked_at = ${keepsCheck(sql`last_checked_at`)}, last_check_error = ${keepsCheck(sql`last_check_error`)}
      where c.credentials = ${oldCredentials}
    returning c.id`
  },
)

export async function deleteConnection(db: WriteDb): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('psa_connections')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Store the result of a credentials check; `error` is null after a success. */
export async function recordCheck(db: WriteDb, id: string, error: string | null): Promise<void> {
  await db
    .updateTable('psa_connections')
    .set({ last_checked_at: now, last_check_error: error })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}
