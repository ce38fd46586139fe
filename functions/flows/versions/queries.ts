import { sql } from 'kysely'
import { latestVersionFirst, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb } from '#db/scope.ts'
import type { TreeVersion, TreeVersionItem } from './schemas.ts'

const saverName = sql<
  string | null
>`case when v.saved_by = app.service_user() then 'Support Flow' else u.full_name end`

/**
 * Select from `trees` too, because its row-level security policies decide who may read the versions of a
 * flow.
 */
function selectItems(db: ReadDb, treeId: string) {
  return db
    .selectFrom('trees as t')
    .innerJoin('tree_versions as v', (join) =>
      join.onRef('v.account_id', '=', 't.account_id').onRef('v.tree_id', '=', 't.id'),
    )
    .leftJoin('users as u', (join) =>
      join.onRef('u.account_id', '=', 'v.account_id').onRef('u.id', '=', 'v.saved_by'),
    )
    .select([
      'v.version',
      'v.status',
      'v.name',
      'v.saved_by',
      saverName.as('saved_by_name'),
      'v.restored_from',
      'v.replay',
    ])
    .select([sql<boolean>`v.version = t.version`.as('is_current'), 'v.created_at'])
    .where('t.id', '=', treeId)
    .where('t.deleted_at', 'is', null)
}

export function selectVersions(db: ReadDb, treeId: string, page: PageQuery): Promise<TreeVersionItem[]> {
  return selectItems(db, treeId)
    .$call(selectPage(latestVersionFirst, page, 'v'))
    .execute()
}

export function selectVersion(db: ReadDb, treeId: string, version: number): Promise<TreeVersion | undefined> {
  return selectItems(db, treeId)
    .select(['v.description', 'v.category', 'v.tree_type', 'v.tree_structure', 'v.intake_form'])
    .where('v.version', '=', version)
    .executeTakeFirst()
}
