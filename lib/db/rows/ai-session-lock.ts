import { type RawBuilder, sql } from 'kysely'
import type { WriteDb } from '../scope.ts'
import { statement } from '../statement.ts'
import type { AiSessionRow } from './ai-session.ts'
import { isOwnAiSession } from './ai-session-queries.ts'

/** The columns that decide whether a caller may change a session. */
export type AiSessionState = Pick<AiSessionRow, 'is_owner' | 'status' | 'psa_ticket_id' | 'state_version'>
const aiSessionState = (id: string) => sql<AiSessionState>`
  select app.owns_ai_session(s) as is_owner, s.status, s.psa_ticket_id, s.state_version
    from ai_sessions s where s.account_id = app.account_id() and s.id = ${id} and app.sees_ai_session(s)`

/**
 * Lock the caller's session and run statements in order, in one transaction. Return the session's state afterwards, undefined when the
 * caller may not see it, and the rows of each statement.
 */
export async function lockAiSession<const Q extends readonly RawBuilder<unknown>[]>(db: WriteDb, id: string, writes: Q) {
  const lock = sql`select s.id from ai_sessions s where ${isOwnAiSession(id)} for update`
  const results = await db.batch([lock, ...writes, aiSessionState(id)].map((write) => statement(db, write)))
  const [session] = results.at(-1) as AiSessionState[]
  return { session, rows: results.slice(1, -1) as { [K in keyof Q]: Q[K] extends RawBuilder<infer Row> ? Row[] : never } }
}
