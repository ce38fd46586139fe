import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { exportedTables } from '#db/account-data.ts'
import { startPostgres } from '#local/postgres.ts'
import { root } from '#local/root.ts'
import { listTableProblems } from './check-tables.ts'
import { writeGenerated } from './write-generated.ts'

interface Column {
  table_name: string
  column_name: string
  type: string
  not_null: boolean
  has_default: boolean
  /** The definition of a check constraint that limits the column to a list of texts. */
  allowed: string | null
}

const columnsQuery = `
  select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, null) as type,
         a.attnotnull as not_null, a.atthasdef or a.attidentity <> '' as has_default,
         (select min(pg_get_constraintdef(k.oid)) from pg_constraint k
           where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
             and pg_get_constraintdef(k.oid) ~ '^CHECK \\(\\(\\w+ = ANY \\(ARRAY\\[[^()]*\\]\\)\\)\\)$') as allowed
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
   where n.nspname = 'public' and c.relkind in ('r', 'v') and a.attnum > 0 and not a.attisdropped and c.relname <> 'migrations'
   order by 1, a.attnum`

interface Argument {
  function_name: string
  name: string
  type: string
  has_default: boolean
}

// The functions that the roles of the service may call. One that takes a row is called with a row of the same
// statement, so it is left out.
const argumentsQuery = `
  select 'app.' || p.proname as function_name, a.name, format_type(a.type, null) as type, a.n > p.pronargs - p.pronargdefaults as has_default
    from pg_proc p left join lateral unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) with ordinality a (name, type, n) on true
   where p.pronamespace = 'app'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
     and (has_function_privilege('app_runtime', p.oid, 'execute') or has_function_privilege('app_platform', p.oid, 'execute'))
     and not exists (select from pg_type t where t.oid = any (p.proargtypes) and t.typtype = 'c')
   order by p.proname collate "C", a.n`

// A parameter of these types is a text: that of a JSON value, and '\\x…' for bytes. An SQL expression can
// take its place.
const argumentTypes: Record<string, string> = {
  json: 'string',
  jsonb: 'string',
  bytea: 'string',
  regconfig: 'string',
  regdictionary: 'string',
  '"char"': 'string',
}

function renderArgument({ name, type, has_default }: Argument): string {
  const isList = type.endsWith('[]')
  const base = isList ? type.slice(0, -2) : type
  const element = argumentTypes[base] ?? toTypescriptType(base)
  return `${name}${has_default ? '?' : ''}: ${isList ? `readonly ${element}[]` : element}`
}

// As biome.json says.
const lineWidth = 110

function renderFunctions(rows: readonly Argument[]): string {
  const functions = Object.entries(Object.groupBy(rows, (row) => row.function_name))
  const lines = functions.map(([name, list = []]) => {
    const named = list.filter((argument) => argument.name !== null).map(renderArgument)
    if (named.length === 0) return `  '${name}': Record<never, never>`
    const line = `  '${name}': { ${named.join('; ')} }`
    return line.length <= lineWidth
      ? line
      : `  '${name}': {\n${named.map((argument) => `    ${argument}\n`).join('')}  }`
  })
  return `/** The arguments of the SQL functions. */\nexport interface SqlFunctions {\n${lines.join('\n')}\n}\n`
}

const typescriptTypes: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  tsvector: 'string',
  boolean: 'boolean',
  integer: 'number',
  smallint: 'number',
  bigint: 'number',
  'double precision': 'number',
  real: 'number',
  'bit varying': 'string',
  'time without time zone': 'string',
  date: 'string',
  bytea: 'Uint8Array',
  jsonb: 'Json',
}

function toTypescriptType(sqlType: string): string {
  if (sqlType.endsWith('[]')) return `${toTypescriptType(sqlType.slice(0, -2))}[]`
  if (sqlType.startsWith('timestamp')) return 'string'
  const type = typescriptTypes[sqlType]
  if (!type)
    throw new Error(
      `lib/local/build/write-table-types.ts has no TypeScript type for ${sqlType}; add it to typescriptTypes`,
    )
  return type
}

