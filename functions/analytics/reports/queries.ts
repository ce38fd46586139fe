import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, userId } from '#db/expressions.ts'
import { type Order, type PageQuery, pageEnd } from '#db/page.ts'
import { isRun } from '#db/rows/sessions.ts'
import type { PlatformDb, ReadDb, WriteDb } from '#db/scope.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import type { FlowResult, WaitingCases, WeekCounts, WeeklyReport } from '#rules/reports/weekly.ts'
import type { SubscriptionKey } from '#vendors/auth/unsubscribe-tokens.ts'
import { ReportSubscription } from './schemas.ts'

export const TeamWeek = z.object({
  team_id: notNull<string>(),
  team_name: notNull<string>(),
  timezone: notNull<string>(),
  week: notNull<string>(),
  monday: notNull<string>(),
  starts_at: notNull<string>(),
  ends_at: notNull<string>(),
})
export type TeamWeek = z.output<typeof TeamWeek>

/**
 * Select a week of a team of the account, by default the last one that has ended, or one that many weeks
 * before.
 */
export const selectTeamWeek = readStatement(
  TeamWeek,
  (teamId: string, week: string | null, weeksAgo: number) => sql`
    select w.* from ${callFunction('app.team_week', { p_team: teamId, p_week: week, p_weeks_ago: weeksAgo })} w where exists (select from teams t where t.account_id = app.account_id() and t.id = w.team_id)`,
)

const integer = notNull<number>()
const during = (column: string, { starts_at, ends_at }: TeamWeek) =>
  sql`${sql.ref(column)} >= ${starts_at} and ${sql.ref(column)} < ${ends_at}`

export const selectSessionCounts = readStatement(
  z.object({ completed: integer, resolved: integer, escalated: integer }),
  (week: TeamWeek) => sql`
    select count(*)::integer as completed, (count(*) filter (where s.outcome = 'resolved'))::integer as resolved,
           (count(*) filter (where s.outcome = 'escalated'))::integer as escalated
      from sessions s where s.account_id = app.account_id() and ${isRun} and ${during('s.completed_at', week)} and s.team_id = ${week.team_id}`,
)

export const selectResolvedAiSessions = readStatement(
  z.object({ resolved: integer }),
  (week: TeamWeek) => sql`
    select count(*)::integer as resolved from ai_sessions s
     where s.account_id = app.account_id() and ${during('s.resolved_at', week)} and s.team_id = ${week.team_id}`,
)

/** Count the escalations of the week, and measure how long they waited for their claim. */
export const selectEscalations = readStatement(
  z.object({
    escalated: integer,
    claimed: integer,
    unclaimed: integer,
    median_seconds: z.number().nullable(),
    p90_seconds: z.number().nullable(),
  }),
  (week: TeamWeek) => {
    const seconds = sql`extract(epoch from h.claimed_at - h.created_at)`
    const percentile = (share: number) =>
      sql`round((percentile_cont(${sql.lit(share)}) within group (order by ${seconds}))::numeric, 1)::float8`
    return sql`
      select count(*)::integer as escalated, count(h.claimed_at)::integer as claimed, (count(*) - count(h.claimed_at))::integer as unclaimed,
             ${percentile(0.5)} as median_seconds, ${percentile(0.9)} as p90_seconds
        from ai_handoffs h join ai_sessions s on s.account_id = h.account_id and s.id = h.session_id
       where h.account_id = app.account_id() and h.intent = 'escalate' and ${during('h.created_at', week)} and s.team_id = ${week.team_id}`
  },
)

const maxFlows = 1000

/** Count the completed sessions of each flow, the most used first. The name is that in the newest session. */
export const selectFlowResults = readStatement(
  z.object({ tree_id: z.string(), name: notNull<string>(), completed: integer, resolved: integer }),
  (week: TeamWeek) => sql`
    select s.tree_id, (array_agg(s.tree_name order by s.completed_at desc, s.id))[1] as name, count(*)::integer as completed,
           (count(*) filter (where s.outcome = 'resolved'))::integer as resolved
      from sessions s where s.account_id = app.account_id() and ${during('s.completed_at', week)} and s.team_id = ${week.team_id}
     group by s.tree_id having not app.hides_flow(s.tree_id) order by 3 desc, 1 limit ${maxFlows}`,
)

