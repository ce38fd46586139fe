import { sql } from 'kysely'
import type { PlatformDb, WriteDb } from '../../../lib/db/scope.ts'

export interface ClaimedAssessment {
  id: string
  account_id: string
  session_id: string
  /** The session's owner, who may read it in every state. */
  user_id: string
  attempts: number
}

/** Maximum number of attempts at one assessment. A second attempt is made only if the worker of the first crashed. */
export const maxAttempts = 2

/** Lease attempt number `attempt` for 60 seconds. Return undefined when it is already claimed or the assessment is finished. */
export async function claimAssessment(db: PlatformDb, id: string, attempt: number): Promise<ClaimedAssessment | undefined> {
  const { rows } = await sql<ClaimedAssessment>`
    update ai_handoffs h set assessment_attempts = assessment_attempts + 1, assessment_lease = app.now() + interval '60 seconds'
      from ai_sessions s
     where h.id = ${id} and h.assessment_status = 'pending' and h.assessment_attempts = ${attempt} - 1 and h.assessment_attempts < ${maxAttempts}
       and (h.assessment_lease is null or h.assessment_lease <= app.now()) and s.account_id = h.account_id and s.id = h.session_id
    returning h.id, h.account_id, h.session_id, s.user_id, h.assessment_attempts::integer as attempts`.execute(db)
  return rows[0]
}

/** Select pending assessments without a valid lease: the queue lost their message, or their worker crashed. */
export async function selectDueAssessments(db: PlatformDb, limit: number): Promise<ClaimedAssessment[]> {
  const { rows } = await sql<ClaimedAssessment>`
    select h.id, h.account_id, h.session_id, s.user_id, h.assessment_attempts::integer as attempts
      from ai_handoffs h join ai_sessions s on s.account_id = h.account_id and s.id = h.session_id
     where h.assessment_status = 'pending' and h.created_at <= app.now() - interval '5 seconds'
       and (h.assessment_lease is null or h.assessment_lease <= app.now())
     order by h.created_at limit ${limit}`.execute(db)
  return rows
}

export interface AssessmentResult {
  status: 'ready' | 'failed' | 'timed_out'
  text: string | null
}
export interface AssessedSession {
  title: string
  team_id: string | null
  claimed_by: string | null
}

/**
 * Store the result of an attempt in the handoff and in the session's escalation package. Return undefined when the assessment
 * is no longer pending or a later attempt was made.
 * Locks the session before its handoff, as every other statement on both does, so that they cannot deadlock.
 */
export async function storeAssessment(db: WriteDb, { id, session_id, attempts }: ClaimedAssessment, { status, text }: AssessmentResult) {
  const { rows } = await sql<AssessedSession>`
    with s as (
      select s.id, s.title, s.team_id from ai_sessions s where s.account_id = app.account_id() and s.id = ${session_id} for no key update
    ), h as (
      update ai_handoffs h set assessment_status = ${status}, ai_assessment = ${text}, assessment_lease = null
        from s
       where h.account_id = app.account_id() and h.id = ${id} and h.session_id = s.id and h.assessment_status = 'pending'
         and h.assessment_attempts = ${attempts}
      returning h.claimed_by
    ), updated_package as (
      update ai_sessions s set escalation_package = s.escalation_package || jsonb_build_object('assessment', ${text}::text)
        from h where s.account_id = app.account_id() and s.id = ${session_id} and ${status} = 'ready' and s.escalation_package ->> 'handoff_id' = ${id}::text)
    select s.title, s.team_id, h.claimed_by from h, s`.execute(db)
  return rows[0]
}
