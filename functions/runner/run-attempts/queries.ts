import { sql } from 'kysely'
import * as z from 'zod'
import { insertScriptRun, type NewScriptRun } from '#db/rows/script-runs.ts'
import { writeStatement } from '#db/statement.ts'
import { Time } from '#http/fields.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { attemptTable } from '#work/attempts.ts'
import { attemptStatements } from '#work/define-work.ts'

const runTable = attemptTable('runner_run')

/** A run that a worker has leased for an attempt. */
export const ClaimedRun = z.object({
  id: z.string(),
  account_id: z.string(),
  session_id: z.string().nullable(),
  ai_session_id: z.string().nullable(),
  title: z.string(),
  script_template_id: z.string(),
  script_version: z.int(),
  step_id: z.string().nullable(),
  approval_id: z.string().nullable(),
  agent_id: z.string(),
  target: z.string().nullable(),
  time_limit_seconds: z.int(),
  payload: z.string().nullable(),
  /** When the runner was asked to start the script; null before. */
  started_at: Time.nullable(),
  running_seconds: z.number().nullable(),
  requested_by: z.string(),
  attempts: z.int(),
  max_attempts: z.int(),
})
export type ClaimedRun = z.output<typeof ClaimedRun>

export const attempts = attemptStatements('runner_run', ClaimedRun, {
  computed: { running_seconds: sql`extract(epoch from app.now() - started_at)::float8` },
})

/**
 * Mark that the runner will be asked to start the script now. Return no row when it was marked before, when
 * the approval no longer holds, when it has waited for 15 minutes, or when another attempt has been claimed
 * since.
 */
export const markStart = writeStatement(
  z.object({ started_at: Time }),
  ({ id, attempts }: ClaimedRun, target: string) => sql`
    update runner_runs r set started_at = app.now(), target = ${target}
     where r.account_id = app.account_id() and r.id = ${id} and r.attempts = ${attempts} and r.state in ('queued', 'retrying') and r.started_at is null
       and r.created_at > app.now() - interval '15 minutes'
       and (r.approval_id is null or exists (
         select from approvals a where a.account_id = r.account_id and a.id = r.approval_id and a.state = 'approved' and a.expires_at > app.now()))
    returning app.iso(r.started_at) as started_at`,
)

/** Make the run due again, without a limit of attempts. */
export const continueRun = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedRun, delaySeconds: number) => runTable.continue(claimed, sql``, delaySeconds),
)

/** How an attempt ended. `unknown`: the script may have run, and nobody knows how it ended. */
export type RunOutcome = { result: SendResult; isUnknown: boolean; retrySeconds: number | null }

/**
 * Record the result of an attempt. Return no row when a later attempt was made, or when the run was
 * cancelled.
 */
export const completeAttempt = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedRun, { result, isUnknown, retrySeconds }: RunOutcome) => {
    const ended = sql`, is_unknown = ${isUnknown}, payload = null, finished_at = app.now()`
    return runTable.complete(claimed, result, retrySeconds, retrySeconds === null ? ended : sql``)
  },
)

/**
 * Insert the record of a run that has ended, by who started it, and keep its id. The session has a place for
 * it.
 */
export const insertScriptRunOf = writeStatement(
  z.object({ id: z.string() }),
  ({ id, session_id, ai_session_id }: ClaimedRun, run: NewScriptRun) => sql`
    with r as (${insertScriptRun(
      session_id ? 'session_id' : 'ai_session_id',
      sql`(select ${session_id ?? ai_session_id}::uuid as id)`,
      run,
    )})
    update runner_runs u set script_run_id = r.id from r where u.account_id = r.account_id and u.id = ${id} returning r.id`,
)
