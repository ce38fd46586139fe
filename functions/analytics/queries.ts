import { type RawBuilder, sql } from 'kysely'
import type { PageQuery } from '../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../lib/db/scope.ts'
import { statement } from '../../lib/db/statement.ts'
import type { EscalationFigures, FlowFigures, MyFigures, StepFigures, TeamFigures } from './schemas.ts'

/** Of those that are completed: the others have not lasted yet. */
const medianMinutes = sql`round((percentile_cont(0.5) within group (order by s.lasted) / 60)::numeric, 2)::float8`
const resolved = sql`round(avg((s.outcome = 'resolved')::integer), 4)::float8`
/** Evaluated once, not per row. */
const since = (days: number) => sql`(select app.period_start(${days}))`
const theirs = (mine: boolean) => (mine ? sql`and s.user_id = app.user_id()` : sql``)
/** The name that a flow's newest session knew it by. */
const nameOf = (tree: RawBuilder<unknown>) => sql`
  (select n.tree_name from sessions n
    where n.account_id = app.account_id() and n.tree_id = ${tree} and n.started_at is not null order by n.started_at desc limit 1)`

/** What one person did or everybody of the account. */
export async function selectFigures(db: ReadDb, days: number, mine: boolean): Promise<Omit<MyFigures, 'period'>> {
  const [[by_day, rated], [done, top_flows]] = await Promise.all([
    db.batch([statement(db, perDay(days, mine)), statement(db, ratings(days, mine))]),
    db.batch([statement(db, completed(days, theirs(mine))), statement(db, topFlows(days, mine))]),
  ])
  const sessions_started = by_day.reduce((sum, { started }) => sum + started, 0)
  return { sessions_started, ...(done[0] as Completed), ...(rated[0] as Rated), by_day, top_flows }
}

type Completed = Pick<MyFigures, 'sessions_completed' | 'resolution_rate' | 'median_minutes'>
type Rated = Pick<MyFigures, 'csat_average' | 'csat_count'>

const completed = (days: number, of: RawBuilder<unknown>) => sql<Completed>`
  select count(*)::integer as sessions_completed, ${resolved} as resolution_rate, ${medianMinutes} as median_minutes
    from sessions s where s.account_id = app.account_id() and s.completed_at >= ${since(days)} ${of}`

function ratings(days: number, mine: boolean) {
  return sql<Rated>`
    select round(avg(r.score), 2)::float8 as csat_average, count(*)::integer as csat_count from session_ratings r
     where r.account_id = app.account_id() and r.rated_at >= ${since(days)} ${mine ? sql`and r.session_user_id = app.user_id()` : sql``}`
}

function topFlows(days: number, mine: boolean) {
  return sql<MyFigures['top_flows'][number]>`
    select g.tree_id, ${nameOf(sql`g.tree_id`)} as name, g.sessions
      from (select s.tree_id, count(*)::integer as sessions from sessions s
             where s.account_id = app.account_id() and s.started_at >= ${since(days)} ${theirs(mine)}
             group by s.tree_id order by count(*) desc, s.tree_id limit 10) g
     order by g.sessions desc, g.tree_id`
}

/** Every day of the period, the last of them today. A day of the caller's is a piece of each index: no row's own day is asked. */
function perDay(days: number, mine: boolean) {
  const within = (column: string) => sql`
    lateral (select count(*)::integer as n from sessions s
      where s.account_id = app.account_id() and ${sql.ref(column)} >= d.start and ${sql.ref(column)} < d.until ${theirs(mine)})`
  return sql<MyFigures['by_day'][number]>`
    select d.date, began.n as started, ended.n as completed
      from app.days_of(${days}) d, ${within('s.started_at')} began, ${within('s.completed_at')} ended
     order by d.start`
}

/** Whoever began or completed something, the busiest first. */
export async function selectPeople(db: ReadDb, days: number): Promise<TeamFigures['by_user']> {
  const { rows } = await sql<TeamFigures['by_user'][number]>`
    select u.id as user_id, u.full_name as name, began.n as sessions, done.resolution_rate, done.median_minutes
      from users u, lateral (
        select count(*)::integer as n from sessions s
         where s.account_id = app.account_id() and s.user_id = u.id and s.started_at >= ${since(days)}) began,
      lateral (${completed(days, sql`and s.user_id = u.id`)}) done
     where u.account_id = app.account_id() and (began.n > 0 or done.sessions_completed > 0)
     order by began.n desc, u.full_name, u.id`.execute(db as WriteDb)
  return rows
}

