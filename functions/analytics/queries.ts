import { type RawBuilder, sql } from 'kysely'
import type { PageQuery } from '../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../lib/db/scope.ts'
import { statement } from '../../lib/db/statement.ts'
import type { EscalationFigures, FlowFigures, MyFigures, StepFigures, TeamFigures } from './schemas.ts'

const minutes = sql`extract(epoch from s.completed_at - s.started_at) / 60`
const medianMinutes = sql`round((percentile_cont(0.5) within group (order by ${minutes}))::numeric, 2)::float8`
const resolved = sql`round(avg((s.outcome = 'resolved')::integer), 4)::float8`
/** Evaluated once, not per row. */
const since = (days: number) => sql`(select app.period_start(${days}))`
const theirs = (mine: boolean) => (mine ? sql`and s.user_id = app.user_id()` : sql``)

type Totals = Omit<MyFigures, 'period' | 'by_day' | 'top_flows'>

/** What one person did or everybody of the account, in one round trip. */
export async function selectFigures(db: ReadDb, days: number, mine: boolean): Promise<Omit<MyFigures, 'period'>> {
  const [totals, by_day, top_flows] = await db.batch([
    statement(db, totalsOf(days, mine)),
    statement(db, daysOf(days, mine)),
    statement(db, topFlows(days, mine)),
  ])
  return { ...(totals[0] as Totals), by_day, top_flows }
}

function totalsOf(days: number, mine: boolean) {
  return sql<Totals>`
    select (select count(*)::integer from sessions s where s.account_id = app.account_id() and s.started_at >= ${since(days)} ${theirs(mine)}) as sessions_started,
           done.*, rated.*
      from (select count(*)::integer as sessions_completed, ${resolved} as resolution_rate, ${medianMinutes} as median_minutes
              from sessions s where s.account_id = app.account_id() and s.completed_at >= ${since(days)} ${theirs(mine)}) done,
           (select round(avg(r.score), 2)::float8 as csat_average, count(*)::integer as csat_count
              from session_ratings r join sessions s on s.account_id = r.account_id and s.id = r.session_id ${theirs(mine)}
             where r.account_id = app.account_id() and r.rated_at >= ${since(days)}) rated`
}

function daysOf(days: number, mine: boolean) {
  const zone = sql`(select u.timezone from users u where u.account_id = app.account_id() and u.id = app.user_id())`
  const counted = (column: RawBuilder<unknown>) => sql`
    select (${column} at time zone ${zone})::date as day, count(*)::integer as n from sessions s
     where s.account_id = app.account_id() and ${column} >= ${since(days)} ${theirs(mine)} group by 1`
  return sql<MyFigures['by_day'][number]>`
    select to_char(d.day, 'YYYY-MM-DD') as date, coalesce(started.n, 0) as started, coalesce(completed.n, 0) as completed
      from (select (app.now() at time zone ${zone})::date - n as day from generate_series(0, ${days - 1}::integer) n) d
      left join (${counted(sql`s.started_at`)}) started on started.day = d.day
      left join (${counted(sql`s.completed_at`)}) completed on completed.day = d.day
     order by d.day`
}

function topFlows(days: number, mine: boolean) {
  return sql<MyFigures['top_flows'][number]>`
    select s.tree_id, (array_agg(s.tree_name order by s.started_at desc))[1] as name, count(*)::integer as sessions
      from sessions s where s.account_id = app.account_id() and s.started_at >= ${since(days)} ${theirs(mine)}
     group by s.tree_id order by count(*) desc, s.tree_id limit 10`
}

export async function selectUsers(db: ReadDb, days: number): Promise<TeamFigures['by_user']> {
  const { rows } = await sql<TeamFigures['by_user'][number]>`
    with started as (
      select s.user_id, count(*)::integer as sessions from sessions s
       where s.account_id = app.account_id() and s.started_at >= ${since(days)} group by s.user_id
    ), done as (
      select s.user_id, ${resolved} as resolution_rate, ${medianMinutes} as median_minutes from sessions s
       where s.account_id = app.account_id() and s.completed_at >= ${since(days)} group by s.user_id
    )
    select u.id as user_id, u.full_name as name, coalesce(b.sessions, 0) as sessions, d.resolution_rate, d.median_minutes
      from started b full join done d on d.user_id = b.user_id
      join users u on u.account_id = app.account_id() and u.id = coalesce(b.user_id, d.user_id)
     order by coalesce(b.sessions, 0) desc, u.full_name, u.id`.execute(db as WriteDb)
  return rows
}

const flowFigures = (days: number, of: RawBuilder<unknown>) => sql`
  select s.tree_id, (array_agg(s.tree_name order by s.started_at desc))[1] as name, count(*)::integer as sessions,
         round(avg((s.state = 'completed')::integer), 4)::float8 as completion_rate,
         round((percentile_cont(0.5) within group (order by ${minutes}) filter (where s.state = 'completed'))::numeric, 2)::float8 as median_minutes,
         coalesce(sum(f.up), 0)::integer as thumbs_up, coalesce(sum(f.down), 0)::integer as thumbs_down
    from sessions s
    left join lateral (select count(*) filter (where f.helpful) as up, count(*) filter (where not f.helpful) as down
                         from session_step_feedback f where f.account_id = s.account_id and f.session_id = s.id) f on true
   where s.account_id = app.account_id() and s.started_at >= ${since(days)} ${of}
   group by s.tree_id`

export async function selectFlows(db: ReadDb, days: number, { skip, limit }: PageQuery): Promise<FlowFigures[]> {
  const { rows } = await sql<FlowFigures>`
    ${flowFigures(days, sql``)} order by count(*) desc, s.tree_id offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
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
