import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { accountId, jsonb, now } from '#db/expressions.ts'
import { oldestFirst, type PageQuery, selectPage } from '#db/page.ts'
import type { Fix } from '#db/rows/ai-session.ts'
import { type AiSessionState, lockAiSession } from '#db/rows/ai-session-lock.ts'
import { fixItem, isOwnAiSession } from '#db/rows/ai-session-queries.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { OutcomePatch } from '#functions/ai/sessions/schemas.ts'
import type { Language } from '#rules/scripts/schema.ts'
import type { FixId, ScriptPatch } from './schemas.ts'

const isOpenFix = sql`x.status in ('proposed', 'applied_partial', 'applied_pending')`

const fix = sql<Fix>`jsonb_build_object(${fixItem})`

export async function selectFixes(db: ReadDb, sessionId: string, page: PageQuery): Promise<Fix[]> {
  const rows = await db
    .selectFrom('ai_sessions as s')
    .innerJoin('ai_fixes as x', (join) =>
      join.onRef('x.account_id', '=', 's.account_id').onRef('x.session_id', '=', 's.id'),
    )
    .select(fix.as('fix'))
    .where('s.account_id', '=', accountId)
    .where('s.id', '=', sessionId)
    .where(sql<boolean>`app.sees_ai_session(s)`)
    .$call(selectPage(oldestFirst, page, 'x'))
    .execute()
  return rows.map((row) => row.fix)
}

/** A fix and the state of its session. `fix` is undefined when the session has no such fix. */
export interface FixRow {
  session: AiSessionState | undefined
  fix: Fix | undefined
  language: Language | null
}

function selectFixRow(db: ReadDb, { session_id, fix_id }: FixId) {
  return db
    .selectFrom('ai_fixes as x')
    .select([fix.as('fix'), 'x.ai_drafted_language as language'])
    .where('x.account_id', '=', accountId)
    .where('x.session_id', '=', session_id)
    .where('x.id', '=', fix_id)
}

export async function selectFix(db: WriteDb, ids: FixId): Promise<FixRow> {
  const { session, rows } = await lockAiSession(db, ids.session_id, [selectFixRow(db, ids)])
  return { session, fix: rows[0][0]?.fix, language: rows[0][0]?.language ?? null }
}

/** Record activity in the session. */
export async function touchSession(db: WriteDb, sessionId: string): Promise<void> {
  await db
    .updateTable('ai_sessions as s')
    .set({ last_activity_at: now })
    .where(isOwnAiSession(sessionId))
    .execute()
}

/** If `condition` holds, update the fix and increment the session's state_version. */
export const updateFixIf = writeStatement(
  z.object({ id: z.string() }),
  (ids: FixId, assignments: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`
    with x as (
      update ai_fixes x set ${assignments}, updated_at = app.now() from ai_sessions s
       where ${isOwnAiSession(ids.session_id)} and x.account_id = s.account_id and x.session_id = s.id and x.id = ${ids.fix_id} and ${condition}
      returning x.id
    ), updated_session as (
      update ai_sessions s set state_version = s.state_version + 1, last_activity_at = app.now(), updated_at = app.now()
        from x where ${isOwnAiSession(ids.session_id)}
    ) select id from x`,
)

/** Update the fix if `condition` holds. Return the current fix in either case. */
async function updateFix(
  db: WriteDb,
  ids: FixId,
  assignments: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
): Promise<FixRow & { isChanged: boolean }> {
  const { session, rows } = await lockAiSession(db, ids.session_id, [
    updateFixIf.query(ids, assignments, condition),
    selectFixRow(db, ids),
  ])
  return {
    session,
    isChanged: rows[0].length > 0,
    fix: rows[1][0]?.fix,
    language: rows[1][0]?.language ?? null,
  }
}

export function applyFix(db: WriteDb, ids: FixId) {
  return updateFix(db, ids, sql`applied_at = app.now()`, sql`x.status = 'proposed' and x.applied_at is null`)
}

export function clearProposal(db: WriteDb, ids: FixId) {
  return updateFix(db, ids, sql`ai_outcome_proposal = null`, sql`x.ai_outcome_proposal is not null`)
}

/** Return the columns that explain an outcome. */
function toExplanationColumns({ outcome, notes, reason }: OutcomePatch): Record<string, string | null> {
  switch (outcome) {
    case 'applied_partial':
      return { partial_notes: notes ?? null }
    case 'applied_pending':
      return { pending_reason: reason ?? null }
    case 'applied_failed':
      return { failure_reason: notes ?? null }
    case 'applied_success':
    case 'dismissed':
      return {}
  }
}

export function recordOutcome(db: WriteDb, ids: FixId, patch: OutcomePatch) {
  const { outcome } = patch
  const columnValues: [string, string | null][] = [
    ['status', outcome],
    ...Object.entries(toExplanationColumns(patch)),
  ]
  const assignments = [
    ...columnValues.map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    sql`ai_outcome_proposal = null`,
    ...(outcome === 'dismissed' ? [] : [sql`applied_at = coalesce(x.applied_at, app.now())`]),
    ...(outcome === 'applied_success' || outcome === 'applied_failed' ? [sql`verified_at = app.now()`] : []),
  ]
  const differences = columnValues.map(
    ([column, value]) => sql`x.${sql.ref(column)} is distinct from ${value}`,
  )
  return updateFix(
    db,
    ids,
    sql.join(assignments),
    sql`${isOpenFix} and (x.ai_outcome_proposal is not null or ${sql.join(differences, sql` or `)})`,
  )
}

export function updateScript(db: WriteDb, ids: FixId, { script, parameters, language }: ScriptPatch) {
  const assignments = [
    sql`ai_drafted_script = ${script}`,
    sql`ai_drafted_language = coalesce(${language ?? null}, x.ai_drafted_language, 'powershell')`,
    ...(parameters ? [sql`ai_drafted_parameters = ${jsonb(parameters)}`] : []),
  ]
  const differences = [
    sql`x.ai_drafted_script is distinct from ${script}`,
    ...(language ? [sql`x.ai_drafted_language is distinct from ${language}`] : []),
    ...(parameters ? [sql`x.ai_drafted_parameters <> ${jsonb(parameters)}`] : []),
  ]
  return updateFix(
    db,
    ids,
    sql.join(assignments),
    sql`${isOpenFix} and (${sql.join(differences, sql` or `)})`,
  )
}
