import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as trees from '../trees/service.ts'
import * as queries from './queries.ts'

export async function list({ db }: Reader, treeId: string, page: PageQuery) {
  const versions = await queries.selectVersions(db, treeId, page)
  if (versions.length === 0) await trees.find(db, treeId)
  return toPage(versions, page.limit)
}

export async function get({ db }: Pick<Reader, 'db'>, treeId: string, version: number) {
  return (await queries.selectVersion(db, treeId, version)) ?? missing()
}

/** The old content as the newest version; what the flow is shared with and filed under stays as it is. */
export async function restore(ctx: Writer, treeId: string, version: number) {
  const { name, description, tree_type, tree_structure, intake_form } = await get(ctx, treeId, version)
  return trees.update(ctx, treeId, { tree_type, name, description, tree_structure, intake_form }, version)
}

function missing(): never {
  throw new Problem('not_found', 'Version not found')
}
