import { sql } from 'kysely'
import * as z from 'zod'
import { oldestFirst, type PageQuery, pageEnd } from '#db/page.ts'
import { insertScriptRun, type NewScriptRun, ScriptRunRow, scriptRunColumns } from '#db/rows/script-runs.ts'
import { mayChange } from '#db/rows/sessions.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'

export const selectRuns = readStatement(
  ScriptRunRow,
  (sessionId: string, page: PageQuery) => sql`
    select ${scriptRunColumns} from script_runs r where r.account_id = app.account_id() and r.session_id = ${sessionId}
     ${pageEnd(oldestFirst, page, 'r')}`,
)

/** Return the name and version that a template has now, if the caller may see it. */
export function selectTemplate(db: ReadDb, id: string) {
  return db.selectFrom('script_templates').select(['name', 'version']).where('id', '=', id).executeTakeFirst()
}

const editableSession = (id: string) => sql`
  select s.id, coalesce(s.started_at, s.created_at) as began_at from sessions s
   where s.account_id = app.account_id() and s.id = ${id} and ${mayChange}`

export const lockEditableSession = writeStatement(
  z.object({ id: z.string(), began_at: z.string() }),
  (id: string) => sql`${editableSession(id)} for no key update`,
)

export const insertRunOfSession = writeStatement(
  ScriptRunRow,
  (id: string, run: NewScriptRun) => sql`
    with r as (${insertScriptRun('session_id', sql`(${editableSession(id)})`, run)}) select ${scriptRunColumns} from r`,
)

/** Insert a run. Return undefined if the session has the most, or if the caller may not change it. */
export async function insertRun(db: WriteDb, sessionId: string, run: NewScriptRun) {
  const [, rows] = await db.batch([
    lockEditableSession.query(sessionId),
    insertRunOfSession.query(sessionId, run),
  ])
  return rows[0]
}
