import * as trees from '#functions/flows/trees/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, limitReached } from '#problem.ts'
import * as queries from './queries.ts'
import { maxPins } from './schemas.ts'

export async function list({ db }: ReadContext) {
  return queries.selectPinnedTrees(db)
}

export async function pin({ db }: WriteContext, id: string) {
  const pinnedTrees = await queries.insertPin(db, id)
  if (pinnedTrees.some((tree) => tree.id === id)) return pinnedTrees
  await trees.find(db, id)
  throw limitReached('pins', maxPins, `At most ${maxPins} flows can be pinned; unpin one first`)
}

/**
 * Unpin a flow, also one that the caller no longer sees. Throw 404 for one that they neither pinned nor see.
 */
export async function unpin({ db }: WriteContext, id: string) {
  if (!(await queries.deletePin(db, id))) await trees.find(db, id)
}

export async function reorder({ db }: WriteContext, ids: readonly string[]) {
  const pinnedTrees = await queries.selectPinnedTrees(db)
  const requestedIds = new Set(ids)
  if (pinnedTrees.length !== requestedIds.size || pinnedTrees.some(({ id }) => !requestedIds.has(id)))
    throw invalidField(['body', 'tree_ids'], 'must contain each pinned flow once and no other flow', 'custom')
  return queries.updatePinPositions(db, ids)
}
