import { type Compilable, sql } from 'kysely'
import * as z from 'zod'
import { clip } from '../chat/chat.ts'
import { selectExportMasking } from '../db/rows/export-masking.ts'
import type { WriteDb } from '../db/scope.ts'
import { readStatement, writeStatement } from '../db/statement.ts'
import { mask } from '../text/mask.ts'

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

/** Condition on `psa_pushes p`: the same note was pushed within the last minute, for example by the first click of a double click. */
const isRecentDuplicate = ({ ticketId, body, internal, sourceId }: NewPush) => sql`
  p.account_id = app.account_id() and p.source_id = ${sourceId} and p.ticket_id = ${ticketId} and p.internal = ${internal}
  and p.state <> 'failed' and p.created_at > app.now() - interval '1 minute' and p.body = ${clip(body, maxPushLength)}`

/** Insert a push, unless the account has no active connection or the same note was pushed within the last minute. */
export const insertPush = writeStatement(
  z.object({ id: z.string() }),
  (push: NewPush) => sql`
    insert into psa_pushes (ticket_id, body, internal, source_kind, source_id)
    select ${push.ticketId}, ${clip(push.body, maxPushLength)}, ${push.internal}, ${push.sourceKind}, ${push.sourceId}
     where exists (select from psa_connections c where c.account_id = app.account_id() and c.is_active)
       and not exists (select from psa_pushes p where ${isRecentDuplicate(push)})
    returning id`,
)

/** Select the push of the same note within the last minute. */
export const selectRecentPush = readStatement(
  z.object({ id: z.string() }),
  (push: NewPush) => sql`select p.id from psa_pushes p where ${isRecentDuplicate(push)} order by p.created_at desc limit 1`,
)

/**
 * Insert and enqueue a push in the transaction of `db`. The statement `lockSource` runs first, so that concurrent pushes of the same source
 * wait for each other. Mask the note if the account masks its exports. Return its id, or the id of a push of the same note within the last
 * minute. Return null when the account has no active connection.
 */
export async function enqueuePush(db: WriteDb, push: NewPush, ...lockSource: Compilable[]): Promise<string | null> {
  const { is_masked } = await selectExportMasking.one(db)
  const note = is_masked ? { ...push, body: mask(push.body) } : push
  const results = await db.batch([...lockSource, insertPush.query(note), selectRecentPush.query(note)])
  const [inserted, recent] = results.slice(-2).map(([row]) => row as { id: string } | undefined)
  if (inserted) db.outbox({ kind: 'push', id: inserted.id, attempt: 1 })
  return recent?.id ?? null
}
