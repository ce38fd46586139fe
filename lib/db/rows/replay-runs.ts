import { sql } from 'kysely'
import * as z from 'zod'
import type { ReadDb } from '#db/scope.ts'
import { readStatement } from '#db/statement.ts'
import type { RecordedRun } from '#rules/flows/replay.ts'
import type { TreeStructure } from '#rules/flows/structure.ts'

const periodDays = 90
const maxRuns = 500
/** What the runs may have together: 500 runs of 100 steps. */
const maxAnswers = 50_000

/** Select the newest version of a flow that was published, before a version. */
export const selectPublished = readStatement(
  z.object({ account_id: z.string(), version: z.int(), tree_structure: z.custom<TreeStructure>() }),
  (treeId: string, beforeVersion: number) => sql`
    select v.account_id, v.version, v.tree_structure
      from trees t join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id
     where t.id = ${treeId} and t.deleted_at is null and v.status = 'published' and v.version < ${beforeVersion}
       and v.tree_structure is not null
     order by v.version desc limit 1`,
)

/**
 * Select the newest completed sessions of a version of a flow, or of versions with its steps and options. All
 * texts may differ.
 */
export const selectRuns = readStatement(
  z.object({
    id: z.string(),
    last_step_id: z.string().nullable(),
    answers: z.custom<RecordedRun['answers']>(),
    fallbacks: z.custom<RecordedRun['fallbacks']>(),
    subflows: z.custom<RecordedRun['subflows']>(),
  }),
  (treeId: string, version: number) => sql`
    with used as materialized (
      select distinct s.tree_account_id, s.tree_version from sessions s
       where s.account_id = app.account_id() and s.tree_id = ${treeId} and s.state = 'completed'
         and s.started_at >= app.now() - make_interval(days => ${sql.lit(periodDays)})),
    comparable as materialized (
      select u.tree_account_id, u.tree_version from used u
        join tree_versions v on v.account_id = u.tree_account_id and v.tree_id = ${treeId} and v.version = u.tree_version
        join tree_versions b on b.account_id = u.tree_account_id and b.tree_id = ${treeId} and b.version = ${version}::integer
       where v.version = b.version or app.step_ids(v.tree_structure) = app.step_ids(b.tree_structure)),
    newest as materialized (
      select s.id, s.account_id, s.current_step_id, s.answered, s.started_at from sessions s
       where s.account_id = app.account_id() and s.tree_id = ${treeId} and s.state = 'completed'
         and s.started_at >= app.now() - make_interval(days => ${sql.lit(periodDays)})
         and (s.tree_account_id, s.tree_version) in (select c.tree_account_id, c.tree_version from comparable c)
       order by s.started_at desc, s.id desc limit ${sql.lit(maxRuns)}),
    counted as (
      select n.*, sum(n.answered) over (order by n.started_at desc, n.id desc) as answers_so_far from newest n)
    select n.id, n.current_step_id as last_step_id,
           coalesce((select jsonb_agg(jsonb_build_array(d.step_id, d.option_id, d.outcome) order by d.seq) from session_decisions d
                      where d.account_id = n.account_id and d.session_id = n.id), '[]') as answers,
           coalesce((select jsonb_agg(distinct jsonb_build_array(f.step_id, f.fallback_step_id)) from session_fallbacks f
                      where f.account_id = n.account_id and f.session_id = n.id), '[]') as fallbacks,
           coalesce((select jsonb_agg(jsonb_build_array(c.parent_step_id, c.outcome) order by c.completed_at, c.id) from sessions c
                      where c.account_id = n.account_id and c.parent_session_id = n.id and c.state = 'completed'), '[]') as subflows
      from counted n where n.answers_so_far <= ${sql.lit(maxAnswers)}
     order by n.started_at desc, n.id desc`,
)

/** What a structure is compared with. */
export interface ReplayBase {
  /** The published version; undefined if none was published before. */
  base: { version: number; tree_structure: TreeStructure } | undefined
  runs: RecordedRun[]
}

/** Read the newest version of a flow that was published before a version, and its newest completed runs. */
export async function readReplayBase(db: ReadDb, treeId: string, beforeVersion: number): Promise<ReplayBase> {
  const base = await selectPublished.first(db, treeId, beforeVersion)
  return { base, runs: base ? await selectRuns.all(db, treeId, base.version) : [] }
}
