import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { AiStatus, Handoff } from '../../../lib/db/rows/ai-session.ts'
import { changeAiSession, handoffItem, ownAiSession } from '../../../lib/db/rows/ai-session-queries.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { HandoffCreate } from './schemas.ts'

/** States in which a session may be given out of one's hands. */
export const givable = ['active', 'parked'] as const satisfies readonly AiStatus[]

/** Lays the caller's own session aside. */
export function parkSession(db: WriteDb, id: string) {
  return changeAiSession(
    db,
    id,
    sql`update ai_sessions s set status = 'parked', updated_at = app.now(), last_activity_at = app.now()
         where ${ownAiSession(id, givable)} returning s.id`,
  )
}

/** Gives the caller's own session away: whoever picked it up before works on it no more. */
export function escalateSession(db: WriteDb, id: string) {
  return changeAiSession(
    db,
    id,
    sql`update ai_sessions s
           set status = 'escalated', escalated_to_id = null, picked_up_by_id = null, updated_at = app.now(), last_activity_at = app.now()
         where ${ownAiSession(id, givable)} returning s.id`,
  )
}

export interface Named {
  name: string
  role: string
}

/** Who calls, and the active colleague of this id. */
export async function selectPeople(db: WriteDb, targetId: string | null): Promise<{ me: Named; target: Named | undefined }> {
  const { rows } = await sql<Named & { is_me: boolean }>`
    select u.full_name as name, u.role, u.id = app.user_id() as is_me from users u
     where u.account_id = app.account_id() and u.is_active and u.id in (app.user_id(), ${targetId}::uuid)`.execute(db)
  const of = (mine: boolean) => rows.find(({ is_me }) => is_me === mine)
  return { me: of(true) ?? { name: '', role: '' }, target: of(false) }
}

export type NewHandoff = Omit<HandoffCreate, 'target_user_id'> & { id: string; targetId: string | null; documentation: string }

/** Writes a handoff in the place of the one that is still open. */
export async function insertHandoff(db: WriteDb, sessionId: string, given: NewHandoff): Promise<Handoff> {
  const { id, intent, targetId, reason, summary, what_was_tried, next_steps, urgency, documentation } = given
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

export async function setPackage(db: WriteDb, sessionId: string, escalationPackage: Record<string, unknown>, targetId: string | null) {
  await sql`
    update ai_sessions set escalation_package = ${JSON.stringify(escalationPackage)}::jsonb, escalated_to_id = ${targetId}
     where account_id = app.account_id() and id = ${sessionId}`.execute(db)
}

export async function setHandoffPush(db: WriteDb, handoffId: string, pushId: string): Promise<void> {
  await sql`update ai_handoffs set psa_push_id = ${pushId} where account_id = app.account_id() and id = ${handoffId}`.execute(db)
}

/** How many have just been told in the app, by this transaction. */
export async function countTold(db: WriteDb, link: string): Promise<number> {
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

/** Takes the caller's own parked session up again, and closes what was written when it was laid aside. */
export function resumeSession(db: WriteDb, id: string) {
  return changeAiSession(
    db,
    id,
    sql`
    with s as (
      update ai_sessions s set status = 'active', updated_at = app.now(), last_activity_at = app.now()
       where ${ownAiSession(id, ['parked'])} returning s.id
    ), closed as (
      update ai_handoffs h set closed_at = app.now() from s where h.account_id = app.account_id() and h.session_id = s.id and h.closed_at is null
    ) select id from s`,
  )
}
