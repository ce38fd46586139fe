import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { TreeVersion, TreeVersionItem } from './schemas.ts'

const versionColumns = sql`
  v.version, v.status, v.name, v.saved_by, case when v.saved_by = app.service_user() then 'Support Flow' else u.full_name end as saved_by_name,
  v.restored_from, v.version = t.version as is_current, v.created_at`
// Joins `trees`, whose row-level security policies decide who may read the versions of a flow.
const source = (treeId: string) => sql`
  trees t join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and t.id = ${treeId} and t.deleted_at is null
  left join users u on u.account_id = v.account_id and u.id = v.saved_by`

export async function selectVersions(db: ReadDb, treeId: string, { skip, limit }: PageQuery): Promise<TreeVersionItem[]> {
  const { rows } = await sql<TreeVersionItem>`
    select ${versionColumns} from ${source(treeId)} order by v.version desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectVersion(db: ReadDb, treeId: string, version: number): Promise<TreeVersion | undefined> {
  const { rows } = await sql<TreeVersion>`
    select ${versionColumns}, v.description, v.category, v.tree_type, v.tree_structure, v.intake_form from ${source(treeId)} where v.version = ${version}`.execute(
    db as WriteDb,
  )
  return rows[0]
}
