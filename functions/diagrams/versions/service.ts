import * as diagrams from '#functions/diagrams/diagrams/service.ts'
import type { WriteContext } from '#http/operation.ts'
import { createVersionReaders } from '#http/versions.ts'
import { toDiagramContent } from '#rules/diagrams/compare.ts'
import * as queries from './queries.ts'

export const { list, get, compare } = createVersionReaders({
  selectItems: queries.selectItems.all,
  selectVersion: queries.selectVersion.first,
  requireResource: (db, id) => diagrams.get({ db }, id),
  toContent: toDiagramContent,
})

/** Save the content of an old version as the newest. An archived diagram stays archived. */
export async function restore(ctx: WriteContext, id: string, version: number) {
  const { name, description, client_name, asset_name, nodes, edges } = await get(ctx, id, version)
  return diagrams.update(ctx, id, { name, description, client_name, asset_name, nodes, edges }, version)
}
