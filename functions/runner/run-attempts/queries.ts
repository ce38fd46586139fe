import { sql } from 'kysely'
import * as z from 'zod'
import { insertScriptRun, type NewScriptRun } from '#db/rows/script-runs.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { Time } from '#http/fields.ts'
import { openStates } from '#rules/ai/session-values.ts'
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
  client_name: z.string().nullable(),
  time_limit_seconds: z.int(),
  payload: z.string().nullable(),
  /** When the runner was asked to start the script; null before. */
  started_at: Time.nullable(),
  running_seconds: z.number().nullable(),
  /** Whether the run is unknown for now, and has a record that says so. */
  is_unknown: z.boolean(),
  requested_by: z.string(),
  attempts: z.int(),
  max_attempts: z.int(),
})
export type ClaimedRun = z.output<typeof ClaimedRun>

export const attempts = attemptStatements('runner_run', ClaimedRun, {
  computed: { running_seconds: sql`extract(epoch from app.now() - started_at)::float8` },
})

/**
 * Why the run `r` may not start now, or null: what the request has asked is asked again. `agent` is what the
 * runner says of the machine.
 */
const refusal = (agent: { name: string; client: string }) => sql<string | null>`
  coalesce(app.why_closed(r.account_id, case when r.ai_session_id is not null then 'ai_sessions' end),
  case when r.created_at <= app.now() - interval '15 minutes' then 'The run has waited for too long'
       when not exists (select from users u where u.account_id = r.account_id and u.id = r.requested_by and app.can_work(u))
         then 'Whoever asked for the run may no longer run scripts'
       when not (case when r.session_id is not null then exists (
                   select from sessions s join users u on u.account_id = s.account_id and u.id = r.requested_by
                    where s.account_id = r.account_id and s.id = r.session_id and s.state = 'in_progress' and (s.user_id = u.id or u.role = 'admin'))
                 else exists (
                   select from ai_sessions s
                     join users u on u.account_id = s.account_id and u.id = r.requested_by
                     join users o on o.account_id = s.account_id and o.id = coalesce(s.picked_up_by_id, s.user_id)
                    where s.account_id = r.account_id and s.id = r.ai_session_id and s.status in (${sql.join(openStates)})
                      and (u.id in (s.user_id, s.picked_up_by_id)
                           or (not app.can_work(o) and (u.role = 'admin' or (u.team_role = 'admin' and u.team_id = s.team_id))))) end)
         then 'The case has ended, or is no longer in the hands of whoever asked for the run'
       when not exists (select from script_templates t where t.id = r.script_template_id and t.version = r.script_version)
         then 'The script template was changed or deleted'
       when app.name_key(r.client_name) <> app.name_key(${agent.client}) then 'The machine belongs to another client'
       when exists (select from runner_connections c where c.account_id = r.account_id and c.updated_at > r.created_at)
         then 'The connection to the runner was changed'
       when r.approval_id is not null and not exists (
         select from approvals a left join sessions s on s.account_id = a.account_id and s.id = a.session_id
          where a.account_id = r.account_id and a.id = r.approval_id and a.state = 'approved' and a.expires_at > app.now()
            and (a.ai_session_id = r.ai_session_id
                 or (a.session_id = r.session_id and a.seq = s.answered and a.step_id is not distinct from s.current_step_id))
            and a.agent_id = r.agent_id and a.target = ${agent.name} and a.client_name = ${agent.client})
         then 'The approval no longer holds'
       end)`

/** Select why a run may not start; null if it may, or if it is over. */
export const selectRefusal = readStatement(
  z.object({ reason: z.string().nullable() }),
  ({ id }: ClaimedRun, agent: { name: string; client: string }) => sql`
    select ${refusal(agent)} as reason from runner_runs r where r.account_id = app.account_id() and r.id = ${id}`,
)

/**
 * Mark that the runner will be asked to start the script now, and use up its approval. Return no row when it
 * was marked before, when it may not start any more, or when another attempt has been claimed since.
 */
export const markStart = writeStatement(
  z.object({ started_at: Time }),
  ({ id, attempts }: ClaimedRun, agent: { name: string; client: string }) => sql`
    with started as (
      update runner_runs r set started_at = app.now(), target = ${agent.name}, client_name = ${agent.client}
       where r.account_id = app.account_id() and r.id = ${id} and r.attempts = ${attempts} and r.state in ('queued', 'retrying')
         and r.started_at is null and ${refusal(agent)} is null
      returning r.account_id, r.approval_id, r.started_at),
    used as (
      update approvals a set state = 'used' from started where a.account_id = started.account_id and a.id = started.approval_id)
    select app.iso(started_at) as started_at from started`,
)

/** Make the run due again, without a limit of attempts. */
export const continueRun = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedRun, delaySeconds: number) => runTable.continue(claimed, sql``, delaySeconds),
)

/** Make the run due again, and say for now that nobody knows how it ended. */
export const continueLateRun = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedRun, delaySeconds: number, reason: string) =>
    runTable.continue(claimed, sql`, is_unknown = true`, delaySeconds, reason),
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
      sql`(select ${session_id ?? ai_session_id}::uuid as id, '-infinity'::timestamptz as began_at)`,
      run,
    )})
    update runner_runs u set script_run_id = r.id from r where u.account_id = r.account_id and u.id = ${id} returning r.id`,
)
