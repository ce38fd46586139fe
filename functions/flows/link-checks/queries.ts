import { sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '#db/expressions.ts'
import type { PlatformDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { CheckedLink } from '#rules/flows/health/links.ts'
import type { TreeStructure } from '#rules/flows/structure.ts'
import { lockInTurn } from '#work/lock-in-turn.ts'

const ClaimedCheck = z.object({
  account_id: z.string(),
  tree_id: z.string(),
  links: z.custom<CheckedLink[]>(),
  due_at: z.string(),
  /** Null if the flow was deleted or is not published any more. */
  tree_structure: z.custom<TreeStructure>().nullable(),
})
export type ClaimedCheck = z.output<typeof ClaimedCheck>

/** Claim due checks for ten minutes, and select the current version of their flows. */
export const claimDueChecks = writeStatement(
  ClaimedCheck,
  (limit: number) => sql`
    with ${lockInTurn('flow_link_checks', { id: 'tree_id', isDue: sql`due_at <= app.now()`, orderBy: 'due_at', limit })},
    claimed as (
      update flow_link_checks c set due_at = app.now() + interval '10 minutes' from due d
       where c.account_id = d.account_id and c.tree_id = d.tree_id
      returning c.account_id, c.tree_id, c.links, c.due_at, d.turn, d.chance)
    select c.account_id, c.tree_id, c.links, app.iso(c.due_at) as due_at, v.tree_structure
      from claimed c
      left join trees t on t.account_id = c.account_id and t.id = c.tree_id and t.deleted_at is null and t.status = 'published'
      left join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
     order by c.turn, c.chance`,
)

/**
 * Store the results of a check, and when the next one is due. If the flow was saved meanwhile, its check
 * stays due.
 */
export const storeCheck = writeStatement(
  null,
  ({ account_id, tree_id, due_at }: ClaimedCheck, links: readonly CheckedLink[], days: number) => sql`
    update flow_link_checks c set links = ${jsonb(links)}, checked_at = app.now(),
           due_at = case when c.due_at = ${due_at}::timestamptz then app.now() + make_interval(days => ${days}::integer) else c.due_at end
     where c.account_id = ${account_id} and c.tree_id = ${tree_id}`,
)

export async function deleteCheck(db: PlatformDb, { account_id, tree_id }: ClaimedCheck): Promise<void> {
  await db
    .deleteFrom('flow_link_checks')
    .where('account_id', '=', account_id)
    .where('tree_id', '=', tree_id)
    .execute()
}
