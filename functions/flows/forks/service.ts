import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import * as trees from '#functions/flows/trees/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { copyColumns } from '#rules/flows/rfflow.ts'
import * as queries from './queries.ts'
import type { ForkCreate } from './schemas.ts'

/** Create a draft that belongs to the caller, with the current content of the flow. */
export async function create(ctx: WriteContext, treeId: string, { name, reason }: ForkCreate) {
  const source = await trees.find(ctx.db, treeId)
  const { category, tree_structure, intake_form } = source
  const content = { ...copyColumns(source), tree_structure, intake_form, ...(category ? { category } : {}) }
  return trees.create(
    ctx,
    { ...content, name: name ?? source.name, status: 'draft' },
    { parent: { account_id: source.account_id, id: source.id, reason: reason ?? null } },
  )
}

export async function list({ db }: ReadContext, treeId: string, page: PageQuery) {
  await trees.find(db, treeId)
  return toPage(await queries.selectForks(db, treeId, page), page, newestFirst)
}
