import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { type Order, type PageQuery, pageEnd } from '#db/page.ts'
import { requireRow } from '#db/required-row.ts'
import type { Handoff } from '#db/rows/ai-session.ts'
import { acknowledgement, handoffItem } from '#db/rows/ai-session-queries.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { aiStatuses, urgencies } from '#rules/ai/session-values.ts'
import { escalationPath } from '#rules/events/events.ts'
import { emitEvent } from '#work/events.ts'
import { insertLiveEvent } from '#work/live-events.ts'
import { QueueItem } from './schemas.ts'

const openHandoff = sql`h.account_id = s.account_id and h.session_id = s.id and h.closed_at is null and h.intent = 'escalate'`
const rankOf = (urgency: RawBuilder<unknown>) =>
  sql`array_position(array['critical', 'high', 'normal', 'low'], ${urgency})`

export const queueOrder: Order<'urgency' | 'created_at' | 'session_id'> = [
  { field: 'urgency', kind: 'text', column: sql`coalesce(h.urgency, 'normal')`, rank: rankOf },
  { field: 'created_at', kind: 'time', column: sql`coalesce(h.created_at, s.updated_at)` },
  { field: 'session_id', kind: 'uuid', column: sql`s.id` },
]

/**
 * Select the escalations of colleagues that wait for a claim or a pick-up, the most urgent first, then the
 * oldest. The subqueries with a limit make PostgreSQL look up each handoff and each engineer by id. If it
 * expected few rows in the account, it would instead join each session with all handoffs and all users of the
 * account.
 */
export const selectQueue = readStatement(
  QueueItem,
  (page: PageQuery) => sql`
    select q.session_id, q.handoff_id, q.title, u.full_name as engineer_name, q.psa_ticket_id, q.client_name, q.urgency, q.target_user_id,
           q.claimed_by, k.acknowledged_by, k.acknowledged_by_name, k.acknowledged_at, q.created_at
      from (
        select s.account_id, s.id as session_id, h.id as handoff_id, h.id, s.title, coalesce(h.created_by, s.user_id) as engineer_id, s.psa_ticket_id, s.client_name,
               coalesce(h.urgency, 'normal') as urgency, coalesce(h.target_user_id, s.escalated_to_id) as target_user_id, h.claimed_by,
               coalesce(h.created_at, s.updated_at) as created_at
          from ai_sessions s left join lateral (select * from ai_handoffs h where ${openHandoff} limit 1) h on true
         where s.account_id = app.account_id() and s.status in ('requesting_escalation', 'escalated', 'claimed')
           and coalesce(h.created_by, s.user_id) <> app.user_id()
           and (s.team_id is null or app.team_id() is null or s.team_id = app.team_id() or app.role() = 'admin'
                or app.user_id() in (h.target_user_id, s.escalated_to_id, h.claimed_by))
         ${pageEnd(queueOrder, page)}
      ) q left join lateral (select full_name from users where account_id = app.account_id() and id = q.engineer_id limit 1) u on true
      left join ${acknowledgement('q')} on true
     order by ${rankOf(sql`q.urgency`)}, q.created_at, q.session_id`,
)

/** Run an empty statement, so that a caller without access is refused before the stream opens. */
export async function requireAccess(db: ReadDb): Promise<void> {
  await db.selectNoFrom((eb) => eb.lit(1).as('one')).execute()
}

/** What the events of a claim say, and whether there is one. */
const ClaimFacts = z.object({
  title: z.string(),
  team_id: z.string().nullable(),
  /** The engineer who escalated it; null for an escalation without a handoff. */
  engineer_id: z.string().nullable(),
  /** Whether nobody has claimed the handoff yet. */
  is_unclaimed: z.boolean(),
  claimant_name: z.string(),
  urgency: z.enum(urgencies),
  client_name: z.string().nullable(),
  psa_ticket_id: z.string().nullable(),
})
type ClaimFacts = z.output<typeof ClaimFacts>

/** `is_asked`: told for another reason than that they administer the team or the account. */
const ToldUser = z.object({ user_id: z.string(), was_mailed: z.boolean(), is_asked: z.boolean() })
type ToldUser = z.output<typeof ToldUser>

