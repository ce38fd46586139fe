import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { EscalationDetails } from '#rules/events/escalation-alert.ts'
import type { Announcement } from '#rules/events/events.ts'
import { isoTime, query } from './caller.ts'

/** The body of an escalation. */
export interface Handoff {
  target_user_id?: string
  reason: string
  summary: string
  what_was_tried: string
  next_steps: string
  urgency: EscalationDetails['urgency']
}

interface Escalation {
  accountId: string
  userId: string
  // biome-ignore lint/suspicious/noExplicitAny: a row of pg
  session: any
  handoff: Handoff
  documentation: string
  details: EscalationDetails
  event: Announcement
}

const currentTime = `jsonb_build_object('created_at', ${isoTime('now()')})`

// One statement, so that the peer has no more round trips than the service.
const escalate = `
  with s as (
    update ai_sessions s set status = 'escalated', escalated_to_id = $4, picked_up_by_id = null, escalation_package = $5::jsonb || ${currentTime},
           updated_at = now(), last_activity_at = now()
     where s.account_id = $1 and s.id = $2 and s.status in ('active', 'parked') and s.updated_at = $6::timestamptz and s.state_version = $7 returning s.id
  ), closed_handoff as (
    update ai_handoffs h set closed_at = now() from s where h.account_id = $1 and h.session_id = s.id and h.closed_at is null
  ), handoff as (
    insert into ai_handoffs (id, account_id, session_id, intent, created_by, target_user_id, reason, summary, what_was_tried, next_steps, urgency,
                             documentation, assessment_status)
    select $8, $1, s.id, 'escalate', $3, $4, $9, $10, $11, $12, $13, $14, 'pending' from s returning id
  ), live_event as (
    insert into stream_events (account_id, event, data) select $1, 'handoff_created', $15::jsonb || ${currentTime} from s
  ), event as (
    insert into events (account_id, key, actor_id, title, body, link, escalation) select $1, $16, $3, $17, $18, $19, $21 from s returning id
  ), recipients as (
    select u.id, u.email from users u, s where u.account_id = $1 and u.id = $4 and u.is_active
    union
    select u.id, u.email from users u, s
     where u.account_id = $1 and (u.role = 'admin' or u.team_role = 'admin' and u.team_id = $20) and u.id <> $3 and u.is_active
  ), inbox as (
    insert into notifications (account_id, user_id, event_id, event_key, title, body, link, escalation)
    select $1, r.id, e.id, $16, $17, $18, $19, $21 from recipients r, event e
  ), matching as (
    select c.id, c.channel, c.email_addresses from notification_configs c, s where c.account_id = $1 and c.events_enabled ? $16
  ), configured as (
    insert into deliveries (account_id, config_id, event_id, event_key, channel) select $1, m.id, e.id, $16, m.channel from matching m, event e returning id
  ), personal as (
    insert into deliveries (account_id, event_id, event_key, channel, recipient)
    select $1, e.id, $16, 'email', r.email from recipients r, event e where not exists (
      select from matching m, jsonb_array_elements_text(m.email_addresses) a where m.channel = 'email' and lower(a) = lower(r.email))
    returning id
  )
  select handoff.id as handoff_id, (select count(*)::int from recipients) as notified,
         array(select id from configured union all select id from personal) as delivery_ids from handoff`

/** Store an escalation with its messages. Return undefined if the session has changed since it was read. */
export async function storeEscalation(
  request: FastifyRequest,
  escalation: Escalation,
): Promise<{ handoff_id: string; notified: number; delivery_ids: string[] } | undefined> {
  const { accountId, userId, session, handoff, documentation, details, event } = escalation
  const { target_user_id = null, reason, summary, what_was_tried, next_steps, urgency } = handoff
  const handoffId = randomUUID()
  const { rows } = await query(request, {
    name: 'escalate',
    text: escalate,
    values: [
      ...[accountId, session.id, userId, target_user_id],
      ...[JSON.stringify(toPackage(escalation, handoffId)), session.updated_at, session.state_version],
      ...[handoffId, reason, summary, what_was_tried, next_steps, urgency, documentation],
      ...[
        JSON.stringify(toLiveEvent(escalation, handoffId)),
        event.key,
        event.title,
        event.body,
        event.link,
        session.team_id,
        details,
      ],
    ],
  })
  return rows[0]
}

function toPackage({ session, handoff, userId }: Escalation, handoff_id: string) {
  const {
    title,
    problem_summary,
    evidence_items: evidence,
    suggested_fixes: fixes,
    pending_task_lane: task_lane,
  } = session
  const { summary, what_was_tried, next_steps, urgency } = handoff
  const problem = problem_summary ?? title
  return {
    summary,
    problem,
    what_was_tried,
    evidence,
    fixes,
    task_lane,
    next_steps,
    urgency,
    handoff_id,
    created_by: userId,
  }
}

function toLiveEvent({ session, handoff, details }: Escalation, handoff_id: string) {
  const { id: session_id, title, caller_name: engineer_name } = session
  return {
    handoff_id,
    session_id,
    title,
    engineer_name,
    target_user_id: handoff.target_user_id ?? null,
    ...details,
  }
}
