import type { FastifyRequest } from 'fastify'
import { renderRun } from '#rules/flows/run-view.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { computeProgress } from '#rules/flows/step-navigation.ts'
import { isoTime, query } from './caller.ts'

const sessionColumns = `
  s.id, s.account_id, s.team_id, s.user_id, u.full_name as user_name, s.tree_account_id, s.tree_id, s.state, s.ticket_number, s.client_name,
  s.outcome, s.batch_id, s.target_label, s.current_step_id, s.parent_session_id, s.parent_step_id,
  s.subflow_session_id, s.answered, s.remaining, s.exported_at, s.assigned_at, s.started_at, s.completed_at, s.created_at,
  v.name, v.description, v.category, v.version, v.tree_type, s.variables,
  array(select jsonb_object_keys(s.secret_variables)) as secret_keys, s.notes, s.next_steps, v.tree_structure, v.intake_form`

/** Return SQL for the rows of a table that belong to `sessions s`, as a JSON list. */
function jsonList(
  table: string,
  columns: readonly string[],
  times: readonly string[],
  order: string,
): string {
  const pairs = [
    ...columns.map((column) => `'${column}', x.${column}`),
    ...times.map((column) => `'${column}', ${isoTime(`x.${column}`)}`),
    ...columns
      .filter((column) => column.endsWith('_by'))
      .map(
        (column) =>
          `'${column}_name', (select n.full_name from users n where n.account_id = x.account_id and n.id = x.${column})`,
      ),
  ]
  return `coalesce((select json_agg(json_build_object(${pairs.join(', ')}) order by ${order}) from ${table} x
            where x.account_id = s.account_id and x.session_id = s.id), '[]')`
}

const selectSessionText = `
  select ${sessionColumns},
         ${jsonList('session_decisions', ['step_id', 'option_id', 'outcome', 'note', 'duration_seconds', 'decided_by'], ['started_at', 'decided_at'], 'x.seq')} as decisions,
         ${jsonList('session_fallbacks', ['step_id', 'fallback_step_id', 'outcome', 'note', 'decided_by'], ['decided_at'], 'x.seq, x.id')} as fallback_decisions,
         ${jsonList(
           'session_custom_steps',
           [
             'id',
             'source',
             'after_step_id',
             'title',
             'description',
             'library_step_id',
             'tree_id',
             'node_id',
             'created_by',
           ],
           ['created_at'],
           'x.created_at, x.id',
         )} as custom_steps,
         ${jsonList('session_evidence', ['seq', 'key', 'type', 'label', 'value', 'upload_id'], [], 'x.seq, x.place')} as evidence,
         (select ${isoTime('t.due_at')} from session_timers t where t.account_id = s.account_id and t.session_id = s.id and t.state = 'waiting'
             and t.seq = s.answered and s.state = 'in_progress') as timer_due_at,
         (select t.review_due_on::text from trees t where t.account_id = s.tree_account_id and t.id = s.tree_id
             and t.review_due_on <= current_date and s.state in ('prepared', 'in_progress')) as flow_overdue_since
    from sessions s join tree_versions v on v.account_id = s.tree_account_id and v.tree_id = s.tree_id and v.version = s.tree_version
    left join users u on u.account_id = s.account_id and u.id = s.user_id
   where s.account_id = $1 and s.id = $2`

/** A session without what only a caller knows. */
export type StoredSession = Omit<SessionRow, 'may_change'>

/** The statement that selects a session of an account. */
export const sessionStatement = (accountId: string, id: string) => ({
  name: 'session',
  text: selectSessionText,
  values: [accountId, id],
})

/** Select a session of an account with everything that belongs to it. */
export async function selectSession(
  request: FastifyRequest,
  accountId: string,
  id: string,
): Promise<StoredSession | undefined> {
  return (await query(request, sessionStatement(accountId, id))).rows[0]
}

/** Convert a session to the answer of the operations that return one. */
export function toSessionAnswer(row: StoredSession) {
  const {
    name,
    description,
    category,
    version,
    tree_type,
    tree_structure,
    intake_form,
    tree_account_id: _,
    ...session
  } = row
  const { answered, remaining, secret_keys: _secrets, evidence: _evidence, ...rest } = session
  return {
    ...rest,
    tree_snapshot: { name, description, category, version, tree_type, tree_structure, intake_form },
    progress: computeProgress(answered, remaining),
    ...renderRun({ ...row, may_change: true }),
  }
}
