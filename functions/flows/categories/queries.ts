import { sql } from 'kysely'
import { accountId, isEditable, platformAccountId, teamId } from '#db/expressions.ts'
import { nameOrder, type Order, type PageQuery, pageEnd, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement } from '#db/statement.ts'
import { type Category, Tag } from './schemas.ts'

export interface CategoryRow extends Category {
  /** Whether the caller may change it. */
  may_change: boolean
}

const flowCount = sql<number>`
  (select count(*)::integer from trees t where t.account_id = categories.account_id and t.category_id = categories.id and t.deleted_at is null)`
const categoryColumns = [
  'id',
  'account_id',
  'name',
  'created_by',
  'created_at',
  flowCount.as('flow_count'),
  isEditable('categories').as('may_change'),
] as const

export function selectCategories(db: ReadDb, page: PageQuery): Promise<CategoryRow[]> {
  return db
    .selectFrom('categories')
    .select(categoryColumns)
    .where('account_id', 'in', [accountId, platformAccountId])
    .where(sql<boolean>`not coalesce(app.hides_category(categories), false)`)
    .$call(selectPage(nameOrder(), page))
    .execute()
}

export function selectCategory(db: ReadDb, id: string): Promise<CategoryRow | undefined> {
  return db.selectFrom('categories').select(categoryColumns).where('id', '=', id).executeTakeFirst()
}

export function insertCategory(db: WriteDb, name: string): Promise<CategoryRow> {
  return db
    .insertInto('categories')
    .values({ name, team_id: teamId })
    .returning(categoryColumns)
    .executeTakeFirstOrThrow()
}

export function updateCategory(db: WriteDb, id: string, name: string): Promise<CategoryRow | undefined> {
  return db
    .updateTable('categories')
    .set({ name })
    .where('id', '=', id)
    .where(isEditable('categories'))
    .returning(categoryColumns)
    .executeTakeFirst()
}

export async function deleteCategory(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('categories')
    .where('id', '=', id)
    .where(isEditable('categories'))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export const tagOrder: Order<'count' | 'tag'> = [
  { field: 'count', kind: 'integer', isDescending: true, column: sql`count(*)` },
  { field: 'tag', kind: 'text', column: sql`tag`, rank: (tag) => sql`app.name_key(${tag})` },
]

export const selectTags = readStatement(
  Tag,
  (page: PageQuery) => sql`
    select mode() within group (order by tag) as tag, count(*)::integer as count
      from trees t, unnest(t.tags) tag
     where t.account_id in (app.account_id(), app.platform_account()) and t.deleted_at is null
     group by app.name_key(tag) having true ${pageEnd(tagOrder, page)}`,
)
