import { sql } from 'kysely'
import { accountId, byName, isEditable, jsonb, mayChange, now, teamId } from '#db/expressions.ts'
import { nameOrder, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import type { TargetList, TargetListCreate, TargetListItem, TargetListUpdate } from './schemas.ts'

export interface TargetListRow extends TargetList {
  /** Whether the caller may change it. */
  may_change: boolean
}

const itemColumns = [
  'id',
  'account_id',
  'team_id',
  'name',
  'description',
  'version',
  'created_by',
  'created_at',
  'updated_at',
] as const
const targetListColumns = [
  ...itemColumns,
  sql<TargetList['targets']>`targets`.as('targets'),
  mayChange('created_by', 'team_id').as('may_change'),
] as const

export function selectLists(db: ReadDb, page: PageQuery): Promise<TargetListItem[]> {
  return db
    .selectFrom('target_lists')
    .select([...itemColumns, sql<number>`jsonb_array_length(targets)`.as('target_count')])
    .where('account_id', '=', accountId)
    .$call(selectPage(nameOrder(), page))
    .execute()
}

export function selectList(db: ReadDb, id: string): Promise<TargetListRow | undefined> {
  return db.selectFrom('target_lists').select(targetListColumns).where('id', '=', id).executeTakeFirst()
}

export function insertList(db: WriteDb, { targets, ...columns }: TargetListCreate): Promise<TargetListRow> {
  return db
    .insertInto('target_lists')
    .values({ ...columns, team_id: teamId, targets: jsonb(targets) })
    .returning(targetListColumns)
    .executeTakeFirstOrThrow()
}

/**
 * Update the columns in `changes`. Return undefined if the stored version is not the expected one or the
 * caller may not change the list.
 */
export function updateList(
  db: WriteDb,
  id: string,
  changes: TargetListUpdate,
): Promise<TargetListRow | undefined> {
  const { targets, expected_version, ...columns } = changes
  const update = db
    .updateTable('target_lists')
    .set({ ...columns, targets: targets && jsonb(targets), version: sql`version + 1`, updated_at: now })
    .where('id', '=', id)
    .where(isEditable('target_lists'))
    .returning(targetListColumns)
  return (
    expected_version === undefined ? update : update.where('version', '=', expected_version)
  ).executeTakeFirst()
}

export async function deleteList(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('target_lists')
    .where('id', '=', id)
    .where(isEditable('target_lists'))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Select the first 20 schedules by name that use the list and that the caller can see. */
export function selectSchedulesUsingList(db: ReadDb, id: string): Promise<{ id: string; name: string }[]> {
  return db
    .selectFrom('maintenance_schedules')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .where('target_list_id', '=', id)
    .orderBy(byName('name'))
    .orderBy('id')
    .limit(20)
    .execute()
}
