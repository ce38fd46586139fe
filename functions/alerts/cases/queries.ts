import { sql } from 'kysely'
import * as z from 'zod'
import { accountId } from '#db/expressions.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { Urgency } from '#rules/ai/session-values.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { attemptTable } from '#work/attempts.ts'
import { attemptStatements } from '#work/define-work.ts'

/** An alert that a worker has leased to open its case. */
export const ClaimedAlert = z.object({
  id: z.string(),
  account_id: z.string(),
  source_id: z.string(),
  attempts: z.int(),
  max_attempts: z.int(),
})
export type ClaimedAlert = z.output<typeof ClaimedAlert>

export const attempts = attemptStatements('alert', ClaimedAlert)

/** What becomes of an alert. */
export interface Outcome {
  verdict: 'opened' | 'ignored' | 'limited' | 'refused'
  reason: string | null
}

/**
 * Record the result of an attempt. `retrySeconds` is null when no attempt follows. Return no row when a later
 * attempt was made.
 */
export const completeAttempt = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedAlert, result: SendResult, outcome: Outcome | null, retrySeconds: number | null) =>
    attemptTable('alert').complete(
      claimed,
      result,
      retrySeconds,
      sql`, verdict = ${outcome?.verdict ?? null}, reason = ${outcome?.reason ?? null}`,
    ),
)

export interface SourceSettings {
  id: string
  name: string
  tree_id: string | null
  user_id: string
  schedule_id: string | null
  urgency: Urgency
  max_cases_per_hour: number
}

export function selectSource(db: ReadDb, id: string): Promise<SourceSettings | undefined> {
  return db
    .selectFrom('alert_sources')
    .select(['id', 'name', 'tree_id', 'user_id', 'schedule_id', 'urgency', 'max_cases_per_hour'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Make other statements that open a case for an alert of the account wait for the end of the transaction. */
export const lockCases = writeStatement(
  null,
  () => sql`select from pg_advisory_xact_lock(hashtextextended('alert_cases:' || app.account_id()::text, 0))`,
)

/** Lock a source before its alerts, as a call does. */
export async function lockSource(db: WriteDb, id: string): Promise<void> {
  await db
    .selectFrom('alert_sources')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .execute()
}

const LockedAlert = z.object({
  title: z.string(),
  body: z.string(),
  severity: z.string().nullable(),
  client_name: z.string().nullable(),
  asset_name: z.string().nullable(),
  is_firing: z.boolean(),
})
export type LockedAlert = z.output<typeof LockedAlert>

/** Lock an alert, so that a report of it waits until its case is opened. */
export const lockAlert = writeStatement(
  LockedAlert,
  (id: string) => sql`
    select a.title, a.body, a.severity, a.client_name, a.asset_name, a.status = 'firing' as is_firing
      from alerts a where a.account_id = app.account_id() and a.id = ${id} for update`,
)

/** Count the cases that alerts of the source, and of the account, have opened within an hour. */
export const countCases = readStatement(
  z.object({ of_source: z.int(), of_account: z.int() }),
  (sourceId: string) => sql`
    select count(*) filter (where a.source_id = ${sourceId})::integer as of_source, count(*)::integer as of_account
      from alerts a
     where a.account_id = app.account_id() and a.verdict = 'opened' and a.done_at > app.now() - interval '1 hour'`,
)

/** The case of an alert. */
export interface CaseIds {
  ai_session_id: string | null
  session_id: string | null
}

/** Record the case of an alert. */
export async function setCase(db: WriteDb, id: string, columns: CaseIds): Promise<void> {
  await db
    .updateTable('alerts')
    .set(columns)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Select the team of the scope. */
export const selectTeam = readStatement(
  z.object({ team_id: z.string().nullable() }),
  () => sql`select app.team_id() as team_id`,
)

/** Record that the admins are told of the limit of a source. Return no row if they were within an hour. */
export const markLimitTold = writeStatement(
  z.object({ id: z.string() }),
  (sourceId: string) => sql`
    update alert_sources s set limit_told_at = app.now()
     where s.account_id = app.account_id() and s.id = ${sourceId}
       and (s.limit_told_at is null or s.limit_told_at <= app.now() - interval '1 hour')
    returning s.id`,
)

/** Add the text of an alert to the session that it prepared. */
export async function insertAlertText(db: WriteDb, sessionId: string, title: string, content: string) {
  await db
    .insertInto('session_supporting_data')
    .values({ session_id: sessionId, kind: 'text', title, content })
    .execute()
}
