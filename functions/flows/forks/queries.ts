import { accountId } from '#db/expressions.ts'
import { newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import { selectTreeItems } from '#db/rows/trees.ts'
import type { ReadDb } from '#db/scope.ts'
import type { TreeListItem } from '#functions/flows/trees/schemas.ts'

/** Select the forks in the caller's account. Row-level security hides those that the caller cannot see. */
export function selectForks(db: ReadDb, treeId: string, page: PageQuery): Promise<TreeListItem[]> {
  return selectTreeItems(db)
    .where('t.account_id', '=', accountId)
    .where('t.parent_tree_id', '=', treeId)
    .where('t.deleted_at', 'is', null)
    .$call(selectPage(newestFirst, page, 't'))
    .execute()
}
