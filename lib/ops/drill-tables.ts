import type pg from 'pg'
import { workTables } from '#db/work-kinds.ts'

type Connection = Pick<pg.ClientBase, 'query'>

/** A table whose rows are copied. */
export interface Table {
  /** Quoted where SQL needs it. */
  name: string
  /** Its columns but the generated ones, quoted where SQL needs it. */
  columns: string[]
}

/**
 * The content of a table. Two tables with the same rows have the same checksum, in whatever order the rows
 * are.
 */
export interface TableSummary {
  rows: number
  checksum: string
}

// The text of a row depends on these.
const textSettings = `set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set bytea_output = 'hex'; set extra_float_digits = 1`

/**
 * Make rows of this connection have the same text as those of any other, and make row level security an error
 * instead of a filter.
 */
export async function prepareConnection(client: Connection): Promise<void> {
  await client.query(
    `${textSettings}; set row_security = off; set search_path = public; set statement_timeout = 0`,
  )
}

/**
 * List the tables with their columns. The list of migrations is compared separately, and unlogged tables are
 * not kept by a crash either.
 */
export async function listTables(client: Connection): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select format('%I', c.relname) as name, (
             select array_agg(format('%I', a.attname) order by a.attnum) from pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p' and c.relname <> 'migrations' order by 1`)
  return rows
}

/** Count the rows of a table and add up the hashes of their text, of the columns that `table` names. */
export async function summarizeTable(client: Connection, { name, columns }: Table): Promise<TableSummary> {
  const { rows } = await client.query<TableSummary>(
    `select count(*)::float8 as rows, coalesce(sum(hashtextextended(row(${columns.join(', ')})::text, 0)::numeric), 0)::text as checksum from only ${name} t`,
  )
  return rows[0] as TableSummary
}

/** List the applied migrations with their checksums. */
export async function listMigrations(client: Connection): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    "select name || ' ' || checksum as line from public.migrations order by 1",
  )
  return rows.map(({ line }) => line)
}

/** List the keys of the objects that rows refer to. */
export async function listReferencedObjects(client: Connection): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string }>(`
    select format('%I', c.relname) as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'object_key' and not a.attisdropped`)
  const keys: string[] = []
  for (const { name } of tables) {
    const { rows } = await client.query<{ object_key: string }>(
      `select object_key from ${name} where object_key is not null`,
    )
    keys.push(...rows.map((row) => row.object_key))
  }
  return keys
}

/**
 * Describe the stored work of each outbox. A lease belongs to a process that runs no more, so its attempt is
 * repeated.
 */
export async function describeWork(client: Connection): Promise<string[]> {
  const parts = workTables.map(
    ({ name, initial }) => `
      select '${name}: ' || count(*) || ' open, ' || count(*) filter (where next_attempt_at <= app.now()) || ' due, ' ||
             count(*) filter (where leased_until > app.now()) || ' leased' as line from ${name} where state in ('${initial}', 'retrying')`,
  )
  const { rows } = await client.query<{ line: string }>(parts.join(' union all '))
  return rows.map(({ line }) => line)
}
