import { type PageQuery, toPage } from '#db/page.ts'
import * as trees from '#functions/flows/trees/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { answerComparison } from '#http/versions.ts'
import { throwNotFound } from '#problem.ts'
import { toFlowContent } from '#rules/flows/compare.ts'
import type { ComparisonQuery } from '#rules/versions/schema.ts'
import * as queries from './queries.ts'

export async function list({ db }: ReadContext, treeId: string, page: PageQuery) {
  const versions = await queries.selectVersions(db, treeId, page)
  if (versions.length === 0) await trees.find(db, treeId)
  return toPage(versions, page.limit)
}

export async function get({ db }: Pick<ReadContext, 'db'>, treeId: string, version: number) {
  return (await queries.selectVersion(db, treeId, version)) ?? throwNotFound('Version')
}

export async function compare(ctx: ReadContext, treeId: string, version: number, query: ComparisonQuery) {
  return answerComparison(version, query, async (number) => {
    const flow = await get(ctx, treeId, number)
    return { name: flow.name, content: toFlowContent(flow) }
  })
}

/** Save the content of an old version as the newest. Visibility, category and tags stay as they are. */
export async function restore(ctx: WriteContext, treeId: string, version: number) {
  const { name, description, tree_type, tree_structure, intake_form } = await get(ctx, treeId, version)
  return trees.update(ctx, treeId, { tree_type, name, description, tree_structure, intake_form }, version)
}
