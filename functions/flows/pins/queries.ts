import { sql } from 'kysely'
import { forkInfo, treeColumns, treeJoins } from '../../../lib/db/rows/trees.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { TreeListItem } from '../trees/schemas.ts'
import { mostPins } from './schemas.ts'

const mine = sql`pin.account_id = app.account_id() and pin.user_id = app.user_id()`
/** Of the caller's pins those whose flows they still see. */
const pinned = sql<TreeListItem>`
  select ${treeColumns}, ${forkInfo}
    from tree_pins pin join trees t on t.account_id = pin.tree_account_id and t.id = pin.tree_id and t.deleted_at is null ${treeJoins}
   where ${mine} order by pin.position, pin.created_at, pin.tree_id`

export async function selectPinned(db: ReadDb): Promise<TreeListItem[]> {
  return (await pinned.execute(db as WriteDb)).rows
}

/** Pins at the end, if there is room, and answers all pins. */
export async function insertPin(db: WriteDb, id: string): Promise<TreeListItem[]> {
  const insert = sql`
    insert into tree_pins (tree_account_id, tree_id, position)
    select t.account_id, t.id, coalesce((select max(pin.position) + 1 from tree_pins pin where ${mine}), 0) from trees t
     where t.id = ${id} and t.deleted_at is null and (select count(*) from tree_pins pin where ${mine}) < ${mostPins}
    on conflict do nothing`
  const [, rows] = await db.batch([statement(db, insert), statement(db, pinned)])
  return rows
}

export async function deletePin(db: WriteDb, id: string): Promise<boolean> {
  const { rows } = await sql`delete from tree_pins pin where ${mine} and pin.tree_id = ${id} returning pin.tree_id`.execute(db)
  return rows.length > 0
}

/** Puts the pins into the order of `ids` and answers all pins in the order they have then. */
export async function updatePositions(db: WriteDb, ids: readonly string[]): Promise<TreeListItem[]> {
  const update = sql`
    update tree_pins pin set position = o.position
      from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) with ordinality o (id, position)
     where ${mine} and pin.tree_id = o.id::uuid`
  const [, rows] = await db.batch([statement(db, update), statement(db, pinned)])
  return rows
}
