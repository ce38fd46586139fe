import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { selectIds } from '#db/expressions.ts'
import { readStatement } from '#db/statement.ts'

/** Select those of these flows that the caller sees. */
export const selectVisibleFlows = readStatement(
  z.object({
    id: z.string(),
    name: z.string(),
    status: z.enum(['draft', 'published']),
    visibility: z.string(),
  }),
  (ids: readonly string[]) => sql`
    select t.id, t.name, t.status, t.visibility from trees t
     where t.id in (${selectIds(ids)}) and t.deleted_at is null`,
)

const SubflowProblem = z.object({ child_tree_id: z.string().nullable(), problem: z.enum(['cycle', 'depth']) })
/** The detail of the error SF4SF. */
export const SubflowProblems = z.array(SubflowProblem)

/**
 * Select what prevents a flow from running these flows: `cycle` for each that runs the flow itself, and
 * `depth` without an id for too many levels. `treeId` is null for a new flow.
 */
export const selectSubflowProblems = readStatement(
  SubflowProblem,
  (treeId: string | null, ids: readonly string[]) => sql`
    select child_tree_id, problem from ${callFunction('app.check_subflows', { p_tree: treeId, p_children: ids })}`,
)
