import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, jsonb, now, nowText } from '#db/expressions.ts'
import { newestFirst, type PageQuery, pageEnd } from '#db/page.ts'
import { requireRow } from '#db/required-row.ts'
import type { AiSessionRow, Handoff } from '#db/rows/ai-session.ts'
import { handoffItem, isOwnAiSession, selectAiSession } from '#db/rows/ai-session-queries.ts'
import { selectColleagues } from '#db/rows/colleagues.ts'
import { selectExportMasking } from '#db/rows/export-masking.ts'
import { selectRosters } from '#db/rows/on-call-rosters.ts'
import { selectTicketSite } from '#db/rows/ticket-site.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import { Role } from '#http/fields.ts'
import type { AiStatus } from '#rules/ai/session-values.ts'
import { maxTextLength, type StoredAlert } from '#rules/events/escalation-alert.ts'
import type { Event } from '#rules/events/events.ts'
import type { EscalationStep } from '#rules/oncall/escalation-step.ts'
import { clip } from '#rules/text/clip.ts'
import type { LiveEvent } from '#vendors/realtime/realtime.ts'
import { type EmittedEvent, emitEvent } from '#work/events.ts'
import { StoredLiveEvent } from '#work/live-events.ts'
import { maxPushLength } from '#work/pushes.ts'
import type { HandoffCreate } from './schemas.ts'

const ChangedRow = z.object({ id: z.string() })

/** States in which a session may be parked or escalated. */
export const escalatableStates = ['active', 'parked'] as const satisfies readonly AiStatus[]

/** Park the caller's own session. */
export const parkSession = writeStatement(
  ChangedRow,
  (id: string) => sql`
    update ai_sessions s set status = 'parked', updated_at = app.now(), last_activity_at = app.now()
     where ${isOwnAiSession(id, escalatableStates)} returning s.id`,
)

/** Select whether a session goes back to the queue: nobody who can work has it. */
export const selectIsReturning = readStatement(
  z.object({ is_returning: notNull<boolean>() }),
  (id: string) => sql`
    select exists (
      select from ai_sessions s left join users u on u.account_id = s.account_id and u.id = s.picked_up_by_id
       where s.account_id = app.account_id() and s.id = ${id} and s.returns_at is not null
         and (s.status = 'escalated' or s.status in ('active', 'parked') and not app.can_work(u))) as is_returning`,
)

/** Condition on `ai_sessions s`. */
const isSession = (id: string) => sql<boolean>`s.account_id = app.account_id() and s.id = ${id}`

export const selectCallerAndColleague = readStatement(
  z.object({ name: z.string(), role: Role, is_caller: z.boolean() }),
  (colleagueId: string | null) => sql`
    select u.full_name as name, u.role, u.id = app.user_id() as is_caller from users u
     where u.account_id = app.account_id() and (u.id = app.user_id() or (u.id = ${colleagueId}::uuid and u.is_active))`,
)

export interface Person {
  name: string
  role: string
}

/** The default escalation policy of a session's team, or else of the account. */
const defaultPolicy = (sessionId: string) => sql`
  select p.* from ai_sessions s join escalation_policies p on p.account_id = s.account_id and p.is_default
   where ${isSession(sessionId)} and (p.team_id is null or p.team_id = s.team_id) order by p.team_id nulls last limit 1`

export const selectPolicySteps = readStatement(
  z.object({ steps: z.custom<EscalationStep[]>() }),
  (sessionId: string) => sql`select p.steps from (${defaultPolicy(sessionId)}) p`,
)

/**
 * Select a session that the caller may see, the caller, the active colleague with this id, whether notes are
 * masked, the ticketing system, the colleagues who have the session open, and what decides who is on call.
 */
export async function selectSessionAndPeople(db: WriteDb, sessionId: string, targetId: string | null) {
  const [sessions, people, masking, sites, alsoHere, policies, rosters] = await db.batch([
    selectAiSession.query(sessionId),
    selectCallerAndColleague.query(targetId),
    selectExportMasking.query(),
    selectTicketSite(db),
    selectColleagues.query('ai_session', sessionId),
    selectPolicySteps.query(sessionId),
    selectRosters.query({ sessionId }),
  ])
  const caller: Person = people.find(({ is_caller }) => is_caller) ?? { name: '', role: '' }
  const target = people.find(({ is_caller }) => !is_caller) as Person | undefined
  return {
    session: sessions[0],
    caller,
    target,
    isMasked: masking[0]?.is_masked === true,
    ticketSite: sites[0],
    alsoHere,
    steps: policies[0]?.steps ?? [],
    rosters,
  }
}

