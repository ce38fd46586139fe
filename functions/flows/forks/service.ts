import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import * as trees from '../trees/service.ts'
import * as queries from './queries.ts'
import type { ForkCreate } from './schemas.ts'

/** A draft of one's own with the flow's content as it is now. */
export async function fork({ db }: Writer, treeId: string, { name, reason }: ForkCreate) {
  const of = await trees.find(db, treeId)
  const { tree_type, description, category, tags, tree_structure, intake_form } = of
  const content = { tree_type, description, tags, tree_structure, intake_form, ...(category ? { category } : {}) }
  return trees.create(
    { db },
    { ...content, name: name ?? of.name, status: 'draft' },
    { parent: { account_id: of.account_id, id: of.id, reason: reason ?? null } },
  )
}

export async function list({ db }: Reader, treeId: string, page: PageQuery) {
  await trees.find(db, treeId)
  return toPage(await queries.selectForks(db, treeId, page), page.limit)
}
