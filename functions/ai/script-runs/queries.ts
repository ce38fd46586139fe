import { sql } from 'kysely'
import { oldestFirst, type PageQuery, pageEnd } from '#db/page.ts'
import { lockAiSession } from '#db/rows/ai-session-lock.ts'
import { isOwnAiSession } from '#db/rows/ai-session-queries.ts'
import { insertScriptRun, type NewScriptRun, ScriptRunRow, scriptRunColumns } from '#db/rows/script-runs.ts'
import type { WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { openStates } from '#rules/ai/session-values.ts'

export const selectRunsOfAiSession = readStatement(
  ScriptRunRow,
  (sessionId: string, page: PageQuery) => sql`
    select ${scriptRunColumns} from ai_sessions s join script_runs r on r.account_id = s.account_id and r.ai_session_id = s.id
     where s.account_id = app.account_id() and s.id = ${sessionId} and app.sees_ai_session(s)
     ${pageEnd(oldestFirst, page, 'r')}`,
)

export const insertRunOfAiSession = writeStatement(
  ScriptRunRow,
  (id: string, run: NewScriptRun) => sql`
    with r as (${insertScriptRun('ai_session_id', sql`(select s.id, s.created_at as began_at from ai_sessions s where ${isOwnAiSession(id, openStates)})`, run)}),
         updated_session as (
           update ai_sessions s set last_activity_at = app.now(), updated_at = app.now() from r where ${isOwnAiSession(id, openStates)})
    select ${scriptRunColumns} from r`,
)

/**
 * Insert a run. Return no run if the session has the most, is closed or is that of another engineer; the
 * state of the session tells which.
 */
export async function insertRun(db: WriteDb, sessionId: string, run: NewScriptRun) {
  const { session, rows } = await lockAiSession(db, sessionId, [insertRunOfAiSession.query(sessionId, run)])
  return { session, run: rows[0][0] }
}