export type NewHandoff = Omit<HandoffCreate, 'target_user_id'> & {
  id: string
  targetId: string | null
  documentation: string
}

const HandoffItem = z.object({ handoff: z.custom<Handoff>() })

/** Close the session's open handoff, if there is one. */
function closeOpenHandoff(db: WriteDb, sessionId: string) {
  return db
    .updateTable('ai_handoffs')
    .set({ closed_at: now })
    .where('account_id', '=', accountId)
    .where('session_id', '=', sessionId)
    .where('closed_at', 'is', null)
}

const firstAssessmentStatus: Record<NewHandoff['intent'], 'pending' | null> = {
  park: null,
  escalate: 'pending',
}

export const insertOpenHandoff = writeStatement(HandoffItem, (sessionId: string, handoff: NewHandoff) => {
  const { id, intent, targetId, reason, summary, what_was_tried, next_steps, urgency, documentation } =
    handoff
  return sql`
    insert into ai_handoffs as x (id, session_id, intent, target_user_id, reason, summary, what_was_tried, next_steps, urgency, documentation, assessment_status)
    values (${id}, ${sessionId}, ${intent}, ${targetId}, ${reason}, ${summary}, ${what_was_tried}, ${next_steps}, ${urgency}, ${documentation},
            ${firstAssessmentStatus[intent]})
    returning jsonb_build_object(${handoffItem}) as handoff`
})

/** Close the session's open handoff, if there is one, and insert a new one. */
export async function insertHandoff(db: WriteDb, sessionId: string, handoff: NewHandoff): Promise<Handoff> {
  const [, [row]] = await db.batch([
    closeOpenHandoff(db, sessionId),
    insertOpenHandoff.query(sessionId, handoff),
  ])
  return (row as { handoff: Handoff }).handoff
}

/** An escalation with everything that is stored with it. */
export interface NewEscalation {
  /** The session as it was read. The escalation is stored only if the session has not changed since. */
  session: Pick<AiSessionRow, 'id' | 'status' | 'updated_at' | 'state_version' | 'psa_ticket_id'>
  handoff: NewHandoff
  escalationPackage: Record<string, unknown>
  liveEventData: LiveEvent['data']
  event: Extract<Event, { key: 'session.escalated' }>
}

const currentTime = sql`jsonb_build_object('created_at', ${nowText})`

/** Escalate the caller's own session. A colleague who picked it up before no longer works on it. */
export const escalateUnchanged = writeStatement(
  ChangedRow,
  ({ session, handoff, escalationPackage }: NewEscalation) =>
    requireRow(sql`
    update ai_sessions s
       set status = 'escalated', escalated_to_id = ${handoff.targetId}::uuid, picked_up_by_id = null, returns_at = null,
           escalation_package = ${jsonb(escalationPackage)} || ${currentTime}, updated_at = app.now(), last_activity_at = app.now()
     where ${isOwnAiSession(session.id)} and s.status = ${session.status} and s.updated_at = ${session.updated_at}::timestamptz
       and s.state_version = ${session.state_version}
    returning s.id`),
)

/**
 * Insert the push of the documentation to the ticket, if the session has one and the account has an active
 * connection.
 */
export const insertEscalationPush = writeStatement(
  ChangedRow,
  (escalation: NewEscalation) => sql`
    with push as (
      insert into psa_pushes (ticket_id, body, internal, source_kind, source_id)
      select s.psa_ticket_id, ${clip(escalation.handoff.documentation, maxPushLength)}, true, 'ai_session', s.id from ai_sessions s
       where ${isSession(escalation.session.id)} and s.psa_ticket_id is not null
         and exists (select from psa_connections c where c.account_id = s.account_id and c.is_active)
      returning id
    ), updated_session as (
      update ai_sessions s set psa_push_id = push.id from push where ${isSession(escalation.session.id)}
    ), updated_handoff as (
      update ai_handoffs h set psa_push_id = push.id from push where h.account_id = app.account_id() and h.id = ${escalation.handoff.id}
    ) select id from push`,
)