const callerName = sql`(select u.full_name from users u where u.account_id = app.account_id() and u.id = app.user_id())`

export const selectClaimFacts = readStatement(
  ClaimFacts,
  (sessionId: string) => sql`
    select s.title, s.team_id, h.created_by as engineer_id, coalesce(h.claimed_by is null and h.id is not null, false) as is_unclaimed,
           ${callerName} as claimant_name, coalesce(h.urgency, 'normal') as urgency, s.client_name, s.psa_ticket_id
      from ai_sessions s left join ai_handoffs h on ${openHandoff} where s.account_id = app.account_id() and s.id = ${sessionId}`,
)

/**
 * Select the users who were told of a session's newest escalation, except the caller, whether a message told
 * them, and whether they wait for it: the target, who was reminded, and who is no admin.
 */
export const selectToldUsers = readStatement(
  ToldUser,
  (sessionId: string) => sql`
    with h as (
      select h.account_id, h.created_at, h.target_user_id, s.team_id
        from ai_handoffs h join ai_sessions s on s.account_id = h.account_id and s.id = h.session_id
       where h.account_id = app.account_id() and h.session_id = ${sessionId} and h.intent = 'escalate' order by h.created_at desc, h.id desc limit 1)
    select n.user_id, bool_or(exists (select from deliveries d where d.account_id = n.account_id and d.event_id = n.event_id
                                          and d.user_id = u.id and d.state = 'delivered')) as was_mailed,
           bool_or(n.event_key = 'escalation.reminded' or n.user_id is not distinct from h.target_user_id
                   or not coalesce(u.role = 'admin' or u.team_role = 'admin' and u.team_id = h.team_id, false)) as is_asked
      from h join notifications n on n.account_id = h.account_id and n.created_at >= h.created_at join users u on u.account_id = n.account_id and u.id = n.user_id
     where n.account_id = app.account_id() and n.event_key in ('session.escalated', 'escalation.reminded') and n.link = ${escalationPath(sessionId)}
       and n.user_id is distinct from app.user_id()
     group by n.user_id`,
)

/**
 * Claim an unclaimed handoff of a colleague. Of several concurrent callers the first wins, and SF409 is
 * raised for the others.
 */
export const claimHandoff = writeStatement(
  z.object({ handoff: z.custom<Handoff>() }),
  (sessionId: string, handoffId: string) =>
    requireRow(
      sql`
      update ai_handoffs x set claimed_by = app.user_id(), claimed_at = app.now() from s
       where x.account_id = app.account_id() and x.session_id = s.id and x.id = ${handoffId} and x.claimed_by is null
      returning jsonb_build_object(${handoffItem}) as handoff`,
      sql`s as (
      update ai_sessions s set status = 'claimed', updated_at = app.now()
       where s.account_id = app.account_id() and s.id = ${sessionId} and s.status in ('escalated', 'requesting_escalation')
         and exists (select from ai_handoffs h where ${openHandoff} and h.id = ${handoffId} and h.claimed_by is null and h.created_by <> app.user_id())
      returning s.id)`,
    ),
)

/**
 * Make a colleague's escalated session active for the caller, unless another user has claimed it.
 * `isUnclaimed` is whether this is the claim too. Raise SF409 if nothing fits.
 */
export const pickUpSession = writeStatement(
  z.object({ id: z.string() }),
  (id: string, isUnclaimed: boolean) =>
    requireRow(
      sql`select s.id from s left join h on true where coalesce(h.is_new, false) = ${isUnclaimed}`,
      sql`s as (
      update ai_sessions s
         set status = 'active', picked_up_by_id = app.user_id(), updated_at = app.now(), last_activity_at = app.now()
       where s.account_id = app.account_id() and s.id = ${id}
         and case when exists (select from ai_handoffs h where ${openHandoff})
             then exists (select from ai_handoffs h where ${openHandoff} and (
                    (s.status in ('escalated', 'requesting_escalation') and h.claimed_by is null and h.created_by <> app.user_id())
                    or (s.status = 'claimed' and h.claimed_by = app.user_id())))
             else s.status in ('escalated', 'requesting_escalation') and s.user_id <> app.user_id() end
      returning s.*
    ), o as (
      select h.id, h.claimed_by is null as is_new from s join ai_handoffs h on ${openHandoff} for no key update of h
    ), h as (
      update ai_handoffs h
         set claimed_by = app.user_id(), claimed_at = coalesce(h.claimed_at, app.now()), picked_up_at = app.now(), closed_at = app.now()
        from o where h.account_id = app.account_id() and h.id = o.id
      returning o.is_new)`,
    ),
)

