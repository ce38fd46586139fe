import { sql } from 'kysely'
import * as z from 'zod'
import { clip } from '../chat/chat.ts'
import type { WriteDb } from '../db/scope.ts'
import { writeStatement } from '../db/statement.ts'

/** A push: a note that is queued for a ticket. */
export interface NewPush {
  /** The provider's id of the ticket. */
  ticketId: string
  /** Plain text, cut to 30,000 characters. */
  body: string
  /** Whether the client must not see it. */
  internal: boolean
  sourceKind: 'session' | 'ai_session' | 'output'
  sourceId: string
}

/** Maximum length of a note, in characters. */
export const maxPushLength = 30_000

export const insertPush = writeStatement(
  z.object({ id: z.string() }),
  ({ ticketId, body, internal, sourceKind, sourceId }: NewPush) => sql`
    insert into psa_pushes (ticket_id, body, internal, source_kind, source_id)
    select ${ticketId}, ${clip(body, maxPushLength)}, ${internal}, ${sourceKind}, ${sourceId}
     where exists (select from psa_connections c where c.account_id = app.account_id() and c.is_active)
    returning id`,
)

/** Insert and enqueue a push in the transaction of `db`. Return its id, or null when the account has no active connection. */
export async function enqueuePush(db: WriteDb, push: NewPush): Promise<string | null> {
  const inserted = await insertPush.first(db, push)
  if (inserted) db.outbox({ kind: 'push', id: inserted.id, attempt: 1 })
  return inserted?.id ?? null
}
