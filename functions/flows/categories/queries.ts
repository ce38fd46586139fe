import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { Category, Tag } from './schemas.ts'

export interface CategoryRow extends Category {
  /** Whether the caller may change it. */
  may_change: boolean
}

const categoryColumns = sql`
  c.id, c.account_id, c.name, c.created_by, c.created_at,
  (select count(*)::integer from trees t where t.account_id = c.account_id and t.category_id = c.id and t.deleted_at is null) as flow_count,
  c.account_id = app.account_id() and app.may_change(c.created_by, c.team_id) as may_change`

export async function selectCategories(db: ReadDb, { skip, limit }: PageQuery): Promise<CategoryRow[]> {
  const { rows } = await sql<CategoryRow>`
    select ${categoryColumns} from categories c where c.account_id in (app.account_id(), app.platform_account())
     order by lower(c.name), c.id offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectCategory(db: ReadDb, id: string): Promise<CategoryRow | undefined> {
  return (await sql<CategoryRow>`select ${categoryColumns} from categories c where c.id = ${id}`.execute(db as WriteDb)).rows[0]
}

export async function insertCategory(db: WriteDb, name: string): Promise<CategoryRow> {
  const { rows } = await sql<CategoryRow>`
    with c as (insert into categories (name, team_id) values (${name}, app.team_id()) returning *) select ${categoryColumns} from c`.execute(
    db,
  )
  return rows[0] as CategoryRow
}

export async function updateCategory(db: WriteDb, id: string, name: string): Promise<CategoryRow | undefined> {
  const { rows } = await sql<CategoryRow>`
    with c as (
      update categories c set name = ${name}
       where c.account_id = app.account_id() and c.id = ${id} and app.may_change(c.created_by, c.team_id) returning c.*)
    select ${categoryColumns} from c`.execute(db)
  return rows[0]
}

export async function deleteCategory(db: WriteDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from categories c where c.account_id = app.account_id() and c.id = ${id} and app.may_change(c.created_by, c.team_id)
    returning c.id`.execute(db)
  return rows.length > 0
}

export async function selectTags(db: ReadDb, { skip, limit }: PageQuery): Promise<Tag[]> {
  const { rows } = await sql<Tag>`
    select mode() within group (order by tag) as tag, count(*)::integer as count
      from trees t, unnest(t.tags) tag
     where t.account_id in (app.account_id(), app.platform_account()) and t.deleted_at is null
     group by lower(tag) order by count desc, lower(tag) offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}
