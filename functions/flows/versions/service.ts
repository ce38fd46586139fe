import * as trees from '#functions/flows/trees/service.ts'
import type { WriteContext } from '#http/operation.ts'
import { createVersionReaders } from '#http/versions.ts'
import { toFlowContent } from '#rules/flows/compare.ts'
import * as queries from './queries.ts'

export const { list, get, compare } = createVersionReaders({
  selectItems: queries.selectVersions,
  selectVersion: queries.selectVersion,
  requireResource: (db, id) => trees.find(db, id),
  toContent: toFlowContent,
})

/** Save the content of an old version as the newest. Visibility, category and tags stay as they are. */
export async function restore(ctx: WriteContext, treeId: string, version: number) {
  const { name, description, tree_type, tree_structure, intake_form } = await get(ctx, treeId, version)
  return trees.update(ctx, treeId, { tree_type, name, description, tree_structure, intake_form }, version)
}
