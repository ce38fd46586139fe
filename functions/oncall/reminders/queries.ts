import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, now } from '#db/expressions.ts'
import { latestIdFirst, type PageQuery, pageEnd } from '#db/page.ts'
import type { WriteDb } from '#db/scope.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import type { StoredAlert } from '#rules/events/escalation-alert.ts'
import { type Event, escalationPath } from '#rules/events/events.ts'
import { toWebhookContent } from '#rules/events/webhook-messages.ts'
import type { EscalationStep } from '#rules/oncall/escalation-step.ts'
import { attemptTable } from '#work/attempts.ts'
import { attemptStatements } from '#work/define-work.ts'
import { announce, EmittedEvent } from '#work/events.ts'
import { Reminder as ListedReminder } from './schemas.ts'

export const ClaimedReminder = z.object({
  id: z.string(),
  account_id: z.string(),
  follow_up_id: z.string(),
  round: z.int(),
  step: z.int(),
  attempts: z.int(),
  max_attempts: z.int(),
})
export type ClaimedReminder = z.output<typeof ClaimedReminder>

/** A claim returns no row when the reminder is not due yet. */
export const attempts = attemptStatements('reminder', ClaimedReminder, {
  claimedIf: sql`and next_attempt_at <= app.now()`,
})

export const FollowUp = z.object({
  id: z.string(),
  session_id: z.string(),
  handoff_id: z.string(),
  team_id: z.string().nullable(),
  engineer_id: z.string(),
  rounds: z.int(),
  steps: z.custom<EscalationStep[]>(),
  alert: z.custom<StoredAlert>(),
  waiting_seconds: z.int(),
})
export type FollowUp = z.output<typeof FollowUp>
type Escalation = Pick<FollowUp, 'session_id' | 'handoff_id'>

const lockOpen = (id: string) => sql`
    select f.id, f.session_id, f.handoff_id, s.team_id, h.created_by as engineer_id, f.rounds, f.steps, f.alert,
           extract(epoch from app.now() - h.created_at)::integer as waiting_seconds
      from escalation_follow_ups f
      join ai_sessions s on s.account_id = f.account_id and s.id = f.session_id
      join ai_handoffs h on h.account_id = f.account_id and h.session_id = f.session_id and h.id = f.handoff_id
     where f.account_id = app.account_id() and f.id = ${id} and f.acknowledged_at is null and h.claimed_by is null and h.closed_at is null
       and s.status in ('escalated', 'requesting_escalation') and s.escalation_package ->> 'handoff_id' = f.handoff_id::text
       for no key update of s, f`

/**
 * Lock a follow-up and its session. Return undefined when a colleague has claimed, picked up or acknowledged
 * the escalation, or when it is over. Whatever takes the escalation changes its session first, so it waits
 * for this transaction, or this statement sees its result.
 */
export const lockFollowUp = writeStatement(FollowUp, lockOpen)

/** Acknowledge a follow-up that `lockFollowUp` would lock. `userId` is null for the link in a chat channel. */
export const acknowledgeFollowUp = writeStatement(
  FollowUp,
  (id: string, userId: string | null) => sql`
    with locked as (${lockOpen(id)}), acknowledged as (
      update escalation_follow_ups f set acknowledged_by = ${userId}::uuid, acknowledged_at = app.now()
        from locked l where f.account_id = app.account_id() and f.id = l.id
    )
    select * from locked`,
)

/** Select the people of the newest escalation of a session, and the steps of its policy. */
export const selectEscalationPeople = readStatement(
  z.object({
    target_name: z.string().nullable(),
    claimant_name: z.string().nullable(),
    acknowledger_name: z.string().nullable(),
    engineer_id: z.string(),
    steps: z.custom<EscalationStep[]>(),
  }),
  (sessionId: string) => sql`
    select t.full_name as target_name, c.full_name as claimant_name, a.full_name as acknowledger_name, h.created_by as engineer_id, coalesce(f.steps, '[]') as steps
      from ai_handoffs h
      left join escalation_follow_ups f on f.account_id = h.account_id and f.session_id = h.session_id and f.handoff_id = h.id
      left join users a on a.account_id = f.account_id and a.id = f.acknowledged_by
      left join users t on t.account_id = h.account_id and t.id = h.target_user_id
      left join users c on c.account_id = h.account_id and c.id = h.claimed_by
     where h.account_id = app.account_id() and h.session_id = ${sessionId} and h.intent = 'escalate'
     order by h.created_at desc, h.id desc limit 1`,
)

