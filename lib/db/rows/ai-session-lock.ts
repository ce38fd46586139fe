import { type RawBuilder, sql } from 'kysely'
import type { WriteDb } from '../scope.ts'
import { statement } from '../statement.ts'
import type { AiSessionRow } from './ai-session.ts'
import { ownAiSession } from './ai-session-queries.ts'

/** What decides whether a caller may change a session. */
export type Standing = Pick<AiSessionRow, 'is_owner' | 'status' | 'psa_ticket_id' | 'state_version'>
const standing = (id: string) => sql<Standing>`
  select app.owns_ai_session(s) as is_owner, s.status, s.psa_ticket_id, s.state_version
    from ai_sessions s where s.account_id = app.account_id() and s.id = ${id} and app.sees_ai_session(s)`

/**
 * Runs statements on a session, one after the other, while nobody else changes it: each sees all that was done before. Answers how the
 * session stands after them, undefined when the caller does not see it, and the rows of each.
 */
export async function holdingAiSession<const Q extends readonly RawBuilder<unknown>[]>(db: WriteDb, id: string, writes: Q) {
  const hold = sql`select s.id from ai_sessions s where ${ownAiSession(id)} for update`
  const results = await db.batch([hold, ...writes, standing(id)].map((write) => statement(db, write)))
  const [session] = results.at(-1) as Standing[]
  return { session, rows: results.slice(1, -1) as { [K in keyof Q]: Q[K] extends RawBuilder<infer Row> ? Row[] : never } }
}
