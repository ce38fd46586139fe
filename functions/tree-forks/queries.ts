import { sql } from 'kysely'
import type { PageQuery } from '../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../lib/db/scope.ts'
import { forkInfo, treeColumns, treeJoins } from '../../lib/flows/columns.ts'
import type { TreeListItem } from '../trees/schemas.ts'

/** Of the account's own, as far as the caller sees them: a fork always belongs to who made it. */
export async function selectForks(db: ReadDb, treeId: string, { skip, limit }: PageQuery): Promise<TreeListItem[]> {
  const { rows } = await sql<TreeListItem>`
    select ${treeColumns}, ${forkInfo} from trees t ${treeJoins}
     where t.account_id = app.account_id() and t.parent_tree_id = ${treeId} and t.deleted_at is null
     order by t.created_at desc, t.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

/** The first flow of a flow's line. */
export async function selectRoot(db: ReadDb, treeId: string): Promise<{ account_id: string; id: string }> {
  const { rows } = await sql<{ account_id: string; id: string }>`
    select coalesce(t.root_account_id, t.account_id) as account_id, coalesce(t.root_tree_id, t.id) as id from trees t where t.id = ${treeId}`.execute(
    db as WriteDb,
  )
  return rows[0] as { account_id: string; id: string }
}
