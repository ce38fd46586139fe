import { type RawBuilder, sql } from 'kysely'
import type { PageQuery } from '../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../lib/db/scope.ts'
import { statement } from '../../lib/db/statement.ts'
import type { EscalationFigures, FlowFigures, MyFigures, StepFigures, TeamFigures } from './schemas.ts'

const seconds = sql`extract(epoch from s.completed_at - s.started_at)::float8`
const medianMinutes = sql`round((percentile_cont(0.5) within group (order by ${seconds}) / 60)::numeric, 2)::float8`
const resolved = sql`round(avg((s.outcome = 'resolved')::integer), 4)::float8`
/** Evaluated once, not per row. */
const since = (days: number) => sql`(select app.period_start(${days}))`
const zone = sql`(select u.timezone from users u where u.account_id = app.account_id() and u.id = app.user_id())`
const theirs = (mine: boolean) => (mine ? sql`and s.user_id = app.user_id()` : sql``)
/** The name that a flow's newest session knew it by. */
const nameOf = (tree: RawBuilder<unknown>) => sql`
  (select n.tree_name from sessions n where n.account_id = app.account_id() and n.tree_id = ${tree} order by n.started_at desc nulls last limit 1)`

type Totals = Pick<
  MyFigures,
  'sessions_started' | 'sessions_completed' | 'resolution_rate' | 'median_minutes' | 'csat_average' | 'csat_count'
>
type ByUser = TeamFigures['by_user']

/** What one person did or everybody of the account. Each set of sessions is read once, side by side: what began, and what ended. */
export async function selectFigures(db: ReadDb, days: number, mine: boolean): Promise<Omit<TeamFigures, 'period'>> {
  const [[counts, flows, rated], [done, doneDays, doneUsers]] = await Promise.all([
    db.batch([statement(db, startedCounts(days, mine)), statement(db, topFlows(days, mine)), statement(db, ratings(days, mine))]),
    db.batch([statement(db, completed(days, mine)), statement(db, completedDays(days, mine)), statement(db, completedUsers(days, mine))]),
  ])
  const started = counts.filter(({ day, user_id }) => day === null && user_id === null)[0]?.n ?? 0
  const perDay = new Map(counts.flatMap(({ day, n }) => (day === null ? [] : [[day, n]])))
  const totals = {
    sessions_started: started,
    ...(done[0] as Omit<Totals, 'sessions_started'>),
    ...(rated[0] as Pick<Totals, 'csat_average'>),
  }
  return {
    ...totals,
    by_day: doneDays.map(({ date, completed: n }) => ({ date, started: perDay.get(date) ?? 0, completed: n })),
    by_user: byUser(counts, doneUsers),
    top_flows: flows,
  }
}

interface Started {
  user_id: string | null
  day: string | null
  n: number
}

/** In all, by user and by day of the caller's, of one scan. */
function startedCounts(days: number, mine: boolean) {
  return sql<Started>`
    select s.user_id, to_char((s.started_at at time zone ${zone})::date, 'YYYY-MM-DD') as day, count(*)::integer as n
      from sessions s where s.account_id = app.account_id() and s.started_at >= ${since(days)} ${theirs(mine)}
     group by grouping sets ((), (1), (2))`
}

function topFlows(days: number, mine: boolean) {
  return sql<MyFigures['top_flows'][number]>`
    select g.tree_id, ${nameOf(sql`g.tree_id`)} as name, g.sessions
      from (select s.tree_id, count(*)::integer as sessions from sessions s
             where s.account_id = app.account_id() and s.started_at >= ${since(days)} ${theirs(mine)}
             group by s.tree_id order by count(*) desc, s.tree_id limit 10) g
     order by g.sessions desc, g.tree_id`
}

function ratings(days: number, mine: boolean) {
  const own = mine ? sql`join sessions s on s.account_id = r.account_id and s.id = r.session_id and s.user_id = app.user_id()` : sql``
  return sql<Pick<Totals, 'csat_average' | 'csat_count'>>`
    select round(avg(r.score), 2)::float8 as csat_average, count(*)::integer as csat_count
      from session_ratings r ${own} where r.account_id = app.account_id() and r.rated_at >= ${since(days)}`
}

const ended = (days: number, mine: boolean) =>
  sql`sessions s where s.account_id = app.account_id() and s.completed_at >= ${since(days)} ${theirs(mine)}`

function completed(days: number, mine: boolean) {
  return sql<Pick<Totals, 'sessions_completed' | 'resolution_rate' | 'median_minutes'>>`
    select count(*)::integer as sessions_completed, ${resolved} as resolution_rate, ${medianMinutes} as median_minutes from ${ended(days, mine)}`
}

/** Every day of the period, the last of them today. */
function completedDays(days: number, mine: boolean) {
  return sql<{ date: string; completed: number }>`
    select to_char(d.day, 'YYYY-MM-DD') as date, coalesce(done.n, 0) as completed
      from (select (app.now() at time zone ${zone})::date - n as day from generate_series(0, ${days - 1}::integer) n) d
      left join (select (s.completed_at at time zone ${zone})::date as day, count(*)::integer as n from ${ended(days, mine)} group by 1) done
        on done.day = d.day
     order by d.day`
}

function completedUsers(days: number, mine: boolean) {
  return sql<ByUser[number]>`
    select u.id as user_id, u.full_name as name, 0 as sessions, d.resolution_rate, d.median_minutes
      from users u left join (
        select s.user_id, ${resolved} as resolution_rate, ${medianMinutes} as median_minutes from ${ended(days, mine)} group by s.user_id) d
        on d.user_id = u.id
     where u.account_id = app.account_id()`
}