/** Count the sessions that were started, and those that were resolved, in each hour of the week. */
export const selectHours = readStatement(
  z.object({ day: integer, hour: integer, sessions: integer, ai_sessions: integer, resolved: integer }),
  (week: TeamWeek) => sql`
    select extract(isodow from e.at at time zone ${week.timezone})::integer as day, extract(hour from e.at at time zone ${week.timezone})::integer as hour,
           (count(*) filter (where e.kind = 'session'))::integer as sessions, (count(*) filter (where e.kind = 'ai_session'))::integer as ai_sessions,
           (count(*) filter (where e.kind = 'resolved'))::integer as resolved
      from (
        select 'session' as kind, s.started_at as at from sessions s
         where s.account_id = app.account_id() and ${isRun} and ${during('s.started_at', week)} and s.team_id = ${week.team_id}
        union all
        select 'ai_session', s.created_at from ai_sessions s
         where s.account_id = app.account_id() and ${during('s.created_at', week)} and s.team_id = ${week.team_id}
        union all
        select 'resolved', s.completed_at from sessions s
         where s.account_id = app.account_id() and ${isRun} and ${during('s.completed_at', week)} and s.team_id = ${week.team_id} and s.outcome = 'resolved'
        union all
        select 'resolved', s.resolved_at from ai_sessions s
         where s.account_id = app.account_id() and ${during('s.resolved_at', week)} and s.team_id = ${week.team_id}) e
     group by 1, 2 order by 1, 2`,
)

/** Count what was started, resolved and escalated, sessions of flows and AI sessions together. */
export const selectTotals = readStatement(
  z.object({ started: integer, resolved: integer, escalated: integer }),
  (week: TeamWeek) => {
    const count = (from: RawBuilder<unknown>, column: string, condition = sql`true`) => sql`
      (select count(*) from ${from} where s.account_id = app.account_id() and ${condition} and s.team_id = ${week.team_id} and ${during(column, week)})`
    const cases = sql`ai_sessions s`
    const handoffs = sql`ai_sessions s join ai_handoffs h on h.account_id = s.account_id and h.session_id = s.id and h.intent = 'escalate'`
    const countEnded = (outcome: string) => sql`
      (select count(*) from sessions s where s.account_id = app.account_id() and ${isRun} and s.team_id = ${week.team_id}
          and ${during('s.completed_at', week)} and s.outcome = ${sql.lit(outcome)})`
    return sql`
      select (${count(sql`sessions s`, 's.started_at', isRun)} + ${count(cases, 's.created_at')})::integer as started,
             (${countEnded('resolved')} + ${count(cases, 's.resolved_at')})::integer as resolved,
             (${countEnded('escalated')} + ${count(handoffs, 'h.created_at')})::integer as escalated`
  },
)

/**
 * Count what was open at the end of the week. Older sessions are left out, so that the whole history need not
 * be read.
 */
export const selectOpen = readStatement(
  z.object({ sessions: integer, ai_sessions: integer }),
  ({ ends_at: end, team_id }: TeamWeek) => {
    const isRecent = (column: string) =>
      sql`${sql.ref(column)} >= ${end}::timestamptz - interval '90 days' and ${sql.ref(column)} < ${end}`
    return sql`
    select (select count(*) from sessions s where s.account_id = app.account_id() and ${isRun} and s.team_id = ${team_id} and ${isRecent('s.started_at')}
               and (s.state = 'in_progress' or s.completed_at >= ${end}))::integer as sessions,
           (select count(*) from ai_sessions s where s.account_id = app.account_id() and s.team_id = ${team_id} and ${isRecent('s.created_at')}
               and case when s.status = 'resolved' then s.resolved_at >= ${end}
                        else s.status not in ('abandoned', 'archived') or s.updated_at >= ${end} end)::integer as ai_sessions`
  },
)

/** Count what waited for whom at the end of the week, or now if it has not ended. */
export const selectWaiting = readStatement(
  z.object({
    waits_for: notNull<WaitingCases['waits_for']>(),
    count: integer,
    longest_seconds: notNull<number>(),
  }),
  ({ ends_at: end, team_id }: TeamWeek) => {
    const isRecent = (column: string) =>
      sql`${sql.ref(column)} >= ${end}::timestamptz - interval '90 days' and ${sql.ref(column)} < ${end}`
    const handoffs = sql`
      ai_handoffs h join ai_sessions s on s.account_id = h.account_id and s.id = h.session_id
       where h.account_id = app.account_id() and s.team_id = ${team_id} and h.intent = 'escalate' and ${isRecent('h.created_at')}
         and (h.closed_at is null or h.closed_at >= ${end})`
    return sql`
      select w.waits_for, count(*)::integer as count, extract(epoch from least(${end}::timestamptz, app.now()) - min(w.since))::float8 as longest_seconds
        from (select 1 as place, 'colleague' as waits_for, h.created_at as since from ${handoffs} and (h.claimed_at is null or h.claimed_at >= ${end})
              union all
              select 2, 'claimant', h.claimed_at from ${handoffs} and h.claimed_at < ${end} and (h.picked_up_at is null or h.picked_up_at >= ${end})
              union all
              select 3, 'approver', a.requested_at from approvals a
               where a.account_id = app.account_id() and a.team_id = ${team_id} and ${isRecent('a.requested_at')}
                 and (a.state = 'pending' or a.decided_at >= ${end})) w
       group by w.place, w.waits_for order by w.place`
  },
)

