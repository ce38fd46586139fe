import { type RawBuilder, sql } from 'kysely'
import type * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { type Order, type PageQuery, pageEnd } from '#db/page.ts'
import { isRun } from '#db/rows/sessions.ts'
import type { ReadDb } from '#db/scope.ts'
import { notNull, readStatement } from '#db/statement.ts'
import { EscalationMetrics, FlowMetrics, MyMetrics, StepMetrics, TeamMetrics } from './schemas.ts'

/** `lasted` is null until a session is completed, so open sessions do not count. */
const medianMinutes = sql`round((percentile_cont(0.5) within group (order by s.lasted) / 60)::numeric, 2)::float8`
const resolutionRate = sql`round(avg((s.outcome = 'resolved')::integer), 4)::float8`
/** A scalar subquery, so that it is evaluated once and not per row. */
const periodStart = (days: number) => sql`(select ${callFunction('app.period_start', { p_days: days })})`
/** Which sessions of the account are counted: those of the caller, those of a team, or all. */
export type SessionFilter = { ownOnly: true } | { teamId?: string | undefined }
const sessionCondition = (filter: SessionFilter) => {
  if ('ownOnly' in filter) return sql`and s.user_id = app.user_id()`
  return filter.teamId === undefined ? sql`` : sql`and s.team_id = ${filter.teamId}`
}
/** The name of a flow in its newest session. */
const flowName = (tree: RawBuilder<unknown>) => sql`
  (select n.tree_name from sessions n
    where n.account_id = app.account_id() and n.tree_id = ${tree} and n.started_at is not null order by n.started_at desc limit 1)`

const ratingCondition = (filter: SessionFilter) => {
  if ('ownOnly' in filter) return sql`and r.session_user_id = app.user_id()`
  if (filter.teamId === undefined) return sql``
  return sql`and exists (select from sessions s where s.account_id = r.account_id and s.id = r.session_id and s.team_id = ${filter.teamId} offset 0)`
}

const CompletedMetrics = MyMetrics.pick({
  sessions_completed: true,
  resolution_rate: true,
  median_minutes: true,
})
const RatingMetrics = MyMetrics.pick({ csat_average: true, csat_count: true })

const completedMetrics = (days: number, condition: RawBuilder<unknown>) => sql`
  select count(*)::integer as sessions_completed, ${resolutionRate} as resolution_rate, ${medianMinutes} as median_minutes
    from sessions s where s.account_id = app.account_id() and s.completed_at >= ${periodStart(days)} and ${isRun} ${condition}`

export const selectCompletedMetrics = readStatement(CompletedMetrics, (days: number, filter: SessionFilter) =>
  completedMetrics(days, sessionCondition(filter)),
)

export const selectRatingMetrics = readStatement(
  RatingMetrics,
  (days: number, filter: SessionFilter) => sql`
    select round(avg(r.score), 2)::float8 as csat_average, count(*)::integer as csat_count from session_ratings r
     where r.account_id = app.account_id() and r.rated_at >= ${periodStart(days)} ${ratingCondition(filter)}`,
)

export const selectTopFlows = readStatement(
  MyMetrics.shape.top_flows.element,
  (days: number, filter: SessionFilter) => sql`
    select g.tree_id, ${flowName(sql`g.tree_id`)} as name, g.sessions
      from (select s.tree_id, count(*)::integer as sessions from sessions s
             where s.account_id = app.account_id() and s.started_at >= ${periodStart(days)} ${sessionCondition(filter)}
             group by s.tree_id having not app.hides_flow(s.tree_id) order by count(*) desc, s.tree_id limit 10) g
     order by g.sessions desc, g.tree_id`,
)

/**
 * Count the sessions of every day of the period, today last. Each local day is one index range, so no row's
 * own day is computed.
 */
export const selectMetricsPerDay = readStatement(
  MyMetrics.shape.by_day.element,
  (days: number, filter: SessionFilter) => {
    const countPerDay = (column: string) => sql`
    lateral (select count(*)::integer as n from sessions s
      where s.account_id = app.account_id() and ${sql.ref(column)} >= d.start and ${sql.ref(column)} < d.until and ${isRun} ${sessionCondition(filter)})`
    return sql`
    select d.date, started.n as started, completed.n as completed
      from ${callFunction('app.days_of', { p_days: days })} d, ${countPerDay('s.started_at')} started, ${countPerDay('s.completed_at')} completed
     order by d.start`
  },
)

export async function selectMetrics(
  db: ReadDb,
  days: number,
  filter: SessionFilter,
): Promise<Omit<MyMetrics, 'period'>> {
  const [[by_day, ratings], [completed, top_flows]] = await Promise.all([
    db.batch([selectMetricsPerDay.query(days, filter), selectRatingMetrics.query(days, filter)]),
    db.batch([selectCompletedMetrics.query(days, filter), selectTopFlows.query(days, filter)]),
  ])
  const sessions_started = by_day.reduce((sum, { started }) => sum + started, 0)
  const [completedCounts, ratingCounts] = [completed[0], ratings[0]] as [
    z.output<typeof CompletedMetrics>,
    z.output<typeof RatingMetrics>,
  ]
  return { sessions_started, ...completedCounts, ...ratingCounts, by_day, top_flows }
}

