import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { acknowledgement } from '#db/rows/ai-session-queries.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import type { HandoverCase, HandoverFacts, HandoverPromise } from '#rules/oncall/handover.ts'

/**
 * Condition: the caller may see what belongs to a team, as in the queue, and it belongs to the asked team or
 * to none.
 */
const isShared = (column: string, teamId: string | null) => {
  const team = sql.ref(column)
  return sql`(${team} is null or app.team_id() is null or ${team} = app.team_id() or coalesce(app.role() = 'admin', false))
    and (${teamId}::uuid is null or ${team} is null or ${team} = ${teamId})`
}

/** Condition: who reads leads the team. The handover that is sent to a team has no reader. */
const leads = (team: RawBuilder<unknown>) => sql`(app.user_id() is null or app.administers(${team}))`

/** Select the time, the begin of the shift and the time zone of the caller, or else of the team. */
export const selectShift = readStatement(
  z.object({
    since: notNull<string>(),
    until: notNull<string>(),
    timezone: notNull<string>(),
    is_known_team: notNull<boolean>(),
    scope: notNull<HandoverFacts['scope']>(),
  }),
  (since: string | null, teamId: string | null) => sql`
    select coalesce(${since}::timestamptz, app.now() - interval '12 hours')::timestamptz(3) as since, app.now()::timestamptz(3) as until,
           app.known_timezone(coalesce((select u.timezone from users u where u.account_id = a.id and u.id = app.user_id()), t.timezone, a.timezone)) as timezone,
           (${teamId}::uuid is null or t.id is not null) as is_known_team,
           case when ${teamId}::uuid is null and app.administers(null) then 'account'
                when ${leads(sql`coalesce(${teamId}::uuid, app.team_id())`)} then 'team' else 'own' end as scope
      from accounts a left join teams t on t.account_id = a.id and t.id = ${teamId} where a.id = app.account_id()`,
)

export const maxCases = 50
const maxPromises = 20

const text = z.string()
const nullableText = z.string().nullable()

/**
 * Select the open sessions of the teams that the caller leads, the escalations of the queue and the caller's
 * own open sessions, those that wait for a colleague and are urgent first.
 */
export const selectOpenCases = readStatement(
  z.object({
    session_id: text,
    title: text,
    status: notNull<HandoverCase['status']>(),
    urgency: notNull<HandoverCase['urgency']>(),
    client_name: nullableText,
    psa_ticket_id: nullableText,
    engineer_name: nullableText,
    claimant_name: nullableText,
    acknowledged_by: nullableText,
    acknowledged_by_name: nullableText,
    acknowledged_at: nullableText,
    next_steps: nullableText,
    created_at: text,
    escalated_at: nullableText,
    claimed_at: nullableText,
    script_runs: notNull<number>(),
  }),
  (since: string, teamId: string | null) => {
    const isOpen = sql`s.status in ('active', 'parked', 'requesting_escalation', 'escalated', 'claimed')`
    const ofTeam = sql`(${teamId}::uuid is null or s.team_id is null or s.team_id = ${teamId})`
    const nameOf = (id: string) =>
      sql`(select u.full_name from users u where u.account_id = s.account_id and u.id = ${sql.ref(id)})`
    return sql`
      with visible as (
        select s.id from ai_sessions s
         where s.account_id = app.account_id() and s.status in ('requesting_escalation', 'escalated', 'claimed') and ${isShared('s.team_id', teamId)}
        union select s.id from ai_sessions s where s.account_id = app.account_id() and ${leads(sql`s.team_id`)} and ${isOpen} and ${ofTeam}
        union select s.id from ai_sessions s where s.account_id = app.account_id() and s.user_id = app.user_id() and ${isOpen} and ${ofTeam}
        union select s.id from ai_sessions s where s.account_id = app.account_id() and s.escalated_to_id = app.user_id() and ${isOpen} and ${ofTeam}
        union select s.id from ai_sessions s where s.account_id = app.account_id() and s.picked_up_by_id = app.user_id() and ${isOpen} and ${ofTeam}
      ), cases as (
        select s.*, coalesce(h.urgency, 'normal') as urgency, coalesce(h.created_by, s.picked_up_by_id, s.user_id) as engineer_id, h.claimed_by,
               case when app.sees_ai_session(s) then h.next_steps end as next_steps, h.created_at as escalated_at, h.claimed_at,
               k.acknowledged_by, k.acknowledged_by_name, k.acknowledged_at
          from visible v join ai_sessions s on s.account_id = app.account_id() and s.id = v.id
          left join lateral (select * from ai_handoffs h where h.account_id = s.account_id and h.session_id = s.id and h.closed_at is null
                                and h.intent = 'escalate' limit 1) h on true
          left join ${acknowledgement('h')} on true)
      select s.id as session_id, s.title, s.status, s.urgency, s.client_name, s.psa_ticket_id, ${nameOf('s.engineer_id')} as engineer_name,
             ${nameOf('s.claimed_by')} as claimant_name, s.acknowledged_by, s.acknowledged_by_name, s.acknowledged_at, s.next_steps, s.created_at, s.escalated_at, s.claimed_at,
             (select count(*)::integer from script_runs r where r.account_id = s.account_id and r.ai_session_id = s.id and r.created_at >= ${since}) as script_runs
        from cases s
       order by s.status not in ('requesting_escalation', 'escalated'), array_position(array['critical', 'high', 'normal', 'low'], s.urgency),
                coalesce(s.escalated_at, s.created_at), s.id limit ${maxCases + 1}`
  },
)