/**
 * Return the statements that store the events of a claim: the live event, and the event for the queue and for
 * the engineer who escalated it.
 */
export function insertClaimEvents(
  db: WriteDb,
  sessionId: string,
  facts: ClaimFacts & { engineer_id: string; claimant_id: string },
  {
    told,
    onCallIds,
    ticketUrl,
  }: { told: readonly ToldUser[]; onCallIds: readonly string[]; ticketUrl: string | null },
) {
  const { title, team_id, engineer_id: engineerId, claimant_id: claimantId, claimant_name } = facts
  const { urgency, client_name, psa_ticket_id } = facts
  const others = told.filter(({ user_id }) => user_id !== engineerId)
  // Admins are told of each case. By e-mail only if nobody else was asked.
  const asked = others.filter(({ user_id, is_asked }) => is_asked || onCallIds.includes(user_id))
  const waiting = asked.length > 0 ? asked : others
  return [
    insertLiveEvent(db, 'handoff_claimed', { session_id: sessionId, claimed_by: claimantId, claimant_name }),
    emitEvent.query({
      key: 'handoff.claimed',
      actorId: claimantId,
      teamId: team_id,
      sessionId,
      sessionTitle: title,
      claimantName: claimant_name,
      engineerId,
      toldIds: others.map(({ user_id }) => user_id),
      details: {
        ...{ urgency, client_name, psa_ticket_id, ticket_url: ticketUrl },
        ...{ reason: '', summary: '', what_was_tried: '', next_steps: '' },
      },
      mailedIds: waiting.filter(({ was_mailed }) => was_mailed).map(({ user_id }) => user_id),
    }),
  ] as const
}

export const HandoffState = z.object({
  status: z.enum(aiStatuses),
  /** Whether the caller may read the session. */
  can_read: z.boolean(),
  /** Whether the caller has picked up the session. */
  has_picked_up: z.boolean(),
  /** Whether the caller handed the session over. */
  is_author: z.boolean(),
  /** Whether the caller has claimed the handoff. */
  is_claimant: z.boolean(),
  is_escalation: z.boolean(),
  handoff: z.custom<Handoff | null>(),
  winner: z.custom<{ id: string; name: string } | null>(),
})
export type HandoffState = z.output<typeof HandoffState>

/** Select the state of a handoff, or of the session's newest escalation if `handoffId` is null. */
export const selectHandoffState = readStatement(
  HandoffState,
  (sessionId: string, handoffId: string | null) => sql`
    select s.status, app.sees_ai_session(s) as can_read, coalesce(s.picked_up_by_id = app.user_id(), false) as has_picked_up,
           coalesce(x.created_by, s.user_id) = app.user_id() as is_author, coalesce(x.claimed_by = app.user_id(), false) as is_claimant,
           coalesce(x.intent = 'escalate', true) as is_escalation,
           case when x.id is not null then jsonb_build_object(${handoffItem}) end as handoff,
           case when x.claimed_by is not null then jsonb_build_object('id', x.claimed_by, 'name', u.full_name) end as winner
      from ai_sessions s
      left join lateral (
        select * from ai_handoffs h
         where h.account_id = s.account_id and h.session_id = s.id
           and case when ${handoffId}::uuid is null then h.intent = 'escalate' else h.id = ${handoffId} end
         order by h.created_at desc, h.id desc limit 1) x on true
      left join users u on u.account_id = s.account_id and u.id = x.claimed_by
     where s.account_id = app.account_id() and s.id = ${sessionId} and (${handoffId}::uuid is null or x.id is not null)`,
)