/** Whoever began or ended something, the busiest first. */
function byUser(counts: readonly Started[], users: ByUser): ByUser {
  const began = new Map(counts.flatMap(({ user_id, n }) => (user_id === null ? [] : [[user_id, n]])))
  const order = (a: ByUser[number], b: ByUser[number]) =>
    b.sessions - a.sessions || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) || (a.user_id < b.user_id ? -1 : 1)
  return users
    .map((user) => ({ ...user, sessions: began.get(user.user_id) ?? 0 }))
    .filter(({ sessions, resolution_rate, median_minutes }) => sessions > 0 || resolution_rate !== null || median_minutes !== null)
    .sort(order)
}

const flowFigures = (days: number, of: RawBuilder<unknown>) => sql`
  select g.*, ${nameOf(sql`g.tree_id`)} as name, coalesce(f.up, 0) as thumbs_up, coalesce(f.down, 0) as thumbs_down
    from (select s.tree_id, count(*)::integer as sessions, round(avg((s.state = 'completed')::integer), 4)::float8 as completion_rate,
                 round((percentile_cont(0.5) within group (order by ${seconds}) filter (where s.state = 'completed') / 60)::numeric, 2)::float8 as median_minutes
            from sessions s where s.account_id = app.account_id() and s.started_at >= ${since(days)} ${of} group by s.tree_id) g
    left join (${thumbs(days)}) f on f.tree_id = g.tree_id`

/** Nothing is said of a session before it starts; the lookups stay single ones, since the planner cannot know how few they are. */
const thumbs = (days: number) => sql`
  select s.tree_id, count(*) filter (where f.helpful)::integer as up, count(*) filter (where not f.helpful)::integer as down
    from session_step_feedback f, lateral (
      select s.tree_id, s.started_at from sessions s where s.account_id = f.account_id and s.id = f.session_id offset 0) s
   where f.account_id = app.account_id() and f.given_at >= ${since(days)} and s.started_at >= ${since(days)}
   group by s.tree_id`

export async function selectFlows(db: ReadDb, days: number, { skip, limit }: PageQuery): Promise<FlowFigures[]> {
  const { rows } = await sql<FlowFigures>`
    ${flowFigures(days, sql``)} order by g.sessions desc, g.tree_id offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

/** One flow's figures, undefined when no session began with it, and those of each step that a session came to. */
export async function selectFlow(db: ReadDb, days: number, treeId: string) {
  const of = sql`and s.tree_id = ${treeId}`
  const steps = sql<Omit<StepFigures, 'title'>>`
    with mine as (
      select s.account_id, s.id, s.state, s.current_step_id from sessions s
       where s.account_id = app.account_id() and s.started_at >= ${since(days)} ${of}
    ), answered as (
      select d.step_id, count(distinct d.session_id)::integer as sessions, percentile_cont(0.5) within group (order by d.duration_seconds)::float8 as median_seconds
        from mine m join session_decisions d on d.account_id = m.account_id and d.session_id = m.id group by d.step_id
    ), open as (
      select m.current_step_id as step_id, count(*)::integer as sessions,
             count(*) filter (where m.state in ('completed', 'abandoned'))::integer as ended
        from mine m where m.current_step_id is not null
         and not exists (select from session_decisions d where d.account_id = m.account_id and d.session_id = m.id and d.step_id = m.current_step_id)
       group by m.current_step_id
    ), thumbs as (
      select f.step_id, count(*) filter (where f.helpful)::integer as up, count(*) filter (where not f.helpful)::integer as down
        from mine m join session_step_feedback f on f.account_id = m.account_id and f.session_id = m.id group by f.step_id
    )
    select k.step_id, coalesce(a.sessions, 0) + coalesce(o.sessions, 0) as visits, coalesce(o.ended, 0) as drop_offs, a.median_seconds,
           coalesce(t.up, 0) as thumbs_up, coalesce(t.down, 0) as thumbs_down
      from (select step_id from answered union select step_id from open union select step_id from thumbs) k
      left join answered a on a.step_id = k.step_id left join open o on o.step_id = k.step_id left join thumbs t on t.step_id = k.step_id`
  const [figures, rows] = await db.batch([statement(db, sql<FlowFigures>`${flowFigures(days, of)}`), statement(db, steps)])
  return { figures: figures[0], steps: rows }
}

/** Of handoffs that were claimed in the period. `greatest` passes over null, so what has no first step is left out before it. */
export async function selectEscalations(db: ReadDb, days: number): Promise<Omit<EscalationFigures, 'period' | 'metric_definition'>> {
  const seconds = sql`greatest(0, extract(epoch from h.first_action_at - h.claimed_at))`
  const part = (share: number) =>
    sql`round((percentile_cont(${sql.lit(share)}) within group (order by ${seconds}) filter (where h.first_action_at is not null))::numeric, 3)::float8`
  const { rows } = await sql<Omit<EscalationFigures, 'period' | 'metric_definition'>>`
    select round(avg(${seconds}) filter (where h.first_action_at is not null), 3)::float8 as avg_seconds, ${part(0.5)} as median_seconds,
           ${part(0.95)} as p95_seconds, count(*)::integer as n_handoffs_claimed, count(h.first_action_at)::integer as n_handoffs_with_action
      from ai_handoffs h
     where h.account_id = app.account_id() and h.claimed_at >= ${since(days)}`.execute(db as WriteDb)
  return rows[0] as Omit<EscalationFigures, 'period' | 'metric_definition'>
}
