import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { nameTaken } from '../../../lib/db/sqlstate.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { Category } from './schemas.ts'

export async function list({ db }: Reader, page: PageQuery) {
  return toPage((await queries.selectCategories(db, page)).map(shown), page.limit)
}

export async function create({ db }: Writer, name: string) {
  return shown(await queries.insertCategory(db, name).catch(nameTaken('A category')))
}

export async function rename({ db }: Writer, id: string, name: string | undefined) {
  if (name === undefined) return shown(await findOwn(db, id))
  return shown((await queries.updateCategory(db, id, name).catch(nameTaken('A category'))) ?? (await findOwn(db, id)))
}

export async function remove({ db }: Writer, id: string) {
  if (!(await queries.deleteCategory(db, id))) await findOwn(db, id)
}

export async function listTags({ db }: Reader, page: PageQuery) {
  return toPage(await queries.selectTags(db, page), page.limit)
}

async function findOwn(db: Reader['db'], id: string) {
  const category = await queries.selectCategory(db, id)
  if (!category) throw new Problem('not_found', 'Category not found')
  if (!category.may_change)
    throw new Problem('forbidden', 'Only who made it, an admin of their team or an account admin may change this category')
  return category
}

function shown({ may_change: _, ...category }: queries.CategoryRow): Category {
  return category
}
