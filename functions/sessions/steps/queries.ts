import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '#db/expressions.ts'
import { requireRow } from '#db/required-row.ts'
import { startTimers } from '#db/rows/session-timers.ts'
import { isAtPosition, isEditableInProgress, type SessionPosition } from '#db/rows/sessions.ts'
import { writeStatement } from '#db/statement.ts'
import type { Variables } from '#functions/sessions/sessions/schemas.ts'
import type { ProvidedEvidence } from '#rules/flows/evidence.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import type { StepPosition } from '#rules/flows/step-navigation.ts'
import { callEmitWebhook, EmittedWebhooks } from '#work/webhooks.ts'
import type { DecisionCreate, SessionCompletion } from './schemas.ts'

/** The id of what was inserted or changed. There is no row if nothing was. */
const ChangedRow = z.object({ id: z.string() })

function insertFallbackStatement(
  seq: RawBuilder<unknown>,
  { step_id, fallback }: Pick<DecisionCreate, 'step_id' | 'fallback'>,
): RawBuilder<unknown> {
  return sql`
    insert into session_fallbacks (session_id, seq, step_id, fallback_step_id, outcome, note)
    select s.id, ${seq}, ${step_id}, ${fallback?.fallback_step_id ?? null}, ${fallback?.outcome ?? null}, ${fallback?.note ?? null}
      from session_at_position s where ${fallback !== undefined}`
}

const insertEvidenceStatement = (evidence: readonly ProvidedEvidence[]) => sql`
  insert into session_evidence (session_id, seq, place, key, type, label, value, upload_id)
  select s.id, s.answered - 1, e.place, e.key, e.type, e.label, e.value, e.upload_id
    from session_at_position s, jsonb_to_recordset(${jsonb(evidence.map((item, place) => ({ ...item, place })))})
         e (place integer, key text, type text, label text, value jsonb, upload_id uuid)`

/** An answer with its evidence as it is stored. */
export type NewDecision = Omit<DecisionCreate, 'evidence'> & { evidence: readonly ProvidedEvidence[] }

/** What an approval of the current step must match. */
export interface RequiredApproval {
  /** The digest of the text that was approved. */
  digest: string
  /** The session that the text was rendered for. */
  session: Pick<SessionRow, 'variables' | 'ticket_number' | 'client_name'>
}

/**
 * Condition on `sessions s` and `approvals a`: this approval is valid for the current step, and another user
 * than the caller gave it.
 */
const isValidApproval = (digest: string) => sql`
  a.account_id = s.account_id and a.session_id = s.id and a.kind = 'step' and a.step_id = s.current_step_id and a.seq = s.answered
    and a.digest = ${digest} and a.state = 'approved' and a.expires_at > app.now() and app.person_of(a.decided_by) <> app.person_of(app.user_id())`
/**
 * Condition on `sessions s`: the current step is approved, and its text is still the one that was approved.
 */
const isApproved = ({ digest, session }: RequiredApproval) => sql`
  s.variables = ${jsonb(session.variables)} and s.ticket_number is not distinct from ${session.ticket_number}
    and s.client_name is not distinct from ${session.client_name} and exists (select from approvals a where ${isValidApproval(digest)})`
const useApproval = sql`
    used_approval as (
      update approvals a set state = 'used' from session_at_position s
       where a.account_id = s.account_id and a.session_id = s.id and a.kind = 'step' and a.seq = s.answered - 1 and a.state = 'approved'),`

/**
 * A sub-flow that was completed in the same transaction, and the variables that it sets in the session that
 * waits for it.
 */
export interface CompletedSubflow {
  id: string
  outputs: Variables
}

// The variables stay as they are if there would be too many: the technician can set them by hand.
const takeOutputs = ({ outputs }: CompletedSubflow) => sql`
  subflow_session_id = null,
  variables = case when app.are_variables(s.variables || ${jsonb(outputs)}) then s.variables || ${jsonb(outputs)} else s.variables end`