const maxListedFlows = 5
const minSessions = 3

/** Select the flows whose completed sessions took longest. */
export const selectSlowFlows = readStatement(
  z.object({
    tree_id: z.string(),
    name: notNull<string>(),
    completed: integer,
    median_seconds: notNull<number>(),
  }),
  (week: TeamWeek) => sql`
    select s.tree_id, (array_agg(s.tree_name order by s.completed_at desc, s.id))[1] as name, count(*)::integer as completed,
           percentile_cont(0.5) within group (order by s.lasted) as median_seconds
      from sessions s where s.account_id = app.account_id() and ${during('s.completed_at', week)} and s.team_id = ${week.team_id}
     group by s.tree_id having count(*) >= ${minSessions} and not app.hides_flow(s.tree_id) order by 4 desc, 1 limit ${maxListedFlows}`,
)

/** Select the flows of which no session that was started in the week was completed in it. */
export const selectUnfinishedFlows = readStatement(
  z.object({ tree_id: z.string(), name: notNull<string>(), started: integer }),
  (week: TeamWeek) => sql`
    select s.tree_id, (array_agg(s.tree_name order by s.started_at desc, s.id))[1] as name, count(*)::integer as started
      from sessions s where s.account_id = app.account_id() and ${during('s.started_at', week)} and s.team_id = ${week.team_id}
     group by s.tree_id having count(*) >= ${minSessions} and count(*) filter (where s.completed_at < ${week.ends_at}) = 0 and not app.hides_flow(s.tree_id)
     order by 3 desc, 1 limit ${maxListedFlows}`,
)

const maxOverdue = 3

/**
 * Select the flows of a team and of no team whose review was overdue at the end of the week, the longest
 * overdue first, and the number of all.
 */
export const selectOverdueReviews = readStatement(
  z.object({ count: integer, tree_id: z.string(), name: notNull<string>(), due_on: notNull<string>() }),
  ({ team_id, timezone, monday }: TeamWeek) => sql`
    select (count(*) over ())::integer as count, t.id as tree_id, t.name, t.review_due_on::text as due_on
      from trees t
     where t.account_id = app.account_id() and (t.team_id is null or t.team_id = ${team_id})
       and t.review_due_on <= least(${monday}::date + 6, (app.now() at time zone ${timezone})::date)
     order by t.review_due_on, t.id limit ${maxOverdue}`,
)

/** Select the counts of a team's week and of the week before, in one round trip. */
export async function selectWeekCounts(db: ReadDb, week: TeamWeek, before: TeamWeek): Promise<WeekCounts> {
  const [
    sessions,
    ai,
    escalations,
    flows,
    hours,
    totals,
    claimsBefore,
    open,
    waiting,
    slow_flows,
    unfinished_flows,
    overdue,
  ] = await db.batch([
    selectSessionCounts.query(week),
    selectResolvedAiSessions.query(week),
    selectEscalations.query(week),
    selectFlowResults.query(week),
    selectHours.query(week),
    selectTotals.query(before),
    selectEscalations.query(before),
    selectOpen.query(week),
    selectWaiting.query(week),
    selectSlowFlows.query(week),
    selectUnfinishedFlows.query(week),
    selectOverdueReviews.query(week),
  ])
  const [sessionCounts, aiCounts, escalationCounts, previous, openCounts] = [
    sessions[0],
    ai[0],
    escalations[0],
    totals[0],
    open[0],
  ]
  if (!sessionCounts || !aiCounts || !escalationCounts || !previous || !openCounts)
    throw new Error('A count returned no row')
  return {
    week,
    sessions: sessionCounts,
    ai: aiCounts,
    escalations: escalationCounts,
    flows: flows as FlowResult[],
    hours,
    previous: { ...previous, median_seconds: claimsBefore[0]?.median_seconds ?? null },
    open: openCounts,
    waiting,
    slow_flows,
    unfinished_flows,
    overdue_reviews: { count: overdue[0]?.count ?? 0, flows: overdue.map(({ count: _, ...flow }) => flow) },
  }
}

