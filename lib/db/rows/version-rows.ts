import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import type { PageQuery } from '../page.ts'
import { readStatement } from '../statement.ts'

/** The tables of something whose earlier versions are kept. The newest version is the row of `table` itself. */
export interface VersionedTable {
  table: 'script_templates' | 'network_diagrams'
  versions: 'script_versions' | 'diagram_versions'
  /** The column of `versions` with the id of the row. */
  key: 'script_id' | 'diagram_id'
}

const itemShape = {
  version: z.int(),
  name: z.string(),
  saved_by: z.string().nullable(),
  saved_by_name: z.string().nullable(),
  restored_from: z.int().nullable(),
  is_current: z.boolean(),
  created_at: z.string(),
}

/**
 * Create the statements that read the versions of a row: `selectItems` a page of them, newest first, and `selectVersion` one with the
 * columns of `content`. They start from `table`, whose policy decides who may read the row.
 */
export function createVersionStatements<Shape extends z.ZodRawShape>({ table, versions, key }: VersionedTable, content: Shape) {
  const listContent = (alias: string) => sql.join(Object.keys(content).map((column) => sql.ref(`${alias}.${column}`)))
  const select = (id: string, columns: RawBuilder<unknown>, rest: RawBuilder<unknown>) => sql`
    select v.version, v.name, s.saved_by, case when s.saved_by = app.service_user() then 'Support Flow' else u.full_name end as saved_by_name,
           v.restored_from, v.version = t.version as is_current, v.created_at${columns}
      from ${sql.ref(table)} t
      cross join lateral (
        select t.version, t.name, t.saved_by, t.restored_from, t.updated_at as created_at, ${listContent('t')}
        union all
        select o.version, o.name, o.saved_by, o.restored_from, o.created_at, ${listContent('o')}
          from ${sql.ref(versions)} o where o.account_id = t.account_id and o.${sql.ref(key)} = t.id) v
      cross join lateral (select coalesce(v.saved_by, case when v.version = 1 then t.created_by end) as saved_by) s
      left join users u on u.account_id = t.account_id and u.id = s.saved_by
     where t.id = ${id} ${rest}`
  return {
    selectItems: readStatement(z.object(itemShape), (id: string, { skip, limit }: PageQuery) =>
      select(id, sql``, sql`order by v.version desc offset ${skip} limit ${limit + 1}`),
    ),
    selectVersion: readStatement(z.object({ ...itemShape, ...content }), (id: string, version: number) =>
      select(id, sql`, ${listContent('v')}`, sql`and v.version = ${version}`),
    ),
  }
}
