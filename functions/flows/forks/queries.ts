import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import { forkInfo, treeColumns, treeJoins } from '../../../lib/db/rows/trees.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { TreeListItem } from '../trees/schemas.ts'

/** Select the forks in the caller's account. Row-level security hides those that the caller cannot see. */
export async function selectForks(db: ReadDb, treeId: string, { skip, limit }: PageQuery): Promise<TreeListItem[]> {
  const { rows } = await sql<TreeListItem>`
    select ${treeColumns}, ${forkInfo} from trees t ${treeJoins}
     where t.account_id = app.account_id() and t.parent_tree_id = ${treeId} and t.deleted_at is null
     order by t.created_at desc, t.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}