/** The design of a team's documents. */
export const selectBranding = readStatement(
  z.object({
    company: z.string(),
    colour: z.string().nullable(),
    footer: z.string().nullable(),
    logo: z.custom<{ key: string; width: number; height: number } | null>(),
  }),
  (teamId: string) => sql`
    select coalesce(t.branding_company_name, a.name) as company, t.branding_primary_colour as colour, t.branding_footer_text as footer,
           case when l.id is not null then jsonb_build_object('key', l.object_key, 'width', l.width, 'height', l.height) end as logo
      from teams t join accounts a on a.id = t.account_id
      left join uploads l on l.account_id = t.account_id and l.id = t.branding_logo_upload_id
     where t.account_id = app.account_id() and t.id = ${teamId}`,
)

const subscriptions = sql`report_subscriptions r join teams t on t.account_id = r.account_id and t.id = r.team_id
  where r.account_id = app.account_id() and r.user_id = app.user_id()`

export const subscriptionOrder: Order<'team_name' | 'team_id'> = [
  { field: 'team_name', kind: 'name', column: sql`t.name` },
  { field: 'team_id', kind: 'uuid', column: sql`t.id` },
]

export const selectSubscriptions = readStatement(
  ReportSubscription,
  (page: PageQuery) => sql`
    select r.team_id, t.name as team_name, r.created_at from ${subscriptions}
     ${pageEnd(subscriptionOrder, page)}`,
)

export const selectSubscription = readStatement(
  ReportSubscription,
  (teamId: string) =>
    sql`select r.team_id, t.name as team_name, r.created_at from ${subscriptions} and r.team_id = ${teamId}`,
)

/** Subscribe the caller to the report of a team of the account. */
export const insertSubscription = writeStatement(
  null,
  (teamId: string) => sql`
    insert into report_subscriptions (team_id) select t.id from teams t where t.account_id = app.account_id() and t.id = ${teamId}
    on conflict do nothing`,
)

/** Delete the caller's subscription to a team's report. Return whether there was one. */
export async function deleteSubscription(db: WriteDb, teamId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('report_subscriptions')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export function selectTeam(db: ReadDb, teamId: string): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('teams')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', teamId)
    .executeTakeFirst()
}

export async function deleteSubscriptionByLink(
  db: PlatformDb,
  { accountId, teamId, userId }: SubscriptionKey,
): Promise<void> {
  await db
    .deleteFrom('report_subscriptions')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('team_id', '=', teamId)
    .execute()
}

/** Restore a subscription. Do nothing if the user or the team no longer exists. */
export const restoreSubscription = writeStatement(
  null,
  ({ accountId, teamId, userId }: SubscriptionKey) => sql`
    insert into report_subscriptions (account_id, team_id, user_id)
    select u.account_id, t.id, u.id from users u join teams t on t.account_id = u.account_id and t.id = ${teamId}
     where u.account_id = ${accountId} and u.id = ${userId} and u.is_active on conflict do nothing`,
)

export const selectDueReports = readStatement(
  z.object({
    account_id: notNull<string>(),
    team_id: notNull<string>(),
    week: notNull<string>(),
    due_at: notNull<string>(),
  }),
  (limit: number) =>
    sql`select account_id, team_id, week, due_at from ${callFunction('app.due_weekly_reports', { p_limit: limit })}`,
)

/** Store a report with its e-mails, unless it is stored already. Return the e-mails to publish. */
export const sendReport = writeStatement(
  z.object({ id: notNull<string>() }),
  (due: { account_id: string; team_id: string; week: string; due_at: string }, report: WeeklyReport) => sql`
    select ${callFunction('app.send_weekly_report', {
      p_account: due.account_id,
      p_team: due.team_id,
      p_week: due.week,
      p_due: due.due_at,
      p_content: JSON.stringify(report),
    })} as id`,
)

/** Select the report of an e-mail. */
export function selectSentReport(
  db: PlatformDb,
  accountId: string,
  reportId: string,
): Promise<{ content: WeeklyReport } | undefined> {
  return db
    .selectFrom('weekly_reports')
    .select('content')
    .where('account_id', '=', accountId)
    .where('id', '=', reportId)
    .executeTakeFirst()
}
