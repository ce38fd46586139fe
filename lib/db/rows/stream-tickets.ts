import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { writeStatement } from '#db/statement.ts'

const Owner = z.object({ user_id: z.string(), account_id: z.string(), sign_in_id: z.string() })

/** A reconnect renews the time for the next one. */
const connect = (hash: string, reconnectHash: string, condition: RawBuilder<unknown>) => sql`
  update stream_tickets t set reconnect_hash = ${reconnectHash}::bytea, expires_at = app.now() + interval '24 hours' from sign_ins s
   where t.hash = ${hash}::bytea and ${condition} and t.expires_at > app.now() and s.id = t.sign_in_id
  returning s.user_id, s.account_id, s.id as sign_in_id`

/**
 * Use a ticket once, and store the secret of the stream that it opens. Return whose it is, or undefined if it
 * was used or has expired.
 */
export const useStreamTicket = writeStatement(Owner, (hash: string, reconnectHash: string) =>
  connect(hash, reconnectHash, sql`t.reconnect_hash is null`),
)

/**
 * Return the owner of a used ticket if the secret is that of its stream, and the last connection began within
 * 24 hours.
 */
export const reconnectStream = writeStatement(Owner, (hash: string, reconnectHash: string) =>
  connect(hash, reconnectHash, sql`t.reconnect_hash = ${reconnectHash}::bytea`),
)
