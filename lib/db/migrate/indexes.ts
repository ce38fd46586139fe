import type pg from 'pg'

const creation =
  /^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+("[^"]+"|\w+)\s+on\s+(?:only\s+)?([\w."]+)/i

/**
 * Drop the index that `statement` creates if an interrupted build left it invalid. Otherwise `if not exists`
 * would keep it.
 * https://www.postgresql.org/docs/18/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY
 */
export async function dropInvalidIndex(client: pg.Client, statement: string): Promise<void> {
  const [, index, table] = creation.exec(statement) ?? []
  if (!index || !table) return
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
       from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
      where i.indrelid = to_regclass($1) and c.relname = (parse_ident($2))[1] and not i.indisvalid`,
    [table, index],
  )
  for (const { name } of rows) await client.query(`drop index concurrently if exists ${name}`)
}
