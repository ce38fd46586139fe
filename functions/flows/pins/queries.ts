import { sql } from 'kysely'
import { forkInfo, treeColumns, treeJoins } from '../../../lib/db/rows/trees.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { TreeListItem } from '../trees/schemas.ts'
import { maxPins } from './schemas.ts'

const isOwnPin = sql`pin.account_id = app.account_id() and pin.user_id = app.user_id()`
/** The caller's pinned flows that they can still see, in the caller's order. */
const pinnedTrees = sql<TreeListItem>`
  select ${treeColumns}, ${forkInfo}
    from tree_pins pin join trees t on t.account_id = pin.tree_account_id and t.id = pin.tree_id and t.deleted_at is null ${treeJoins}
   where ${isOwnPin} order by pin.position, pin.created_at, pin.tree_id`

export async function selectPinnedTrees(db: ReadDb): Promise<TreeListItem[]> {
  return (await pinnedTrees.execute(db as WriteDb)).rows
}

/** Insert a pin at the end unless the caller already has `maxPins` pins. Return all pinned flows. */
export async function insertPin(db: WriteDb, id: string): Promise<TreeListItem[]> {
  const insert = sql`
    insert into tree_pins (tree_account_id, tree_id, position)
    select t.account_id, t.id, coalesce((select max(pin.position) + 1 from tree_pins pin where ${isOwnPin}), 0) from trees t
     where t.id = ${id} and t.deleted_at is null and (select count(*) from tree_pins pin where ${isOwnPin}) < ${maxPins}
    on conflict do nothing`
  const [, rows] = await db.batch([statement(db, insert), statement(db, pinnedTrees)])
  return rows
}

export async function deletePin(db: WriteDb, id: string): Promise<boolean> {
  const { rows } = await sql`delete from tree_pins pin where ${isOwnPin} and pin.tree_id = ${id} returning pin.tree_id`.execute(db)
  return rows.length > 0
}

/** Order the pins as in `ids`. Return all pinned flows in their new order. */
export async function updatePinPositions(db: WriteDb, ids: readonly string[]): Promise<TreeListItem[]> {
  const update = sql`
    update tree_pins pin set position = o.position
      from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) with ordinality o (id, position)
     where ${isOwnPin} and pin.tree_id = o.id::uuid`
  const [, rows] = await db.batch([statement(db, update), statement(db, pinnedTrees)])
  return rows
}
