import { sql } from 'kysely'
import { accountId, userId } from '#db/expressions.ts'
import { selectTreeItems } from '#db/rows/trees.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { TreeListItem } from '#functions/flows/trees/schemas.ts'
import { maxPins } from './schemas.ts'

const isOwnPin = sql<boolean>`pin.account_id = ${accountId} and pin.user_id = ${userId}`

function selectPins(db: ReadDb) {
  return selectTreeItems(db)
    .innerJoin('tree_pins as pin', (join) =>
      join.onRef('pin.tree_account_id', '=', 't.account_id').onRef('pin.tree_id', '=', 't.id'),
    )
    .where(isOwnPin)
    .where('t.deleted_at', 'is', null)
    .orderBy('pin.position')
    .orderBy('pin.created_at')
    .orderBy('pin.tree_id')
}

/** Select the caller's pinned flows that they can still see, in the caller's order. */
export function selectPinnedTrees(db: ReadDb): Promise<TreeListItem[]> {
  return selectPins(db).execute()
}

export const insertOwnPin = writeStatement(
  null,
  (id: string) => sql`
    insert into tree_pins (tree_account_id, tree_id, position)
    select t.account_id, t.id, coalesce((select max(pin.position) + 1 from tree_pins pin where ${isOwnPin}), 0) from trees t
     where t.id = ${id} and t.deleted_at is null and (select count(*) from tree_pins pin where ${isOwnPin}) < ${maxPins}
    on conflict do nothing`,
)

/** Insert a pin at the end unless the caller already has `maxPins` pins. Return all pinned flows. */
export async function insertPin(db: WriteDb, id: string): Promise<TreeListItem[]> {
  const [, pinnedTrees] = await db.batch([insertOwnPin.query(id), selectPins(db)])
  return pinnedTrees
}

/** Delete a pin of the caller. Return whether there was one. */
export async function deletePin(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('tree_pins')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('tree_id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export const updateOwnPinPositions = writeStatement(
  null,
  (ids: readonly string[]) => sql`
    update tree_pins pin set position = o.position
      from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) with ordinality o (id, position)
     where ${isOwnPin} and pin.tree_id = o.id::uuid`,
)

/** Order the pins as in `ids`. Return all pinned flows in their new order. */
export async function updatePinPositions(db: WriteDb, ids: readonly string[]): Promise<TreeListItem[]> {
  const [, pinnedTrees] = await db.batch([updateOwnPinPositions.query(ids), selectPins(db)])
  return pinnedTrees
}