/** Return the metrics of every user who started or completed a session, most sessions first. */
export const selectUserMetrics = readStatement(
  TeamMetrics.shape.by_user.element,
  (days: number, filter: SessionFilter) => sql`
    select u.id as user_id, u.full_name as name, started.n as sessions, completed.resolution_rate, completed.median_minutes
      from users u, lateral (
        select count(*)::integer as n from sessions s
         where s.account_id = app.account_id() and s.user_id = u.id and s.started_at >= ${periodStart(days)} and ${isRun} ${sessionCondition(filter)}) started,
      lateral (${completedMetrics(days, sql`and s.user_id = u.id ${sessionCondition(filter)}`)}) completed
     where u.account_id = app.account_id() and (started.n > 0 or completed.sessions_completed > 0)
     order by started.n desc, u.full_name collate "und-x-icu", u.id`,
)

const flowMetrics = (days: number, condition: RawBuilder<unknown>) => sql`
  select g.*, ${flowName(sql`g.tree_id`)} as name
    from (select s.tree_id, count(*)::integer as sessions, round(avg((s.state = 'completed')::integer), 4)::float8 as completion_rate,
                 ${medianMinutes} as median_minutes
            from sessions s where s.account_id = app.account_id() and s.started_at >= ${periodStart(days)} ${condition} group by s.tree_id) g`

// `lateral … offset 0` forces an index look-up per row. A query plan cached for a small account then also
// suits a large one.

const thumbCounts = sql`count(*) filter (where f.helpful)::integer as thumbs_up, count(*) filter (where not f.helpful)::integer as thumbs_down`

const SessionCounts = FlowMetrics.omit({ thumbs_up: true, thumbs_down: true })

/**
 * Count the feedback per flow. The condition on `given_at` is for its index: feedback is never older than the
 * start of its session.
 */
export const selectThumbsPerFlow = readStatement(
  FlowMetrics.pick({ tree_id: true, thumbs_up: true, thumbs_down: true }),
  (days: number) => sql`
    select s.tree_id, ${thumbCounts}
      from session_step_feedback f, lateral (
        select s.tree_id, s.started_at from sessions s where s.account_id = f.account_id and s.id = f.session_id offset 0) s
     where f.account_id = app.account_id() and f.given_at >= ${periodStart(days)} and s.started_at >= ${periodStart(days)}
     group by s.tree_id`,
)

export const metricsOrder: Order<'sessions' | 'tree_id'> = [
  { field: 'sessions', kind: 'integer', isDescending: true },
  { field: 'tree_id', kind: 'uuid' },
]

export const selectFlowPage = readStatement(
  SessionCounts,
  (days: number, page: PageQuery) =>
    sql`${flowMetrics(days, sql``)} where not app.hides_flow(g.tree_id) ${pageEnd(metricsOrder, page, 'g')}`,
)

export async function selectFlowMetrics(db: ReadDb, days: number, page: PageQuery): Promise<FlowMetrics[]> {
  const [flows, thumbs] = await Promise.all([
    selectFlowPage.all(db, days, page),
    selectThumbsPerFlow.all(db, days),
  ])
  const countsByFlow = new Map(thumbs.map(({ tree_id, ...counts }) => [tree_id, counts]))
  return flows.map((flow) => ({
    ...flow,
    ...(countsByFlow.get(flow.tree_id) ?? { thumbs_up: 0, thumbs_down: 0 }),
  }))
}

const StepCounts = StepMetrics.omit({ title: true })
type StepCounts = z.output<typeof StepCounts>

const flowCondition = (treeId: string) => sql`and s.tree_id = ${treeId}`
const startedSessions = (days: number, treeId: string) => sql`
  select s.account_id, s.id from sessions s
   where s.account_id = app.account_id() and s.started_at >= ${periodStart(days)} ${flowCondition(treeId)} offset 0`

export const selectOneFlow = readStatement(SessionCounts, (days: number, treeId: string) =>
  flowMetrics(days, flowCondition(treeId)),
)

export const selectAnsweredSteps = readStatement(
  StepCounts.pick({ step_id: true, visits: true, median_seconds: true }),
  (days: number, treeId: string) => sql`
    select d.step_id, count(distinct m.id)::integer as visits, percentile_cont(0.5) within group (order by d.duration_seconds)::float8 as median_seconds
      from (${startedSessions(days, treeId)}) m, lateral (
        select d.step_id, d.duration_seconds from session_decisions d where d.account_id = m.account_id and d.session_id = m.id offset 0) d
     group by d.step_id order by d.step_id`,
)

