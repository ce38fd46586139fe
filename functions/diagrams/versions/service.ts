import { type PageQuery, toPage } from '#db/page.ts'
import * as diagrams from '#functions/diagrams/diagrams/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { answerComparison } from '#http/versions.ts'
import { throwNotFound } from '#problem.ts'
import { toDiagramContent } from '#rules/diagrams/compare.ts'
import type { ComparisonQuery } from '#rules/versions/schema.ts'
import * as queries from './queries.ts'

export async function list({ db }: ReadContext, id: string, page: PageQuery) {
  const items = await queries.selectItems.all(db, id, page)
  if (items.length === 0) await diagrams.get({ db }, id)
  return toPage(items, page.limit)
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string, version: number) {
  return (await queries.selectVersion.first(db, id, version)) ?? throwNotFound('Version')
}

export async function compare(ctx: ReadContext, id: string, version: number, query: ComparisonQuery) {
  return answerComparison(version, query, async (number) => {
    const diagram = await get(ctx, id, number)
    return { name: diagram.name, content: toDiagramContent(diagram) }
  })
}

/** Save the content of an old version as the newest. An archived diagram stays archived. */
export async function restore(ctx: WriteContext, id: string, version: number) {
  const { name, description, client_name, asset_name, nodes, edges } = await get(ctx, id, version)
  return diagrams.update(ctx, id, { name, description, client_name, asset_name, nodes, edges }, version)
}