/**
 * Return the union of the allowed texts, the declared type of a JSON column, or the type that fits the SQL
 * type.
 */
function toColumnType({ table_name, column_name, type, allowed }: Column, jsonColumns: string): string {
  if (allowed) return [...allowed.matchAll(/'([^']*)'::text/g)].map(([, text]) => `'${text}'`).join(' | ')
  const key = `'${table_name}.${column_name}'`
  if (type === 'jsonb' && jsonColumns.includes(key)) return `JsonColumns[${key}]`
  return toTypescriptType(type)
}

function renderColumn(column: Column, jsonColumns: string): string {
  const { column_name, not_null, has_default } = column
  const base = not_null ? toColumnType(column, jsonColumns) : `${toColumnType(column, jsonColumns)} | null`
  // The database fills account_id from the scope. With this type, code that sets it does not compile.
  if (column_name === 'account_id') return `  account_id: ColumnType<${base}, never, never>`
  return `  ${column_name}: ${has_default ? `Generated<${base}>` : base}`
}

function toPascalCase(name: string): string {
  return name.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase())
}

/**
 * Migrate an empty database and return the columns of its tables, the arguments of its functions, and what
 * its tables lack.
 */
async function readDatabase(): Promise<{
  columns: Column[]
  functionArguments: Argument[]
  problems: string[]
}> {
  const folder = await mkdtemp(join(tmpdir(), 'schema-'))
  const cluster = await startPostgres(join(folder, 'data'), { durable: false })
  try {
    const client = new pg.Client({ connectionString: await cluster.createDatabase('schema') })
    await client.connect()
    const { rows: columns } = await client.query<Column>(columnsQuery)
    const { rows: functionArguments } = await client.query<Argument>(argumentsQuery)
    const problems = await listTableProblems(client)
    await client.end()
    return { columns, functionArguments, problems }
  } finally {
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const head = '// Generated from the migrated database by `npm run db:types`.\n'

/** Return the TypeScript types of the tables and of the arguments of the functions. */
function renderTypes(
  rows: readonly Column[],
  functionArguments: readonly Argument[],
  jsonColumns: string,
): string {
  const tables = Object.entries(Object.groupBy(rows, (row) => row.table_name))
  const interfaces = tables.map(
    ([name, columns = []]) =>
      `export interface ${toPascalCase(name)}Table {\n${columns.map((column) => renderColumn(column, jsonColumns)).join('\n')}\n}\n`,
  )
  const database = `export interface DB {\n${tables.map(([name]) => `  ${name}: ${toPascalCase(name)}Table`).join('\n')}\n}\n`
  const imports =
    "import type { ColumnType, Generated } from 'kysely'\nimport type { JsonColumns } from './json-columns.ts'\n"
  const json = 'export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }\n'
  return [head + imports, json, ...interfaces, database, renderFunctions(functionArguments)].join('\n')
}

/** Return the columns that an export contains, by table: all that account-data.ts does not leave out. */
function renderExportedColumns(rows: readonly Column[]): string {
  const tables = exportedTables.map(({ table, leftOut }) => {
    const names = rows.filter((row) => row.table_name === table).map(({ column_name }) => column_name)
    const exported = names.filter((name) => name !== 'account_id' && !(name in leftOut))
    return `  ${table}: [${exported.map((name) => `'${name}'`).join(', ')}],\n`
  })
  const reader =
    '// An export contains these columns. A new one needs a review: may everyone who gets the archive read it?\n'
  return `${head}${reader}\nexport const exportedColumns = {\n${tables.join('')}} as const\n`
}

const { columns, functionArguments, problems } = await readDatabase()
const jsonColumns = await readFile(join(root, 'lib/db/json-columns.ts'), 'utf8')
const origin = { source: 'the migrated database', command: 'npm run db:types' }
await writeGenerated('lib/db/schema.ts', renderTypes(columns, functionArguments, jsonColumns), origin)
await writeGenerated('lib/db/exported-columns.ts', renderExportedColumns(columns), origin)
if (problems.length > 0) {
  console.error(problems.join('\n'))
  // While it is written, a table may lack something.
  if (process.argv.includes('--check')) process.exitCode = 1
}