export const selectNames = readStatement(
  z.object({ name: z.string() }),
  (userIds: readonly string[]) => sql`
    select u.full_name as name from users u
     where u.account_id = app.account_id() and u.id = any (${`{${userIds.join(',')}}`}::uuid[]) order by u.full_name, u.id`,
)

const Changed = z.object({ id: z.string() })

export const completeReminder = writeStatement(Changed, (claimed: ClaimedReminder) =>
  attemptTable('reminder').complete(claimed, { ok: true, status: null }, null),
)

/** Stop a reminder of an escalation that was claimed, acknowledged or ended, without a notification. */
export async function stopReminder(db: WriteDb, { id }: ClaimedReminder): Promise<void> {
  await db
    .updateTable('escalation_reminders')
    .set({ state: 'stopped', leased_until: null, next_attempt_at: null })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('state', 'in', ['waiting', 'retrying'])
    .execute()
}

/**
 * Select which of the users and configs can be notified: active engineers and admins, and configs that exist.
 */
export const selectReachable = readStatement(
  z.object({ user_ids: z.array(z.string()), config_ids: z.array(z.string()) }),
  (userIds: readonly string[], configIds: readonly string[]) => sql`
    select array(select u.id from users u where u.account_id = app.account_id() and u.id = any (${`{${userIds.join(',')}}`}::uuid[])
                    and app.can_work(u)) as user_ids,
           array(select c.id from notification_configs c
                  where c.account_id = app.account_id() and c.id = any (${`{${configIds.join(',')}}`}::uuid[])) as config_ids`,
)

/** Select who was told of an escalation in the app, the first to be told first. */
export const selectTold = readStatement(
  z.object({ id: z.string(), name: z.string() }),
  ({ session_id, handoff_id }: Escalation) => sql`
    select u.id, u.full_name as name
      from ai_handoffs h
      join notifications n on n.account_id = h.account_id and n.link = ${escalationPath(session_id)}
       and n.event_key in ('session.escalated', 'escalation.reminded') and n.created_at >= h.created_at
      join users u on u.account_id = n.account_id and u.id = n.user_id
     where h.account_id = app.account_id() and h.id = ${handoff_id}
     group by u.id, u.full_name order by min(n.created_at), u.full_name, u.id`,
)

/** Select the users and configs that the escalation itself has told. */
export const selectToldAtEscalation = readStatement(
  z.object({ user_ids: z.array(z.string()), config_ids: z.array(z.string()) }),
  ({ session_id, handoff_id }: Escalation) => sql`
    with escalated as (
      select e.id, e.link from events e
       where e.account_id = app.account_id() and e.key = 'session.escalated' and e.escalation ->> 'handoff_id' = ${handoff_id}::text
         and split_part(e.link, '?pickup', 1) = split_part(${escalationPath(session_id)}, '?pickup', 1))
    select array(select n.user_id from notifications n join escalated e on n.account_id = app.account_id() and n.link = e.link and n.event_id = e.id) as user_ids,
           array(select d.config_id from deliveries d join escalated e on d.account_id = app.account_id() and d.event_id = e.id
                  where d.config_id is not null) as config_ids`,
)

/**
 * Record that a step reached nobody. Return whether its round, and the follow-up until now, reached somebody.
 */
export const markUnreached = writeStatement(
  z.object({ is_round_reached: z.boolean(), is_reached: z.boolean() }),
  ({ id }: ClaimedReminder) => sql`
    with marked as (
      update escalation_reminders r set state = 'unreached' where r.account_id = app.account_id() and r.id = ${id}
      returning r.account_id, r.follow_up_id, r.round
    )
    select coalesce(bool_or(o.round = m.round), false) as is_round_reached, count(o) > 0 as is_reached
      from marked m left join escalation_reminders o
        on o.account_id = m.account_id and o.follow_up_id = m.follow_up_id and o.state = 'sent' and o.id <> ${id}`,
)

/**
 * Record that the admins are told that a whole round reached nobody. Return false if they were told before.
 */