export const insertHandoffCreated = writeStatement(
  StoredLiveEvent,
  ({ liveEventData }: NewEscalation) => sql`
    insert into stream_events (event, data) values ('handoff_created', ${jsonb(liveEventData)} || ${currentTime})
    returning account_id, id as key, event, data`,
)

/**
 * Insert the follow-up of the escalation and its first reminder, if its team or else the account has a
 * default escalation policy. The follow-up keeps the steps as they are now.
 */
export const planFollowUp = writeStatement(
  z.object({ id: z.string(), delay_seconds: z.int() }),
  (escalation: NewEscalation) => sql`
    with policy as (${defaultPolicy(escalation.session.id)}), follow_up as (
      insert into escalation_follow_ups (session_id, handoff_id, policy_id, rounds, steps, alert)
      select ${escalation.session.id}::uuid, ${escalation.handoff.id}::uuid, p.id, p.rounds, p.steps, ${jsonb(toStoredAlert(escalation))} from policy p
      returning id, (steps -> 0 ->> 'delay_minutes')::integer as delay_minutes
    )
    insert into escalation_reminders (follow_up_id, round, step, next_attempt_at)
    select id, 1, 1, app.now() + make_interval(mins => delay_minutes) from follow_up
    returning id, extract(epoch from next_attempt_at - app.now())::integer as delay_seconds`,
)

function toStoredAlert({ event, handoff }: NewEscalation): StoredAlert {
  const { problemSummary, psaTicketId, details } = event
  const emptyTexts = {
    client_name: null,
    psa_ticket_id: null,
    reason: '',
    summary: '',
    what_was_tried: '',
    next_steps: '',
  }
  const alertDetails = details ?? { urgency: handoff.urgency, ...emptyTexts }
  return { problem: clip(problemSummary, maxTextLength), ticket_id: psaTicketId, details: alertDetails }
}

/**
 * Store an escalation with its messages in one round trip. Store nothing and raise SF409 if the session has
 * changed.
 */
export async function storeEscalation(db: WriteDb, escalation: NewEscalation) {
  const { session, handoff } = escalation
  const [, , handoffs, pushes, liveEvents, emitted, reminders] = await db.batch([
    escalateUnchanged.query(escalation),
    closeOpenHandoff(db, session.id),
    insertOpenHandoff.query(session.id, handoff),
    insertEscalationPush.query(escalation),
    insertHandoffCreated.query(escalation),
    emitEvent.query(escalation.event),
    planFollowUp.query(escalation),
  ])
  return {
    handoff: (handoffs[0] as { handoff: Handoff }).handoff,
    pushId: pushes[0]?.id ?? null,
    liveEvent: liveEvents[0] as StoredLiveEvent,
    event: emitted[0] as EmittedEvent,
    reminder: reminders[0],
  }
}

export const selectHandoffItems = readStatement(
  HandoffItem,
  (sessionId: string, page: PageQuery) => sql`
    select jsonb_build_object(${handoffItem}) as handoff from ai_handoffs x
     where x.account_id = app.account_id() and x.session_id = ${sessionId}
     ${pageEnd(newestFirst, page, 'x')}`,
)

export async function selectHandoffs(db: ReadDb, sessionId: string, page: PageQuery): Promise<Handoff[]> {
  return (await selectHandoffItems.all(db, sessionId, page)).map(({ handoff }) => handoff)
}

/** Resume the caller's own parked session, and close its open handoff. */
export const resumeSession = writeStatement(
  ChangedRow,
  (id: string) => sql`
    with s as (
      update ai_sessions s set status = 'active', updated_at = app.now(), last_activity_at = app.now()
       where ${isOwnAiSession(id, ['parked'])} returning s.id
    ), closed_handoff as (
      update ai_handoffs h set closed_at = app.now() from s where h.account_id = app.account_id() and h.session_id = s.id and h.closed_at is null
    ) select id from s`,
)
