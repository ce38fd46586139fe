import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { RecordedStatement } from './statement-recorder.ts'

/** A column, and whether an INSERT must name it: it is NOT NULL and has no default. */
interface Column {
  table: string
  name: string
  isRequired: boolean
}

/** What a released version needs of the schema. */
export interface Release {
  columns: Column[]
  statements: RecordedStatement[]
}

const releaseFile = join(import.meta.dirname, 'release.tsv')
const serviceRoles = ['app_runtime', 'app_platform']

/** Write the release file: a line per column and per statement, sorted. */
export async function writeRelease(
  client: pg.Client,
  statements: readonly RecordedStatement[],
): Promise<void> {
  const columns = (await selectColumns(client)).map(
    ({ table, name, isRequired }) => `column\t${table}\t${name}\t${isRequired ? 'required' : 'optional'}`,
  )
  const recorded = mergeLists(statements)
  // What PostgreSQL refuses is sent by tests of the roles, not by the service.
  const problems = await listStatementProblems(client, { columns: [], statements: recorded })
  const accepted = recorded.filter(
    ({ role, sql }) =>
      !problems.some((problem) => problem.startsWith(`${role}: `) && problem.endsWith(`: ${sql}`)),
  )
  const lines = [...columns, ...new Set(accepted.map(({ role, sql }) => `statement\t${role}\t${sql}`))].sort()
  await writeFile(releaseFile, `${lines.join('\n')}\n`)
}

export async function readRelease(): Promise<Release> {
  return parseRelease(await readFile(releaseFile, 'utf8'))
}

/** Parse the lines of a release file. */
export function parseRelease(text: string): Release {
  const lines = text.trim().split('\n')
  const rows = lines.map((line) => line.split('\t'))
  return {
    columns: rows.flatMap(([kind, table = '', name = '', need]) =>
      kind === 'column' ? [{ table, name, isRequired: need === 'required' }] : [],
    ),
    statements: rows.flatMap(([kind, role = '', sql = '']) => (kind === 'statement' ? [{ role, sql }] : [])),
  }
}

/**
 * Return the service's queries on one line each. Of statements that differ in the length of a list only, the
 * shortest stays. The library of the queue creates its tables when a service starts, so statements with them
 * are left out.
 */
function mergeLists(statements: readonly RecordedStatement[]): RecordedStatement[] {
  const shortest = new Map<string, RecordedStatement>()
  for (const { role, sql } of statements) {
    const line = sql.replace(/--.*/g, '').replace(/\s+/g, ' ').trim()
    if (!serviceRoles.includes(role) || !/^(select|insert|update|delete|merge|with)\b/i.test(line)) continue
    if (line.includes('graphile_worker')) continue
    const list = /(\$|\((?:\$, )*\$\))(?:, \1)+/g
    const key = `${role} ${line.replace(/\$\d+/g, '$').replace(list, '$1').replace(list, '$1')}`
    if ((shortest.get(key)?.sql.length ?? Number.POSITIVE_INFINITY) > line.length)
      shortest.set(key, { role, sql: line })
  }
  return [...shortest.values()]
}

/**
 * Return the problems of a released version with the schema of a database, as a superuser. Empty if it still
 * works.
 */
export async function listReleaseProblems(client: pg.Client, release: Release): Promise<string[]> {
  return [
    ...listColumnProblems(release, await selectColumns(client)),
    ...(await listStatementProblems(client, release)),
  ]
}

async function selectColumns(client: pg.Client): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select c.relname as table, a.attname as name,
            a.attnotnull and not a.atthasdef and a.attidentity = '' as "isRequired"
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migrations'
        and a.attnum > 0 and not a.attisdropped
      order by 1, a.attnum`,
  )
  return rows
}

// PostgreSQL checks NOT NULL when a row is written, so preparing an INSERT does not find a column that it
// lacks.
function listColumnProblems({ columns, statements }: Release, current: readonly Column[]): string[] {
  const isRequiredBefore = new Map(
    columns.map(({ table, name, isRequired }) => [`${table}.${name}`, isRequired]),
  )
  const tables = new Set(columns.map(({ table }) => table))
  const inserts = statements.flatMap(({ sql }) => listInserts(sql))
  return current.flatMap(({ table, name, isRequired }) => {
    const before = isRequiredBefore.get(`${table}.${name}`)
    if (!isRequired || before || !tables.has(table)) return []
    if (before === undefined) return [`${table}.${name} was added as NOT NULL without a default`]
    const lacking = inserts.find((insert) => insert.table === table && !insert.columns.includes(name))
    return lacking
      ? [
          `${table}.${name} is NOT NULL without a default now, but the release inserts rows without it: ${lacking.sql}`,
        ]
      : []
  })
}

function listInserts(sql: string): { table: string; columns: string[]; sql: string }[] {
  return [...sql.matchAll(/\binsert into "?(\w+)"?(?: as \w+)? ?\(([^)]*)\)/gi)].map(
    ([, table = '', columns = '']) => ({
      table,
      columns: columns.split(',').map((column) => column.trim().replaceAll('"', '')),
      sql,
    }),
  )
}

// EXPLAIN checks the permissions of the role too, which PREPARE does not. With `generic_plan` it takes
// parameters and runs nothing.
// https://www.postgresql.org/docs/18/sql-explain.html
async function listStatementProblems(client: pg.Client, { statements }: Release): Promise<string[]> {
  const problems: string[] = []
  for (const role of new Set(statements.map((statement) => statement.role))) {
    await client.query(`set role ${role}`)
    for (const { sql } of statements.filter((statement) => statement.role === role)) {
      const problem = await client.query(`explain (generic_plan) ${sql}`).then(
        () => null,
        (error: Error) => `${role}: ${error.message}: ${sql}`,
      )
      if (problem) problems.push(problem)
    }
  }
  await client.query('reset role')
  return problems
}
