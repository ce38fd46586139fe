import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { AiStatus, Handoff } from '../../../lib/db/rows/ai-session.ts'
import { handoffItem, isOwnAiSession, updateAiSession } from '../../../lib/db/rows/ai-session-queries.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { HandoffCreate } from './schemas.ts'

/** States in which a session may be parked or escalated. */
export const escalatableStates = ['active', 'parked'] as const satisfies readonly AiStatus[]

/** Park the caller's own session. */
export function parkSession(db: WriteDb, id: string) {
  return updateAiSession(
    db,
    id,
    sql`update ai_sessions s set status = 'parked', updated_at = app.now(), last_activity_at = app.now()
         where ${isOwnAiSession(id, escalatableStates)} returning s.id`,
  )
}

/** Escalate the caller's own session. A colleague who picked it up before no longer works on it. */
export function escalateSession(db: WriteDb, id: string) {
  return updateAiSession(
    db,
    id,
    sql`update ai_sessions s
           set status = 'escalated', escalated_to_id = null, picked_up_by_id = null, updated_at = app.now(), last_activity_at = app.now()
         where ${isOwnAiSession(id, escalatableStates)} returning s.id`,
  )
}

export interface Person {
  name: string
  role: string
}

/** Select the caller, and the active colleague with this id. */
export async function selectCallerAndTarget(db: WriteDb, targetId: string | null): Promise<{ caller: Person; target: Person | undefined }> {
  const { rows } = await sql<Person & { is_caller: boolean }>`
    select u.full_name as name, u.role, u.id = app.user_id() as is_caller from users u
     where u.account_id = app.account_id() and u.is_active and u.id in (app.user_id(), ${targetId}::uuid)`.execute(db)
  return {
    caller: rows.find(({ is_caller }) => is_caller) ?? { name: '', role: '' },
    target: rows.find(({ is_caller }) => !is_caller),
  }
}

export type NewHandoff = Omit<HandoffCreate, 'target_user_id'> & { id: string; targetId: string | null; documentation: string }

/** Close the session's open handoff, if there is one, and insert a new one. */
export async function insertHandoff(db: WriteDb, sessionId: string, newHandoff: NewHandoff): Promise<Handoff> {
  const { id, intent, targetId, reason, summary, what_was_tried, next_steps, urgency, documentation } = newHandoff
  const close = sql`
    update ai_handoffs set closed_at = app.now() where account_id = app.account_id() and session_id = ${sessionId} and closed_at is null`
  const insert = sql<{ handoff: Handoff }>`
    insert into ai_handoffs as x (id, session_id, intent, target_user_id, reason, summary, what_was_tried, next_steps, urgency, documentation, assessment_status)
    values (${id}, ${sessionId}, ${intent}, ${targetId}, ${reason}, ${summary}, ${what_was_tried}, ${next_steps}, ${urgency}, ${documentation},
            ${intent === 'escalate' ? 'pending' : null})
    returning jsonb_build_object(${handoffItem}) as handoff`
  const [, [row]] = await db.batch([statement(db, close), statement(db, insert)])
  return (row as { handoff: Handoff }).handoff
}

export async function setEscalationPackage(
  db: WriteDb,
  sessionId: string,
  escalationPackage: Record<string, unknown>,
  targetId: string | null,
) {
  await sql`
    update ai_sessions set escalation_package = ${JSON.stringify(escalationPackage)}::jsonb, escalated_to_id = ${targetId}
     where account_id = app.account_id() and id = ${sessionId}`.execute(db)
}

export async function setHandoffPush(db: WriteDb, handoffId: string, pushId: string): Promise<void> {
  await sql`update ai_handoffs set psa_push_id = ${pushId} where account_id = app.account_id() and id = ${handoffId}`.execute(db)
}

/** Count the in-app notifications that this transaction inserted for an escalation. */
export async function countEscalationNotifications(db: WriteDb, link: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from notifications
     where account_id = app.account_id() and created_at = app.now()::timestamptz(3) and event_key = 'session.escalated' and link = ${link}`.execute(
    db,
  )
  return rows[0]?.n ?? 0
}

export async function selectHandoffs(db: ReadDb, sessionId: string, { skip, limit }: PageQuery): Promise<Handoff[]> {
  const { rows } = await sql<{ handoff: Handoff }>`
    select jsonb_build_object(${handoffItem}) as handoff from ai_handoffs x
     where x.account_id = app.account_id() and x.session_id = ${sessionId}
     order by x.created_at desc, x.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows.map(({ handoff }) => handoff)
}

/** Resume the caller's own parked session, and close its open handoff. */
export function resumeSession(db: WriteDb, id: string) {
  return updateAiSession(
    db,
    id,
    sql`
    with s as (
      update ai_sessions s set status = 'active', updated_at = app.now(), last_activity_at = app.now()
       where ${isOwnAiSession(id, ['parked'])} returning s.id
    ), closed_handoff as (
      update ai_handoffs h set closed_at = app.now() from s where h.account_id = app.account_id() and h.session_id = s.id and h.closed_at is null
    ) select id from s`,
  )
}
