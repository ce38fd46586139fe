import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { accountId, mayChange, selectIds } from '#db/expressions.ts'
import { type Order, type PageQuery, pageEnd } from '#db/page.ts'
import type { WriteDb } from '#db/scope.ts'
import { readStatement } from '#db/statement.ts'
import type { AnswerCount } from '#rules/flows/health/by-metrics.ts'
import type { CheckedLink } from '#rules/flows/health/links.ts'
import { periodDays } from '#rules/flows/health/thresholds.ts'
import type { IntakeField, TreeStructure } from '#rules/flows/structure.ts'

const periodStart = sql`app.now() - make_interval(days => ${sql.lit(periodDays)})`

const failedRuns = sql`coalesce(s.failed, 0)`
const brokenLinks = sql`coalesce(jsonb_array_length(jsonb_path_query_array(c.links, '$[*] ? (@.state == "broken")')), 0)`
export const worstFirst: Order<'failed' | 'broken' | 'id'> = [
  { field: 'failed', kind: 'integer', isDescending: true, column: failedRuns },
  { field: 'broken', kind: 'integer', isDescending: true, column: brokenLinks },
  { field: 'id', kind: 'uuid', column: sql`t.id` },
]

/**
 * Select published flows of the account, worst first: by sessions that ended without being resolved, then by
 * broken links.
 */
export const selectWorstFlows = readStatement(
  z.object({ id: z.string(), failed: z.int(), broken: z.int() }),
  (page: PageQuery) => sql`
    select t.id, ${failedRuns}::integer as failed, ${brokenLinks} as broken from trees t
      left join (
        select s.tree_id, count(*) as failed from sessions s
         where s.account_id = app.account_id() and s.started_at >= ${periodStart}
           and (s.state = 'abandoned' or s.state = 'completed' and s.outcome <> 'resolved')
         group by s.tree_id) s on s.tree_id = t.id
      left join flow_link_checks c on c.account_id = t.account_id and c.tree_id = t.id
     where t.account_id = app.account_id() and t.status = 'published' and t.deleted_at is null
     ${pageEnd(worstFirst, page)}`,
)

const FlowContent = z.object({
  id: z.string(),
  name: z.string(),
  version: z.int(),
  tree_structure: z.custom<TreeStructure>().nullable(),
  intake_form: z.custom<IntakeField[]>(),
  dismissed_findings: z.array(z.string()),
  is_author_active: z.boolean().nullable(),
  links: z.custom<CheckedLink[]>(),
  links_checked_at: z.string().nullable(),
})
export type FlowContent = z.output<typeof FlowContent>

/** Select the current content of flows that the caller sees, with the state of their authors and links. */
export const selectContents = readStatement(
  FlowContent,
  (ids: readonly string[]) => sql`
    select t.id, t.name, t.version, v.tree_structure, v.intake_form, t.dismissed_findings,
           case when t.account_id = app.account_id() then coalesce(app.can_work(u), false) end as is_author_active,
           coalesce(c.links, '[]') as links, app.iso(c.checked_at) as links_checked_at
      from trees t
      join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
      left join users u on u.account_id = t.account_id and u.id = t.author_id
      left join flow_link_checks c on c.account_id = t.account_id and c.tree_id = t.id
     where t.id in (${selectIds(ids)}) and t.deleted_at is null`,
)

/** How many sessions of a flow its answers are counted of, the newest. */
const judgedSessions = 5000

const AnswerCounts = z.custom<readonly AnswerCount[]>()
const OpenSteps = z.custom<readonly { step_id: string; sessions: number }[]>()

/**
 * Count the sessions of flows, those that ended, and the answers and the open steps of the newest ones. The
 * sessions with the steps and options of the current version are counted together. The index has everything
 * but the current step, so that each session is read once, without its row.
 */
