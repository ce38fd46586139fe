import { nameOrder, type PageQuery, toPage } from '#db/page.ts'
import { throwNameTaken } from '#db/sqlstate.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { Problem, throwNotFound } from '#problem.ts'
import * as queries from './queries.ts'
import type { Category } from './schemas.ts'

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage((await queries.selectCategories(db, page)).map(toCategory), page, nameOrder())
}

export async function create({ db }: WriteContext, name: string) {
  return toCategory(await queries.insertCategory(db, name).catch(throwNameTaken('A category')))
}

export async function rename({ db }: WriteContext, id: string, name: string | undefined) {
  if (name === undefined) return toCategory(await requireEditable(db, id))
  return toCategory(
    (await queries.updateCategory(db, id, name).catch(throwNameTaken('A category'))) ??
      (await requireEditable(db, id)),
  )
}

export async function remove({ db }: WriteContext, id: string) {
  if (!(await queries.deleteCategory(db, id))) await requireEditable(db, id)
}

export async function listTags({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectTags.all(db, page), page, queries.tagOrder)
}

/** Return the category. Throw 404 when the caller cannot see it, and 403 when they may not change it. */
async function requireEditable(db: ReadContext['db'], id: string) {
  const category = (await queries.selectCategory(db, id)) ?? throwNotFound('Category')
  if (!category.may_change)
    throw new Problem(
      'forbidden',
      'Only its creator, an admin of their team or an account admin may change this category',
    )
  return category
}

function toCategory({ may_change: _, ...category }: queries.CategoryRow): Category {
  return category
}