/** Keep what the outputs replace. The statement that takes them still sees the parent as it was. */
const keepReplaced = ({ id, outputs }: CompletedSubflow) => sql`
    kept as (
      update sessions c set replaced_variables = (
        select coalesce(jsonb_object_agg(k, p.variables -> k), '{}') from jsonb_object_keys(${jsonb(outputs)}) k)
        from sessions p
       where c.account_id = app.account_id() and c.id = ${id} and p.account_id = c.account_id and p.id = c.parent_session_id),`

/** What an answer depends on: the approval of its step, or the sub-flow that gave it. */
interface AnswerOrigin {
  approval?: RequiredApproval | null
  subflow?: CompletedSubflow
}

/**
 * Insert the answer to the current step with its evidence, and move the session to the next one. With an
 * approval, return no row unless the step is approved, and use the approval up.
 */
export const insertDecision = writeStatement(
  ChangedRow,
  (
    session: SessionPosition,
    next: StepPosition,
    decision: NewDecision,
    { approval, subflow }: AnswerOrigin = {},
  ) => {
    const {
      evidence,
      step_id,
      option_id = null,
      outcome = null,
      note = null,
      started_at = null,
      duration_seconds = null,
    } = decision
    return sql`
    with ${subflow ? keepReplaced(subflow) : sql``} session_at_position as (
      update sessions s set current_step_id = ${next.current_step_id}, answered = s.answered + 1, remaining = ${next.remaining}
             ${subflow ? sql`, ${takeOutputs(subflow)}` : sql``}
       where ${isAtPosition(session, subflow?.id)}
             ${approval ? sql`and ${isApproved(approval)}` : sql``} returning s.*),
    ${approval ? useApproval : sql``}
    step_before as (
      select s.id, coalesce((select max(d.decided_at) from session_decisions d
        where d.account_id = s.account_id and d.session_id = s.id), s.started_at) as ended_at
        from session_at_position s),
    step_start as (
      -- A clock that is some minutes fast is held; a later time is refused by the table.
      select b.id, case when c.claimed > app.now() + interval '5 minutes' then c.claimed else app.hold_time(c.claimed, b.ended_at) end as started_at
        from step_before b, (select ${started_at}::timestamptz as claimed) c),
    inserted_decision as (
      insert into session_decisions (session_id, seq, step_id, option_id, outcome, note, started_at, duration_seconds)
      select s.id, s.answered - 1, ${step_id}, ${option_id}, ${outcome}, ${note}, step_start.started_at,
             least(${duration_seconds}::integer, greatest(0, extract(epoch from app.now() - step_start.started_at)))::integer
        from session_at_position s join step_start on step_start.id = s.id),
    inserted_evidence as (${insertEvidenceStatement(evidence)}),
    inserted_fallback as (${insertFallbackStatement(sql`s.answered - 1`, decision)})${startTimers('session_at_position', next.timer)}
    select id from session_at_position`
  },
)

/**
 * End the wait of a session for a sub-flow that was completed in the same transaction, without an answer to
 * the step.
 */
export const releaseParent = writeStatement(
  ChangedRow,
  (session: SessionPosition, subflow: CompletedSubflow) => sql`
    with ${keepReplaced(subflow)} released as (
      update sessions s set ${takeOutputs(subflow)} where ${isAtPosition(session, subflow.id)} returning s.id)
    select id from released`,
)

/** Insert the fallback step that was used. The current step stays. */
export const insertFallback = writeStatement(
  ChangedRow,
  (session: SessionPosition, decision: DecisionCreate) => sql`
    with session_at_position as (select s.* from sessions s where ${isAtPosition(session)} for update),
    inserted_fallback as (${insertFallbackStatement(sql`s.answered`, decision)})
    select id from session_at_position`,
)

/**
 * Delete the last answer, the feedback on its step and the fallback steps recorded since. The sub-flows of
 * the step are abandoned, and the variables that they have set are as they were before.
 */
