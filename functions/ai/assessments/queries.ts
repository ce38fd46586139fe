import { sql } from 'kysely'
import * as z from 'zod'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import { workKinds } from '#db/work-kinds.ts'
import { type AssessmentStatus, urgencies } from '#rules/ai/session-values.ts'
import { DueRow, isUnswept } from '#work/attempts.ts'
import { lockInTurn } from '#work/lock-in-turn.ts'

export const ClaimedAssessment = z.object({
  id: z.string(),
  account_id: z.string(),
  session_id: z.string(),
  /** The session's owner, who may read it in every state. */
  user_id: z.string(),
  attempts: z.int(),
  /** Why nothing may be done any more, or null. */
  refusal: z.string().nullable(),
})
export type ClaimedAssessment = z.output<typeof ClaimedAssessment>

const refusal = sql`app.why_closed(h.account_id, ${workKinds.assessment.needs.feature})`

/** Maximum number of attempts at one assessment. */
export const maxAttempts = 4

/** Condition on handoffs: the assessment waits for an attempt. */
const isOpen = sql`(assessment_status = 'pending' or (assessment_status = 'timed_out' and assessment_lease is not null))`
/** Condition on handoffs: a colleague works on the case, so nobody waits for another attempt. */
const isPickedUp = sql`(assessment_attempts > 0 and (picked_up_at is not null or closed_at is not null))`

/**
 * Lease attempt number `attempt` for 60 seconds. Return undefined when it is already claimed or the
 * assessment is finished.
 */
export const claimAssessment = writeStatement(
  ClaimedAssessment,
  (id: string, attempt: number) => sql`
    update ai_handoffs h set assessment_attempts = assessment_attempts + 1, assessment_lease = app.now() + interval '60 seconds'
      from ai_sessions s
     where h.id = ${id} and ${isOpen} and not ${isPickedUp} and h.assessment_attempts = ${attempt} - 1 and h.assessment_attempts < ${maxAttempts}
       and (h.assessment_lease is null or h.assessment_lease <= app.now()) and s.account_id = h.account_id and s.id = h.session_id
    returning h.id, h.account_id, h.session_id, s.user_id, h.assessment_attempts::integer as attempts, ${refusal} as refusal`,
)

/** Mark assessments that are due as swept: the queue lost their message, or their worker crashed. */
export const claimDueAssessments = writeStatement(DueRow, (limit: number) => {
  const isDue = sql`
      ${isOpen} and not ${isPickedUp} and created_at <= app.now() - interval '5 seconds' and assessment_attempts < ${maxAttempts}
        and (assessment_lease is null or assessment_lease <= app.now()) and ${isUnswept}`
  return sql`
      with ${lockInTurn('ai_handoffs', { isDue, orderBy: 'created_at', limit })},
      swept as (
        update ai_handoffs h set swept_at = app.now() from due where h.account_id = due.account_id and h.id = due.id
        returning h.id, h.assessment_attempts::integer as attempts, due.turn, due.chance)
      select id, attempts from swept order by turn, chance`
})

/** Select open assessments whose last attempt was claimed and never completed, or of which none is needed. */
export const selectAbandonedAssessments = readStatement(
  ClaimedAssessment,
  () => sql`
    select h.id, h.account_id, h.session_id, s.user_id, h.assessment_attempts::integer as attempts, ${refusal} as refusal
      from ai_handoffs h join ai_sessions s on s.account_id = h.account_id and s.id = h.session_id
     where ${isOpen} and (h.assessment_attempts >= ${maxAttempts} or ${isPickedUp}) and h.assessment_lease <= app.now()
     order by row_number() over (partition by h.account_id order by h.created_at) limit 100`,
)

/** Those of `defineWork`. Assessments have columns of their own in the table of handoffs. */
export const attempts = {
  claim: claimAssessment,
  claimDue: claimDueAssessments,
  selectAbandoned: selectAbandonedAssessments,
}

export interface AssessmentResult {
  status: Exclude<AssessmentStatus, 'pending'>
  text: string | null
}

/**
 * Leave an assessment open for another attempt after `seconds`. Return no row when a colleague has picked the
 * case up, or when a later attempt was made.
 */
export const postponeAssessment = writeStatement(
  z.object({ id: z.string() }),
  ({ id, attempts }: ClaimedAssessment, { status }: AssessmentResult, seconds: number) => sql`
    update ai_handoffs set assessment_status = ${status === 'timed_out' ? status : 'pending'},
           assessment_lease = app.now() + make_interval(secs => ${seconds})
     where account_id = app.account_id() and id = ${id} and ${isOpen} and assessment_attempts = ${attempts}
       and picked_up_at is null and closed_at is null returning id`,
)

export const AssessedSession = z.object({
  title: z.string(),
  team_id: z.string().nullable(),
  claimed_by: z.string().nullable(),
  client_name: z.string().nullable(),
  psa_ticket_id: z.string().nullable(),
  urgency: z.enum(urgencies),
  next_steps: z.string(),
  /** Nobody needs to be asked to pick the case up, or to look at it. */
  is_over: notNull<boolean>(),
})
export type AssessedSession = z.output<typeof AssessedSession>

/**
 * Store the result of an attempt in the handoff and in the session's escalation package. Return undefined
 * when the assessment is no longer open or a later attempt was made. Locks the session before its handoff,
 * as every other statement on both does, so that they cannot deadlock.
 */
export const storeAssessment = writeStatement(
  AssessedSession,
  ({ id, session_id, attempts }: ClaimedAssessment, { status, text }: AssessmentResult) => sql`
    with s as (
      select s.id, s.title, s.team_id, s.client_name, s.psa_ticket_id, s.status from ai_sessions s where s.account_id = app.account_id() and s.id = ${session_id} for no key update
    ), h as (
      update ai_handoffs h set assessment_status = ${status}, ai_assessment = ${text}, assessment_lease = null
        from s
       where h.account_id = app.account_id() and h.id = ${id} and h.session_id = s.id and ${isOpen}
         and h.assessment_attempts = ${attempts}
      returning h.claimed_by, h.urgency, h.next_steps, h.closed_at is not null and h.picked_up_at is null as is_closed
    ), updated_package as (
      update ai_sessions s set escalation_package = s.escalation_package || jsonb_build_object('assessment', ${text}::text)
        from h where s.account_id = app.account_id() and s.id = ${session_id} and ${status} = 'ready' and s.escalation_package ->> 'handoff_id' = ${id}::text)
    select s.title, s.team_id, s.client_name, s.psa_ticket_id, h.claimed_by, h.urgency, h.next_steps,
           h.is_closed or s.status in ('resolved', 'abandoned', 'archived') as is_over from h, s`,
)