export async function markAdminsTold(db: WriteDb, followUpId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('escalation_follow_ups')
    .set({ unreached_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', followUpId)
    .where('unreached_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Select the reminders of a session's escalations, the latest first. */
export const selectReminders = readStatement(
  ListedReminder,
  (sessionId: string, page: PageQuery) => sql`
    select r.id, f.handoff_id, r.round, r.step, case r.state when 'retrying' then 'waiting' else r.state end as state,
           r.next_attempt_at as due_at, r.sent_at as taken_at
      from escalation_follow_ups f join escalation_reminders r on r.account_id = f.account_id and r.follow_up_id = f.id
     where f.account_id = app.account_id() and f.session_id = ${sessionId}
     ${pageEnd(latestIdFirst, page, 'r')}`,
)

type ReminderEvent = Extract<Event, { key: 'escalation.reminded' }>

/** Insert the event of a reminder with its notifications and deliveries. */
export const emitReminder = writeStatement(
  EmittedEvent.extend({ event_id: notNull<string>() }),
  (event: ReminderEvent, configIds: readonly string[], engineerId: string) => {
    const { key, texts, masked, link, userIds } = announce(event)
    return sql`
      select event_id, delivery_ids, user_ids, webhook_delivery_ids
        from ${callFunction('app.emit_reminder', {
          p_key: key,
          p_team: event.teamId,
          p_users: userIds,
          p_configs: configIds,
          p_texts: texts,
          p_masked: masked,
          p_link: link,
          p_cause: engineerId,
          p_webhook: JSON.stringify(toWebhookContent(event)),
        })}`
  },
)

export async function storeEventId(db: WriteDb, { id }: ClaimedReminder, eventId: string): Promise<void> {
  await db
    .updateTable('escalation_reminders')
    .set({ event_id: eventId })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

export function selectFollowUpId(
  db: WriteDb,
  { sessionId, handoffId }: { sessionId: string; handoffId: string },
) {
  return db
    .selectFrom('escalation_follow_ups')
    .select('id')
    .where('account_id', '=', accountId)
    .where('session_id', '=', sessionId)
    .where('handoff_id', '=', handoffId)
    .executeTakeFirst()
}

/** A reminder that was inserted, and the seconds until it is due. */
export const PlannedReminder = z.object({ id: z.string(), delay_seconds: z.int() })
export type PlannedReminder = z.output<typeof PlannedReminder>

const delayOf = (step: RawBuilder<unknown>) => sql`(f.steps -> (${step} - 1) ->> 'delay_minutes')::integer`

/**
 * Insert what follows the reminders of `taken`: the next step, or the first step of the next round. Nothing
 * follows the last one. It is due after its delay, or at once if `is_at_once`.
 */
const insertNext = (taken: RawBuilder<unknown>) => sql`
  insert into escalation_reminders (account_id, follow_up_id, round, step, next_attempt_at)
  select n.account_id, n.follow_up_id, n.round, n.step, app.now() + make_interval(mins => case when n.is_at_once then 0 else ${delayOf(sql`n.step`)} end)
    from (select t.is_at_once, f.id as follow_up_id, f.account_id, case when t.step < jsonb_array_length(f.steps) then t.round else t.round + 1 end as round,
                 case when t.step < jsonb_array_length(f.steps) then t.step + 1 else 1 end as step
            from ${taken} t join escalation_follow_ups f on f.account_id = t.account_id and f.id = t.follow_up_id) n
    join escalation_follow_ups f on f.account_id = n.account_id and f.id = n.follow_up_id
   where n.round <= f.rounds
  on conflict (account_id, follow_up_id, round, step) do nothing
  returning id, extract(epoch from next_attempt_at - app.now())::integer as delay_seconds`

export const planNextReminder = writeStatement(
  PlannedReminder,
  ({ account_id, follow_up_id, round, step }: ClaimedReminder, isAtOnce: boolean) =>
    insertNext(sql`
      (select ${account_id}::uuid as account_id, ${follow_up_id}::uuid as follow_up_id, ${round}::integer as round, ${step}::integer as step,
              ${isAtOnce}::boolean as is_at_once)`),
)

/** Fail the reminders whose last attempt never reported a result, and plan the steps that follow them. */
export const failAbandonedReminders = writeStatement(
  PlannedReminder,
  () => sql`
    with failed as (
      ${attemptTable('reminder').failAbandoned} returning account_id, follow_up_id, round, step, false as is_at_once
    ) ${insertNext(sql`failed`)}`,
)
