import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { latestVersionFirst, type PageQuery, pageEnd } from '#db/page.ts'

/**
 * The tables of something whose earlier versions are kept. The newest version is the row of `table` itself.
 */
export interface VersionedTable {
  table: 'script_templates' | 'network_diagrams'
  versions: 'script_versions' | 'diagram_versions'
  /** The column of `versions` with the id of the row. */
  key: 'script_id' | 'diagram_id'
}

/** The columns of a version in a list. */
export const versionItemShape = {
  version: z.int(),
  name: z.string(),
  saved_by: z.string().nullable(),
  saved_by_name: z.string().nullable(),
  restored_from: z.int().nullable(),
  is_current: z.boolean(),
  created_at: z.string(),
}

/**
 * The SQL that reads the versions of a row. It starts from `table`, whose policy decides who may read the
 * row.
 */
export interface VersionSql {
  /** A page of the versions, newest first, with the columns of `versionItemShape`. */
  selectItems(id: string, page: PageQuery): RawBuilder<unknown>
  /** One version, with the columns of its content too. */
  selectVersion(id: string, version: number): RawBuilder<unknown>
}

/** Write the SQL for a table whose versions have the columns of `content`. */
export function writeVersionSql(
  { table, versions, key }: VersionedTable,
  content: z.ZodRawShape,
): VersionSql {
  const listContent = (alias: string) =>
    sql.join(Object.keys(content).map((column) => sql.ref(`${alias}.${column}`)))
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
    selectItems: (id, page) => select(id, sql``, pageEnd(latestVersionFirst, page, 'v')),
    selectVersion: (id, version) => select(id, sql`, ${listContent('v')}`, sql`and v.version = ${version}`),
  }
}
