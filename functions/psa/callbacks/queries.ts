import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, bytea } from '#db/expressions.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { Provider } from '#vendors/psa/psa.ts'

export function selectCallbacks(db: ReadDb): Promise<{ last_received_at: string | null } | undefined> {
  return db
    .selectFrom('psa_callbacks')
    .select('last_received_at')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}

/** Insert or replace the address. The arguments are hashes, in PostgreSQL's text form. */
export const saveCallbacks = writeStatement(
  z.object({ account_id: z.string() }),
  (connectionId: string, tokenHash: string, passwordHash: string) => sql`
    insert into psa_callbacks as c (connection_id, token_hash, password_hash)
    values (${connectionId}, ${bytea(tokenHash)}, ${bytea(passwordHash)})
    on conflict (account_id) do update set connection_id = excluded.connection_id, token_hash = excluded.token_hash,
      password_hash = excluded.password_hash, last_received_at = null
    returning c.account_id`,
)

export async function deleteCallbacks(db: WriteDb): Promise<void> {
  await db.deleteFrom('psa_callbacks').where('account_id', '=', accountId).execute()
}

const CallbackAddress = z.object({
  account_id: z.string(),
  base_url: z.string(),
  identity: z.custom<Record<string, string | null>>(),
  is_password_right: z.boolean(),
})
export type CallbackAddress = z.output<typeof CallbackAddress>

/** Select the connection of an address. Return no row for an unknown address or an inactive connection. */
export const selectAddress = readStatement(
  CallbackAddress,
  (provider: Provider, tokenHash: string, passwordHash: string) => sql`
    select c.account_id, p.base_url, p.identity, c.password_hash = ${bytea(passwordHash)} as is_password_right
      from psa_callbacks c join psa_connections p on p.account_id = c.account_id and p.id = c.connection_id
     where c.token_hash = ${bytea(tokenHash)} and p.provider = ${provider} and p.is_active`,
)

/** Count a verified callback of an account. Return no row when it has had `max` within a minute. */
export const countCallback = writeStatement(
  z.object({ account_id: z.string() }),
  (account: string, max: number) => {
    const isSameMinute = sql`c.counted_since > app.now() - interval '1 minute'`
    return sql`
    update psa_callbacks c
       set calls = case when ${isSameMinute} then c.calls + 1 else 1 end, last_received_at = app.now(),
           counted_since = case when ${isSameMinute} then c.counted_since else app.now() end
     where c.account_id = ${account} and (c.calls < ${max} or not ${isSameMinute}) returning c.account_id`
  },
)

/** Insert the tickets that do not wait already, unless 1,000 of the account wait. */
export const insertChanges = writeStatement(
  z.object({ id: z.string() }),
  (account: string, ticketIds: readonly string[]) => sql`
    insert into psa_ticket_changes (account_id, ticket_id)
    select ${account}, t.ticket_id from jsonb_array_elements_text(${JSON.stringify(ticketIds)}::jsonb) t (ticket_id)
     where (select count(*) < 1000 from (
             select from psa_ticket_changes o where o.account_id = ${account} and o.state in ('queued', 'retrying') limit 1000) o)
    on conflict (account_id, ticket_id) where state = 'queued' and attempts = 0 do nothing
    returning id`,
)
