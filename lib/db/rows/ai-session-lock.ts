import { type Compilable, type InferResult, sql } from 'kysely'
import * as z from 'zod'
import type { WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { AiSessionRow } from './ai-session.ts'
import { isOwnAiSession } from './ai-session-queries.ts'

/** The columns that decide whether a caller may change a session. */
const AiSessionState = AiSessionRow.pick({
  is_owner: true,
  status: true,
  psa_ticket_id: true,
  state_version: true,
})
export type AiSessionState = z.output<typeof AiSessionState>

export const selectAiSessionState = readStatement(
  AiSessionState,
  (id: string) => sql`
    select app.owns_ai_session(s) as is_owner, s.status, s.psa_ticket_id, s.state_version
      from ai_sessions s where s.account_id = app.account_id() and s.id = ${id} and app.sees_ai_session(s)`,
)

export const lockOwnAiSession = writeStatement(
  z.object({ id: z.string() }),
  (id: string) => sql`select s.id from ai_sessions s where ${isOwnAiSession(id)} for update`,
)

/**
 * Lock the caller's session and run statements in order, in one transaction. Return the session's state
 * afterwards, undefined when the caller may not see it, and the rows of each statement.
 */
export async function lockAiSession<const Q extends readonly Compilable[]>(
  db: WriteDb,
  id: string,
  queries: Q,
) {
  const results = await db.batch([lockOwnAiSession.query(id), ...queries, selectAiSessionState.query(id)])
  const [session] = results.at(-1) as AiSessionState[]
  return { session, rows: results.slice(1, -1) as { [K in keyof Q]: InferResult<Q[K]> } }
}
