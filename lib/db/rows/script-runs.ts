import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '#db/expressions.ts'

// What scripts did on machines, in sessions of flows and in AI sessions.

const text = z.string()
const nullableText = z.string().nullable()
const nullableInteger = z.int().nullable()

const newRun = {
  step_id: nullableText,
  title: text,
  script_template_id: nullableText,
  script_version: nullableInteger,
  script: nullableText,
  approval_id: nullableText,
  target: text,
  exit_code: nullableInteger,
  output: text,
  started_at: text,
  ended_at: text,
}
/** `agent_id` is the machine at the runner, if the runner ran it, and `client_name` its client there. */
export type NewScriptRun = z.output<z.ZodObject<typeof newRun>> & {
  agent_id?: string
  client_name?: string | null
}

/** A run. Its `session_id` is that of its session, of either kind. */
export const ScriptRunRow = z.object({
  id: text,
  session_id: text,
  ...newRun,
  run_by: text,
  run_by_name: nullableText,
  created_at: text,
})

/** The most runs of a session. A page with all of them is smaller than the largest answer. */
export const maxScriptRuns = 40

/** The columns of `script_runs r`. */
export const scriptRunColumns = sql`
  r.id, coalesce(r.session_id, r.ai_session_id) as session_id, r.step_id, r.title, r.script_template_id, r.script_version, r.script, r.approval_id,
  r.target, r.exit_code, r.output, r.started_at, r.ended_at, r.run_by,
  (select u.full_name from users u where u.account_id = r.account_id and u.id = r.run_by) as run_by_name, r.created_at`

type Parent = 'session_id' | 'ai_session_id'
const caseTables = { session_id: 'sessions', ai_session_id: 'ai_sessions' } as const

/**
 * Condition on a session `s`: it has fewer script runs than the most, with those that the runner has not
 * ended.
 */
export const hasFreeScriptRun = (parent: Parent) => sql`
  (select count(*) from script_runs o where o.account_id = app.account_id() and o.${sql.ref(parent)} = s.id)
  + (select count(*) from runner_runs q where q.account_id = app.account_id() and q.${sql.ref(parent)} = s.id and q.state in ('queued', 'retrying'))
  < ${maxScriptRuns}`

/**
 * Insert a run of each session of `sessions`, a locked row with its id and its start, that has fewer than the most.
 * Its times are held between that start and now.
 */
export const insertScriptRun = (parent: Parent, sessions: RawBuilder<unknown>, run: NewScriptRun) => sql`
  insert into script_runs (${sql.ref(parent)}, step_id, title, script_template_id, script_version, script, approval_id, target, agent_id, client_name,
                           exit_code, output, started_at, ended_at)
  select s.id, n.step_id, n.title, n.script_template_id, n.script_version, n.script, n.approval_id, n.target, n.agent_id,
         coalesce(nullif(n.client_name, ''), (select c.client_name from ${sql.table(caseTables[parent])} c where c.account_id = app.account_id() and c.id = s.id)),
         n.exit_code, n.output,
         app.hold_time(n.started_at, s.began_at), app.hold_time(n.ended_at, s.began_at)
    from ${sessions} s,
         jsonb_to_record(${jsonb(run)}) n (step_id text, title text, script_template_id uuid, script_version integer, script text, approval_id uuid,
                                           target text, agent_id text, client_name text, exit_code integer, output text, started_at timestamptz, ended_at timestamptz)
   where ${hasFreeScriptRun(parent)}
  returning *`