/** Count the AI sessions that were resolved since. */
export const countResolved = readStatement(
  z.object({ resolved_count: notNull<number>() }),
  (since: string, teamId: string | null) => sql`
    select count(*)::integer as resolved_count from ai_sessions s
     where s.account_id = app.account_id() and s.resolved_at >= ${since} and ${isShared('s.team_id', teamId)}`,
)

const PromiseRow = z.object({
  kind: notNull<HandoverPromise['kind']>(),
  text: notNull<string>(),
  session_id: nullableText,
  is_ai: notNull<boolean>(),
  psa_ticket_id: nullableText,
  told_at: nullableText,
  due_at: nullableText,
})

/**
 * Select the notes since then that clients read, newest first. One that did not reach its ticket is left out.
 */
export const selectClientNotes = readStatement(
  PromiseRow,
  (since: string, teamId: string | null) => sql`
    select 'client_note' as kind, left(n.body, 300) as text, coalesce(n.ai_session_id, n.run_id) as session_id, n.ai_session_id is not null as is_ai,
           n.ticket_id as psa_ticket_id, n.pushed_at as told_at, null::timestamptz as due_at
      from (select p.*, a.id as ai_session_id, f.id as run_id, coalesce(a.team_id, f.team_id, u.team_id) as team_id
              from psa_pushes p
              left join ai_outputs o on o.account_id = p.account_id and p.source_kind = 'output' and o.id = p.source_id
              left join ai_sessions a on a.account_id = p.account_id
                and a.id = coalesce(o.session_id, case when p.source_kind = 'ai_session' then p.source_id end)
              left join sessions f on f.account_id = p.account_id and p.source_kind = 'session' and f.id = p.source_id
              left join users u on u.account_id = p.account_id and u.id = p.requested_by
             where p.account_id = app.account_id() and p.created_at >= ${since} and not p.internal and p.kind = 'note' and p.state = 'pushed'
               and p.body <> '[deleted]') n
     where ${isShared('n.team_id', teamId)} order by n.created_at desc, n.id desc limit ${maxPromises}`,
)

/** Select the fixes without a result of open sessions that the caller sees. */
export const selectPendingFixes = readStatement(
  PromiseRow,
  (teamId: string | null) => sql`
    select 'pending_fix' as kind, x.title || coalesce(': ' || left(x.pending_reason, 300), '') as text, s.id as session_id, true as is_ai,
           s.psa_ticket_id, null::timestamptz as told_at, null::timestamptz as due_at
      from ai_sessions s join ai_fixes x on x.account_id = s.account_id and x.session_id = s.id
     where s.account_id = app.account_id() and s.status in ('active', 'parked', 'requesting_escalation', 'escalated', 'claimed')
       and x.status = 'applied_pending' and app.sees_ai_session(s) and ${isShared('s.team_id', teamId)}
     order by x.updated_at desc, x.id limit ${maxPromises}`,
)

/** Select the waiting timers of runs, the next one first. */
export const selectTimers = readStatement(
  PromiseRow,
  (teamId: string | null) => sql`
    select 'timer' as kind, concat_ws(', ', case when app.hides_flow(s.tree_id) then 'Private flow' else s.tree_name end, s.client_name, s.target_label) as text, s.id as session_id, false as is_ai,
           s.ticket_number as psa_ticket_id, null::timestamptz as told_at, t.due_at
      from session_timers t join sessions s on s.account_id = t.account_id and s.id = t.session_id
     where t.account_id = app.account_id() and t.state = 'waiting' and s.state = 'in_progress' and t.seq = s.answered and ${isShared('s.team_id', teamId)}
     order by t.due_at, s.id limit ${maxPromises}`,
)

/** Select the accounts with teams whose handover is due, the account that has waited longest first. */
export const selectAccountsWithDue = readStatement(
  z.object({ account_id: z.string() }),
  () => sql`
    select t.account_id from teams t join accounts a on a.id = t.account_id and a.erasing_at is null
     where t.handover_at <= app.now() group by t.account_id order by min(t.handover_at), t.account_id limit 500`,
)

const DueTeam = z.object({
  team_id: z.string(),
  name: z.string(),
  set_by: z.string().nullable(),
  is_sent: notNull<boolean>(),
})
export type DueTeam = z.output<typeof DueTeam>

/**
 * Take the due handovers of the account and plan the next ones. One is not sent more than two hours late, and
 * not twice on a local day, also when its time was changed. A concurrent call waits for the row, and finds it
 * planned.
 */
export const takeDue = writeStatement(
  DueTeam,
  () => sql`
    with due as (
      select t.id, z.name as zone, t.handover_at > app.now() - interval '2 hours'
               and coalesce((t.handover_sent_at at time zone z.name)::date < (app.now() at time zone z.name)::date, true) as is_sent
        from teams t join accounts a on a.id = t.account_id,
             lateral (select app.known_timezone(coalesce(t.timezone, a.timezone)) as name) z
       where t.account_id = app.account_id() and t.handover_at <= app.now() for no key update of t)
    update teams t set handover_at = app.next_time_of_day(t.handover_time, d.zone),
                       handover_sent_at = case when d.is_sent then app.now() else t.handover_sent_at end
      from due d where t.account_id = app.account_id() and t.id = d.id
    returning t.id as team_id, t.name, t.handover_set_by as set_by, d.is_sent`,
)