// A session in progress without an answer for this long counts as left.
const leftAfter = sql`interval '1 day'`

/**
 * Count the sessions that are at a step, or ended at it, without an answer to it. A session dropped off there
 * if it was abandoned, completed without being resolved, or left.
 */
export const selectUnansweredSteps = readStatement(
  StepCounts.pick({ visits: true, drop_offs: true }).extend({ step_id: notNull<string>() }),
  (days: number, treeId: string) => sql`
    select s.current_step_id as step_id, count(*)::integer as visits,
           count(*) filter (where s.state = 'abandoned' or s.outcome <> 'resolved'
                               or s.state = 'in_progress' and coalesce(s.last_answer_at, s.started_at) < app.now() - ${leftAfter})::integer as drop_offs
      from (${startedSessions(days, treeId)}) m, lateral (
        select s.state, s.outcome, s.started_at, s.current_step_id, (
                 select max(d.decided_at) from session_decisions d where d.account_id = m.account_id and d.session_id = m.id) as last_answer_at
          from sessions s where s.account_id = m.account_id and s.id = m.id offset 0) s
     where s.current_step_id is not null
       and not exists (select from session_decisions d where d.account_id = m.account_id and d.session_id = m.id and d.step_id = s.current_step_id offset 0)
     group by s.current_step_id order by s.current_step_id`,
)

export const selectThumbsPerStep = readStatement(
  StepCounts.pick({ step_id: true, thumbs_up: true, thumbs_down: true }),
  (days: number, treeId: string) => sql`
    select f.step_id, ${thumbCounts}
      from (${startedSessions(days, treeId)}) m, lateral (
        select f.step_id, f.helpful from session_step_feedback f where f.account_id = m.account_id and f.session_id = m.id offset 0) f
     group by f.step_id order by f.step_id`,
)

/**
 * Return the metrics of a flow (undefined if no session of the period started with it), and those of each
 * step that a session reached or that has feedback.
 */
export async function selectOneFlowMetrics(db: ReadDb, days: number, treeId: string) {
  const [answeredSteps, [flows, unansweredSteps, stepThumbs]] = await Promise.all([
    selectAnsweredSteps.all(db, days, treeId),
    db.batch([
      selectOneFlow.query(days, treeId),
      selectUnansweredSteps.query(days, treeId),
      selectThumbsPerStep.query(days, treeId),
    ]),
  ])
  return { metrics: flows[0], steps: mergeSteps([...answeredSteps, ...unansweredSteps, ...stepThumbs]) }
}

/**
 * Merge the counts of each step. Its visits are the sessions that answered it plus those that stopped at it
 * without an answer.
 */
function mergeSteps(parts: readonly (Pick<StepCounts, 'step_id'> & Partial<StepCounts>)[]): StepCounts[] {
  const steps = new Map<string, StepCounts>()
  for (const part of parts) {
    const counts = steps.get(part.step_id) ?? {
      visits: 0,
      drop_offs: 0,
      median_seconds: null,
      thumbs_up: 0,
      thumbs_down: 0,
    }
    steps.set(part.step_id, { ...counts, ...part, visits: counts.visits + (part.visits ?? 0) })
  }
  return [...steps.values()]
}

/**
 * Select the response times of handoffs claimed in the period: to the claim at once, and from the claim to
 * the first action when there is one.
 */
export const selectEscalationMetrics = readStatement(
  EscalationMetrics.omit({ period: true, metric_definition: true }),
  (days: number) => {
    // `greatest` ignores null and would return 0, so handoffs without a first action are filtered out.
    const toAction = sql`extract(epoch from h.first_action_at - h.claimed_at)`
    const toClaim = sql`extract(epoch from h.claimed_at - h.created_at)`
    const average = (seconds: RawBuilder<unknown>) =>
      sql`round(avg(greatest(0, ${seconds})) filter (where ${seconds} is not null), 3)::float8`
    const percentile = (share: number, seconds: RawBuilder<unknown>) =>
      sql`round((percentile_cont(${sql.lit(share)}) within group (order by greatest(0, ${seconds})) filter (where ${seconds} is not null))::numeric, 3)::float8`
    return sql`
    select ${average(toAction)} as avg_seconds, ${percentile(0.5, toAction)} as median_seconds, ${percentile(0.95, toAction)} as p95_seconds,
           count(*)::integer as n_handoffs_claimed, count(h.first_action_at)::integer as n_handoffs_with_action,
           ${average(toClaim)} as avg_claim_seconds, ${percentile(0.5, toClaim)} as median_claim_seconds,
           ${percentile(0.95, toClaim)} as p95_claim_seconds
      from ai_handoffs h
     where h.account_id = app.account_id() and h.claimed_at >= ${periodStart(days)}`
  },
)
