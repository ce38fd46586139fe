import { sql } from 'kysely'
import * as z from 'zod'
import { oldestFirst, type PageQuery, pageEnd } from '#db/page.ts'
import { isOwnAiSession } from '#db/rows/ai-session-queries.ts'
import { hasFreeScriptRun } from '#db/rows/script-runs.ts'
import { mayChange } from '#db/rows/sessions.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { openStates } from '#rules/ai/session-values.ts'
import { RunnerRun } from './schemas.ts'

const RunRow = z.object(RunnerRun.shape)

/** The columns of `runner_runs r`. */
const columns = sql`
  r.id, coalesce(r.session_id, r.ai_session_id) as session_id, r.title, r.script_template_id, r.script_version, r.approval_id, r.agent_id, r.target,
  r.time_limit_seconds,
  case when r.state in ('queued', 'retrying') then case when r.is_unknown then 'unknown' when r.started_at is null then 'queued' else 'running' end
       when r.is_unknown then 'unknown' else r.state end as state,
  r.last_error as error, r.script_run_id, r.started_at, r.finished_at, r.requested_by, r.created_at`

/** A run that is stored with its message. `payload` is sealed. */
export interface NewRun {
  id: string
  session_id: string
  title: string
  script_template_id: string
  script_version: number
  step_id: string | null
  approval_id: string | null
  agent_id: string
  /** The client whose machine it must be; null when the case has none. */
  client_name: string | null
  time_limit_seconds: number
  payload: string
}

const runValues = (run: NewRun) => sql`
  s.id, ${run.id}::uuid, ${run.title}, ${run.script_template_id}::uuid, ${run.script_version}::integer, ${run.step_id}, ${run.approval_id}::uuid,
  ${run.agent_id}, ${run.client_name}, ${run.time_limit_seconds}::integer, ${run.payload}`
const runColumns = sql`id, title, script_template_id, script_version, step_id, approval_id, agent_id, client_name, time_limit_seconds, payload`

const editableSession = (id: string) => sql`
  s.account_id = app.account_id() and s.id = ${id} and s.state = 'in_progress' and ${mayChange}`

/** Lock the session, so that concurrent starts count each other. */
export const lockSession = writeStatement(
  z.object({ id: z.string() }),
  (id: string) => sql`select s.id from sessions s where ${editableSession(id)} for no key update`,
)

/** Insert a run. Return no row if the session has the most runs, or if the caller may not change it now. */
export const insertRunOfSession = writeStatement(
  RunRow,
  (run: NewRun) => sql`
    with r as (
      insert into runner_runs (session_id, ${runColumns}) select ${runValues(run)} from sessions s
       where ${editableSession(run.session_id)} and ${hasFreeScriptRun('session_id')} returning *)
    select ${columns} from r`,
)

/** As `insertRunOfSession`, for an AI session. */
export const insertRunOfAiSession = writeStatement(
  RunRow,
  (run: NewRun) => sql`
    with r as (
      insert into runner_runs (ai_session_id, ${runColumns}) select ${runValues(run)} from ai_sessions s
       where ${isOwnAiSession(run.session_id, openStates)} and ${hasFreeScriptRun('ai_session_id')} returning *)
    select ${columns} from r`,
)

export const selectRunsOfSession = readStatement(
  RunRow,
  (sessionId: string, page: PageQuery) => sql`
    select ${columns} from runner_runs r where r.account_id = app.account_id() and r.session_id = ${sessionId} ${pageEnd(oldestFirst, page, 'r')}`,
)

export const selectRunsOfAiSession = readStatement(
  RunRow,
  (sessionId: string, page: PageQuery) => sql`
    select ${columns} from ai_sessions s join runner_runs r on r.account_id = s.account_id and r.ai_session_id = s.id
     where s.account_id = app.account_id() and s.id = ${sessionId} and app.sees_ai_session(s) ${pageEnd(oldestFirst, page, 'r')}`,
)

/** Condition on `runner_runs r`: the caller may see its session. */
const isVisible = sql`(r.session_id is not null
  or exists (select from ai_sessions s where s.account_id = r.account_id and s.id = r.ai_session_id and app.sees_ai_session(s)))`

export const selectRun = readStatement(
  RunRow,
  (id: string) =>
    sql`select ${columns} from runner_runs r where r.account_id = app.account_id() and r.id = ${id} and ${isVisible}`,
)

/**
 * Cancel a run that the runner was not asked to start. Of a cancellation and a start only one changes the
 * row.
 */
export const cancelRun = writeStatement(
  RunRow,
  (id: string) => sql`
    with r as (
      update runner_runs r set state = 'cancelled', payload = null, next_attempt_at = null, finished_at = app.now()
       where r.account_id = app.account_id() and r.id = ${id} and r.state in ('queued', 'retrying') and r.started_at is null
         and (r.requested_by = app.user_id() or app.role() = 'admin') returning *)
    select ${columns} from r`,
)