export const deleteLastDecision = writeStatement(
  ChangedRow,
  (session: SessionPosition, next: StepPosition, stepId: string) => sql`
    with undone as (
      select c.id, c.replaced_variables, c.completed_at from sessions c
       where c.account_id = app.account_id() and c.parent_session_id = ${session.id} and c.parent_step_id = ${stepId} and c.state = 'completed'
         and c.completed_at > coalesce((select d.decided_at from session_decisions d
                                         where d.account_id = c.account_id and d.session_id = ${session.id} and d.seq = ${session.answered}::integer - 2),
                                       '-infinity')),
    before as (
      select coalesce(jsonb_object_agg(key, value), '{}') as variables
        from (select distinct on (r.key) r.key, r.value from undone u, jsonb_each(u.replaced_variables) r order by r.key, u.completed_at) replaced),
    updated_session as (
      update sessions s set current_step_id = ${next.current_step_id}, answered = s.answered - 1, remaining = ${next.remaining},
             variables = (s.variables - array(select jsonb_object_keys(b.variables))) || jsonb_strip_nulls(b.variables)
        from before b
       where ${isAtPosition(session)} and s.answered > 0 returning s.*),
    abandoned as (
      update sessions c set state = 'abandoned', outcome = null, completed_at = null
        from undone u, updated_session s where c.account_id = s.account_id and c.id = u.id),
    deleted_feedback as (
      delete from session_step_feedback f using updated_session s
       where f.account_id = s.account_id and f.session_id = s.id and f.step_id = ${stepId}
         and not exists (select from session_decisions d
                          where d.account_id = s.account_id and d.session_id = s.id and d.step_id = f.step_id and d.seq < s.answered)),
    deleted_decision as (
      delete from session_decisions d using updated_session s where d.account_id = s.account_id and d.session_id = s.id and d.seq = s.answered),
    deleted_fallbacks as (
      delete from session_fallbacks f using updated_session s
       where f.account_id = s.account_id and f.session_id = s.id and f.seq >= s.answered)${startTimers('updated_session', next.timer)}
    select id from updated_session`,
)

const completedData = sql`
  json_build_object('session_id', s.id, 'kind', 'flow', 'outcome', s.outcome, 'ticket_id', s.ticket_number, 'flow_id', s.tree_id,
    'flow_name', v.name, 'batch_id', s.batch_id, 'parent_session_id', s.parent_session_id, 'user_id', s.user_id, 'team_id', s.team_id, 'completed_at', app.iso(s.completed_at))`

const completed = (
  id: string,
  { outcome, notes, next_steps }: SessionCompletion,
  parentId: string | null,
) => sql`
  completed as (
    update sessions s set state = 'completed', outcome = ${outcome}, completed_at = app.now(), notes = coalesce(${notes ?? null}, s.notes),
           next_steps = coalesce(${next_steps ?? null}, s.next_steps)
     where ${isEditableInProgress(id)} and s.subflow_session_id is null and s.parent_session_id is not distinct from ${parentId}::uuid
    returning s.*)`
const selectCompleted = sql`
  select s.id, ${callEmitWebhook('session.completed', sql`s.id::text`, completedData)} as webhook_delivery_ids
    from completed s join tree_versions v on v.account_id = s.tree_account_id and v.tree_id = s.tree_id and v.version = s.tree_version`
const CompletedRow = ChangedRow.extend(EmittedWebhooks.shape)

/**
 * Complete a session in progress that is no sub-flow and waits for none, and insert its messages for
 * webhooks.
 */
export const completeSession = writeStatement(
  CompletedRow,
  (id: string, completion: SessionCompletion) =>
    sql`with ${completed(id, completion, null)} ${selectCompleted}`,
)

/** Complete the session of a sub-flow that `parentId` runs. Raise SF409 if it is not in progress any more. */
export const completeSubflowSession = writeStatement(
  CompletedRow,
  (id: string, completion: SessionCompletion, parentId: string) =>
    requireRow(selectCompleted, completed(id, completion, parentId)),
)
