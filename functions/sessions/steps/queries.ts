import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { mayChange } from '../../../lib/db/rows/sessions.ts'
import { writeStatement } from '../../../lib/db/statement.ts'
import type { SessionRow } from '../../../lib/flows/session-row.ts'
import { callEmitWebhook, EmittedWebhooks } from '../../../lib/outbox/webhooks.ts'
import type { CustomStepCreate, DecisionCreate, SessionCompletion } from './schemas.ts'

/** The id of what was inserted or changed. There is no row if nothing was. */
const ChangedRow = z.object({ id: z.string() })

/** The position that was read. A change is only written if the session is still at this position. */
export type SessionPosition = Pick<SessionRow, 'id' | 'current_step_id' | 'answered'>
/** The position after a change. */
export interface NextPosition {
  current_step_id: string | null
  remaining: number
}

const isEditableInProgress = (id: string) =>
  sql<boolean>`s.account_id = app.account_id() and s.id = ${id} and s.state = 'in_progress' and ${mayChange}`
const isAtPosition = ({ id, current_step_id, answered }: SessionPosition) =>
  sql`${isEditableInProgress(id)} and s.current_step_id is not distinct from ${current_step_id} and s.answered = ${answered}`

function insertFallbackStatement(seq: RawBuilder<unknown>, { step_id, fallback }: DecisionCreate): RawBuilder<unknown> {
  return sql`
    insert into session_fallbacks (session_id, seq, step_id, fallback_step_id, outcome, note)
    select s.id, ${seq}, ${step_id}, ${fallback?.fallback_step_id ?? null}, ${fallback?.outcome ?? null}, ${fallback?.note ?? null}
      from session_at_position s where ${fallback !== undefined}`
}

/** Insert the answer to the current step and move the session to the next one. */
export const insertDecision = writeStatement(ChangedRow, (session: SessionPosition, next: NextPosition, decision: DecisionCreate) => {
  const { step_id, option_id = null, outcome = null, note = null, started_at = null, duration_seconds = null } = decision
  return sql`
    with session_at_position as (
      update sessions s set current_step_id = ${next.current_step_id}, answered = s.answered + 1, remaining = ${next.remaining}
       where ${isAtPosition(session)} returning s.*),
    step_start as (
      select s.id, coalesce(${started_at}::timestamptz, (select max(d.decided_at) from session_decisions d
        where d.account_id = s.account_id and d.session_id = s.id), s.started_at) as started_at
        from session_at_position s),
    inserted_decision as (
      insert into session_decisions (session_id, seq, step_id, option_id, outcome, note, started_at, duration_seconds)
      select s.id, s.answered - 1, ${step_id}, ${option_id}, ${outcome}, ${note}, step_start.started_at,
             coalesce(${duration_seconds}::integer, greatest(0, extract(epoch from app.now() - step_start.started_at))::integer)
        from session_at_position s join step_start on step_start.id = s.id),
    inserted_fallback as (${insertFallbackStatement(sql`s.answered - 1`, decision)})
    select id from session_at_position`
})

/** Insert the fallback step that was used. The current step stays. */
export const insertFallback = writeStatement(
  ChangedRow,
  (session: SessionPosition, decision: DecisionCreate) => sql`
    with session_at_position as (select s.* from sessions s where ${isAtPosition(session)} for update),
    inserted_fallback as (${insertFallbackStatement(sql`s.answered`, decision)})
    select id from session_at_position`,
)

/** Delete the last answer and the fallback steps recorded since. */
export const deleteLastDecision = writeStatement(
  ChangedRow,
  (session: SessionPosition, next: NextPosition) => sql`
    with updated_session as (
      update sessions s set current_step_id = ${next.current_step_id}, answered = s.answered - 1, remaining = ${next.remaining}
       where ${isAtPosition(session)} and s.answered > 0 returning s.*),
    deleted_decision as (
      delete from session_decisions d using updated_session s where d.account_id = s.account_id and d.session_id = s.id and d.seq = s.answered),
    deleted_fallbacks as (
      delete from session_fallbacks f using updated_session s
       where f.account_id = s.account_id and f.session_id = s.id and f.seq >= s.answered)
    select id from updated_session`,
)

/** A custom step to insert: a step that is not part of the flow. */
export interface NewCustomStep extends Pick<CustomStepCreate, 'source' | 'library_step_id' | 'node_id'> {
  after_step_id: string
  title: string
  description: string
  /** The flow that the step was copied from, with the flow's account. */
  tree?: { account_id: string; id: string } | undefined
}

export const insertCustomStep = writeStatement(ChangedRow, (id: string, step: NewCustomStep) => {
  const { source, after_step_id, title, description, library_step_id = null, tree, node_id = null } = step
  return sql`
    with s as (select s.id from sessions s where ${isEditableInProgress(id)} for update)
    insert into session_custom_steps (session_id, source, after_step_id, title, description, library_step_id, tree_account_id, tree_id, node_id)
    select s.id, ${source}, ${after_step_id}, ${title}, ${description}, ${library_step_id}::uuid, ${tree?.account_id ?? null}::uuid,
           ${tree?.id ?? null}::uuid, ${node_id} from s
    returning id`
})

const completedData = sql`
  json_build_object('session_id', s.id, 'kind', 'flow', 'outcome', s.outcome, 'ticket_id', s.ticket_number, 'flow_id', s.tree_id,
    'flow_name', v.name, 'batch_id', s.batch_id, 'user_id', s.user_id, 'team_id', s.team_id, 'completed_at', app.iso(s.completed_at))`

/** Complete a session in progress, and insert its messages for webhooks. */
export const completeSession = writeStatement(
  ChangedRow.extend(EmittedWebhooks.shape),
  (id: string, { outcome, notes, next_steps }: SessionCompletion) => sql`
    with completed as (
      update sessions s set state = 'completed', outcome = ${outcome}, completed_at = app.now(), notes = coalesce(${notes ?? null}, s.notes),
             next_steps = coalesce(${next_steps ?? null}, s.next_steps)
       where ${isEditableInProgress(id)} returning s.*)
    select s.id, ${callEmitWebhook('session.completed', sql`s.id::text`, completedData)} as webhook_delivery_ids
      from completed s join tree_versions v on v.account_id = s.tree_account_id and v.tree_id = s.tree_id and v.version = s.tree_version`,
)
