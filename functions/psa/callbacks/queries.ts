import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, bytea } from '../../../lib/db/expressions.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { writeStatement } from '../../../lib/db/statement.ts'
import type { Provider } from '../../../lib/psa/psa.ts'

export function selectCallbacks(db: ReadDb): Promise<{ last_received_at: string | null } | undefined> {
  return db.selectFrom('psa_callbacks').select('last_received_at').where('account_id', '=', accountId).executeTakeFirst()
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

const CallbackCall = z.object({
  account_id: z.string(),
  base_url: z.string(),
  identity: z.custom<Record<string, string | null>>(),
  /** Calls since the start of the minute, this one included. */
  calls: z.int(),
  is_password_right: z.boolean(),
})

/** Count a call to an address, and return its connection. Return no row for an unknown address or an inactive connection. */
export const countCall = writeStatement(
  CallbackCall,
  (provider: Provider, tokenHash: string, passwordHash: string) => sql`
    update psa_callbacks c
       set calls = case when c.counted_since > app.now() - interval '1 minute' then c.calls + 1 else 1 end,
           counted_since = case when c.counted_since > app.now() - interval '1 minute' then c.counted_since else app.now() end
      from psa_connections p
     where c.token_hash = ${bytea(tokenHash)} and p.account_id = c.account_id and p.id = c.connection_id and p.provider = ${provider} and p.is_active
    returning c.account_id, p.base_url, p.identity, c.calls, c.password_hash = ${bytea(passwordHash)} as is_password_right`,
)

/** Insert the tickets that do not wait already, unless 1,000 of the account wait, and record the time of the callback. */
export const insertChanges = writeStatement(
  z.object({ id: z.string() }),
  (account: string, ticketIds: readonly string[]) => sql`
    with received as (update psa_callbacks set last_received_at = app.now() where account_id = ${account})
    insert into psa_ticket_changes (account_id, ticket_id)
    select ${account}, t.ticket_id from jsonb_array_elements_text(${JSON.stringify(ticketIds)}::jsonb) t (ticket_id)
     where (select count(*) < 1000 from (
             select from psa_ticket_changes o where o.account_id = ${account} and o.state in ('queued', 'retrying') limit 1000) o)
    on conflict (account_id, ticket_id) where state = 'queued' and attempts = 0 do nothing
    returning id`,
)
