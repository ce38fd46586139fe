import { sql } from 'kysely'
import * as z from 'zod'
import { selectIds } from '#db/expressions.ts'
import { type Order, type PageQuery, pageEnd } from '#db/page.ts'
import { notNull, readStatement } from '#db/statement.ts'
import type { CheckedLink } from '#rules/flows/health/links.ts'
import { periodDays } from '#rules/flows/health/thresholds.ts'
import type { TreeStructure } from '#rules/flows/structure.ts'

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
  is_author_active: z.boolean().nullable(),
  links: z.custom<CheckedLink[]>(),
  links_checked_at: z.string().nullable(),
})
export type FlowContent = z.output<typeof FlowContent>

/** Select the current content of flows that the caller sees, with the state of their authors and links. */
export const selectContents = readStatement(
  FlowContent,
  (ids: readonly string[]) => sql`
    select t.id, t.name, t.version, v.tree_structure,
           case when t.account_id = app.account_id() then coalesce(u.is_active and u.role <> 'viewer', false) end as is_author_active,
           coalesce(c.links, '[]') as links, app.iso(c.checked_at) as links_checked_at
      from trees t
      join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
      left join users u on u.account_id = t.account_id and u.id = t.author_id
      left join flow_link_checks c on c.account_id = t.account_id and c.tree_id = t.id
     where t.id in (${selectIds(ids)}) and t.deleted_at is null`,
)

/**
 * The versions of flows with the steps and options of the current one, whose sessions can be counted
 * together.
 */
const comparableVersions = (ids: readonly string[]) => sql`
  comparable as materialized (
    select v.account_id, v.tree_id, v.version
      from trees t
      join tree_versions c on c.account_id = t.account_id and c.tree_id = t.id and c.version = t.version
      join lateral (select distinct s.tree_version from sessions s
                     where s.account_id = app.account_id() and s.tree_id = t.id and s.started_at >= ${periodStart}) used on true
      join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = used.tree_version
     where t.id in (${selectIds(ids)}) and (v.version = c.version or app.step_ids(v.tree_structure) = app.step_ids(c.tree_structure))),
  counted as materialized (
    select s.id, s.tree_id, s.current_step_id from comparable v
      join sessions s on s.account_id = app.account_id() and s.tree_account_id = v.account_id and s.tree_id = v.tree_id
                     and s.tree_version = v.version and s.started_at >= ${periodStart})`

/** Count the sessions of flows: those with comparable versions, and those that ended. */
export const selectSessionCounts = readStatement(
  z.object({ tree_id: z.string(), sessions: z.int(), ended: z.int(), resolved: z.int() }),
  (ids: readonly string[]) => sql`
    with ${comparableVersions(ids)}
    select t.id as tree_id, (select count(*)::integer from counted c where c.tree_id = t.id) as sessions, e.ended, e.resolved
      from trees t, lateral (
        select count(*)::integer as ended, count(*) filter (where s.outcome = 'resolved')::integer as resolved from sessions s
         where s.account_id = app.account_id() and s.tree_id = t.id and s.started_at >= ${periodStart} and s.state in ('completed', 'abandoned')) e
     where t.id in (${selectIds(ids)})`,
)

export const selectAnswerCounts = readStatement(
  z.object({
    tree_id: z.string(),
    step_id: z.string(),
    option_id: z.string().nullable(),
    outcome: z.string().nullable(),
    answers: z.int(),
  }),
  (ids: readonly string[]) => sql`
    with ${comparableVersions(ids)}
    select c.tree_id, d.step_id, d.option_id, d.outcome, count(*)::integer as answers
      from counted c join session_decisions d on d.account_id = app.account_id() and d.session_id = c.id
     group by 1, 2, 3, 4`,
)

/** Count the sessions that are at a step, or ended at it, without an answer to it. */
export const selectOpenSteps = readStatement(
  z.object({ tree_id: z.string(), step_id: notNull<string>(), sessions: z.int() }),
  (ids: readonly string[]) => sql`
    with ${comparableVersions(ids)}
    select c.tree_id, c.current_step_id as step_id, count(*)::integer as sessions
      from counted c where c.current_step_id is not null group by 1, 2`,
)