export const selectUse = readStatement(
  z.object({
    tree_id: z.string(),
    sessions: z.int(),
    ended: z.int(),
    resolved: z.int(),
    answers: AnswerCounts,
    open_steps: OpenSteps,
  }),
  (ids: readonly string[]) => sql`
    with flows as materialized (
      select t.account_id, t.id, c.version, c.tree_structure from trees t
        join tree_versions c on c.account_id = t.account_id and c.tree_id = t.id and c.version = t.version
       where t.id in (${selectIds(ids)})),
    used as materialized (
      select s.tree_account_id, s.tree_id, s.tree_version, s.state, s.outcome, count(*) as sessions
        from flows f join sessions s on s.account_id = app.account_id() and s.tree_id = f.id and s.started_at >= ${periodStart}
       group by 1, 2, 3, 4, 5),
    comparable as materialized (
      select v.account_id, v.tree_id, v.version
        from (select distinct u.tree_account_id, u.tree_id, u.tree_version from used u) u
        join flows f on f.account_id = u.tree_account_id and f.id = u.tree_id
        join tree_versions v on v.account_id = u.tree_account_id and v.tree_id = u.tree_id and v.version = u.tree_version
       where v.version = f.version or app.step_ids(v.tree_structure) = app.step_ids(f.tree_structure)),
    judged as materialized (
      select j.* from flows f cross join lateral (
        select s.id, s.tree_id, s.current_step_id from sessions s
         where s.account_id = app.account_id() and s.tree_id = f.id and s.started_at >= ${periodStart}
           and (s.tree_account_id, s.tree_id, s.tree_version) in (select c.account_id, c.tree_id, c.version from comparable c)
         order by s.started_at desc limit ${judgedSessions}::integer) j),
    answered as (
      select j.tree_id, d.step_id, d.option_id, d.outcome, count(*)::integer as answers
        from judged j cross join lateral (
          select d.step_id, d.option_id, d.outcome from session_decisions d
           where d.account_id = app.account_id() and d.session_id = j.id offset 0) d
       group by 1, 2, 3, 4),
    open_steps as (
      select j.tree_id, j.current_step_id as step_id, count(*)::integer as sessions from judged j where j.current_step_id is not null group by 1, 2)
    select f.id as tree_id,
           (select coalesce(sum(u.sessions), 0)::integer from used u join comparable c
               on c.account_id = u.tree_account_id and c.tree_id = u.tree_id and c.version = u.tree_version where u.tree_id = f.id) as sessions,
           coalesce(e.ended, 0)::integer as ended, coalesce(e.resolved, 0)::integer as resolved,
           coalesce((select jsonb_agg(to_jsonb(a) - 'tree_id') from answered a where a.tree_id = f.id), '[]') as answers,
           coalesce((select jsonb_agg(to_jsonb(o) - 'tree_id') from open_steps o where o.tree_id = f.id), '[]') as open_steps
      from flows f cross join lateral (
        select sum(u.sessions) as ended, sum(u.sessions) filter (where u.outcome = 'resolved') as resolved
          from used u where u.tree_id = f.id and u.state in ('completed', 'abandoned')) e`,
)

/** How many findings of a flow are remembered as dismissed, the newest. */
const maxDismissed = 200

function updateDismissed(db: WriteDb, treeId: string, ids: RawBuilder<string[]>) {
  return db
    .updateTable('trees')
    .set({ dismissed_findings: ids })
    .where('account_id', '=', accountId)
    .where('id', '=', treeId)
    .where('deleted_at', 'is', null)
    .where(mayChange('author_id', 'team_id'))
    .returning('dismissed_findings')
    .executeTakeFirst()
}

/**
 * Remember that a finding is not for its flow. Return all that are not, or nothing if the caller may not change
 * the flow.
 */
export function insertDismissed(db: WriteDb, treeId: string, findingId: string) {
  const others = sql`array_remove(dismissed_findings, ${findingId}::uuid)`
  const newest = sql`(${others})[greatest(cardinality(${others}) - ${sql.lit(maxDismissed - 2)}, 1):]`
  return updateDismissed(db, treeId, sql<string[]>`${newest} || ${findingId}::uuid`)
}

export function deleteDismissed(db: WriteDb, treeId: string, findingId: string) {
  return updateDismissed(db, treeId, sql<string[]>`array_remove(dismissed_findings, ${findingId}::uuid)`)
}