const flowFigures = (days: number, of: RawBuilder<unknown>) => sql`
  select g.*, ${nameOf(sql`g.tree_id`)} as name
    from (select s.tree_id, count(*)::integer as sessions, round(avg((s.state = 'completed')::integer), 4)::float8 as completion_rate,
                 ${medianMinutes} as median_minutes
            from sessions s where s.account_id = app.account_id() and s.started_at >= ${since(days)} ${of} group by s.tree_id) g`

// What is looked up by a key stands in `lateral … offset 0`: a plan that was made for an account of few sessions does well for one of many.

const saidOf = sql`count(*) filter (where f.helpful)::integer as thumbs_up, count(*) filter (where not f.helpful)::integer as thumbs_down`

/** Nothing is said of a session before it starts. */
const thumbs = (days: number) => sql<Pick<FlowFigures, 'tree_id' | 'thumbs_up' | 'thumbs_down'>>`
  select s.tree_id, ${saidOf}
    from session_step_feedback f, lateral (
      select s.tree_id, s.started_at from sessions s where s.account_id = f.account_id and s.id = f.session_id offset 0) s
   where f.account_id = app.account_id() and f.given_at >= ${since(days)} and s.started_at >= ${since(days)}
   group by s.tree_id`

export async function selectFlows(db: ReadDb, days: number, { skip, limit }: PageQuery): Promise<FlowFigures[]> {
  const page = sql<Omit<FlowFigures, 'thumbs_up' | 'thumbs_down'>>`
    ${flowFigures(days, sql``)} order by g.sessions desc, g.tree_id offset ${skip} limit ${limit + 1}`
  const [[flows], [said]] = await Promise.all([db.batch([statement(db, page)]), db.batch([statement(db, thumbs(days))])])
  const of = new Map(said.map(({ tree_id, ...counts }) => [tree_id, counts]))
  return flows.map((flow) => ({ ...flow, ...(of.get(flow.tree_id) ?? { thumbs_up: 0, thumbs_down: 0 }) }))
}

type OfStep = Omit<StepFigures, 'title'>

/** One flow's figures, undefined when no session began with it, and those of each step that a session came to or spoke of. */
export async function selectFlow(db: ReadDb, days: number, treeId: string) {
  const of = sql`and s.tree_id = ${treeId}`
  const mine = sql`select s.account_id, s.id from sessions s where s.account_id = app.account_id() and s.started_at >= ${since(days)} ${of} offset 0`
  const answered = sql<Pick<OfStep, 'step_id' | 'visits' | 'median_seconds'>>`
    select d.step_id, count(distinct m.id)::integer as visits, percentile_cont(0.5) within group (order by d.duration_seconds)::float8 as median_seconds
      from (${mine}) m, lateral (
        select d.step_id, d.duration_seconds from session_decisions d where d.account_id = m.account_id and d.session_id = m.id offset 0) d
     group by d.step_id order by d.step_id`
  const open = sql<Pick<OfStep, 'step_id' | 'visits' | 'drop_offs'>>`
    select s.current_step_id as step_id, count(*)::integer as visits, count(*) filter (where s.state in ('completed', 'abandoned'))::integer as drop_offs
      from (${mine}) m, lateral (
        select s.state, s.current_step_id from sessions s where s.account_id = m.account_id and s.id = m.id offset 0) s
     where s.current_step_id is not null
       and not exists (select from session_decisions d where d.account_id = m.account_id and d.session_id = m.id and d.step_id = s.current_step_id offset 0)
     group by s.current_step_id order by s.current_step_id`
  const thumbs = sql<Pick<OfStep, 'step_id' | 'thumbs_up' | 'thumbs_down'>>`
    select f.step_id, ${saidOf}
      from (${mine}) m, lateral (
        select f.step_id, f.helpful from session_step_feedback f where f.account_id = m.account_id and f.session_id = m.id offset 0) f
     group by f.step_id order by f.step_id`
  const figures = sql<Omit<FlowFigures, 'thumbs_up' | 'thumbs_down'>>`${flowFigures(days, of)}`
  const [[went], [flows, stands, said]] = await Promise.all([
    db.batch([statement(db, answered)]),
    db.batch([statement(db, figures), statement(db, open), statement(db, thumbs)]),
  ])
  return { figures: flows[0], steps: merged([...went, ...stands, ...said]) }
}

/** What is known of each step, visits together: who answered it and who stands there. */
function merged(parts: readonly (Pick<OfStep, 'step_id'> & Partial<OfStep>)[]): OfStep[] {
  const steps = new Map<string, OfStep>()
  for (const part of parts) {
    const known = steps.get(part.step_id) ?? { visits: 0, drop_offs: 0, median_seconds: null, thumbs_up: 0, thumbs_down: 0 }
    steps.set(part.step_id, { ...known, ...part, visits: known.visits + (part.visits ?? 0) })
  }
  return [...steps.values()]
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
