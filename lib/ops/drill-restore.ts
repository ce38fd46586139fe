import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import type pg from 'pg'
import { type Dump, getRowsFile } from './drill-dump.ts'
import { listMigrations, listTables, prepareConnection, type Table } from './drill-tables.ts'

type Connection = Pick<pg.ClientBase, 'query'>

const batchSize = 100

/**
 * Replace the rows of a migrated database by those of a dump, in one transaction. The connection must be a
 * superuser's, or may set `session_replication_role`: triggers and foreign keys do not run. Throw if the database has other migrations or other
 * columns than the dump.
 */
export async function restoreDump(client: Connection, folder: string, dump: Dump): Promise<void> {
  await prepareConnection(client)
  await requireSameSchema(client, dump)
  await client.query('begin')
  // https://www.postgresql.org/docs/18/runtime-config-client.html#GUC-SESSION-REPLICATION-ROLE
  await client.query('set local session_replication_role = replica')
  // Cascade: an unlogged table, which a dump leaves out, may refer to these.
  await client.query(`truncate ${dump.tables.map(({ name }) => name).join(', ')} cascade`)
  for (const table of dump.tables) await insertRows(client, table, getRowsFile(folder, table))
  for (const { name, value } of dump.sequences)
    await client.query('select setval($1::regclass, $2::bigint)', [`public.${name}`, value])
  await client.query('commit')
  await client.query('analyze')
}

async function requireSameSchema(client: Connection, dump: Dump): Promise<void> {
  const [migrations, tables] = [await listMigrations(client), await listTables(client)]
  const missing = dump.migrations.filter((line) => !migrations.includes(line))
  const added = migrations.filter((line) => !dump.migrations.includes(line))
  const names = [...missing, ...added].map((line) => line.split(' ')[0])
  if (names.length > 0)
    throw new Error(
      `Use the version of the service that the dump is of. These migrations differ: ${[...new Set(names)].join(', ')}`,
    )
  const describe = (list: readonly Table[]) =>
    JSON.stringify(list.map(({ name, columns }) => [name, columns]))
  if (describe(tables) !== describe(dump.tables))
    throw new Error('The database has tables or columns that no migration creates')
}

async function insertRows(client: Connection, { name, columns }: Table, file: string): Promise<void> {
  // The offset keeps PostgreSQL from reading the text once per column.
  const statement = `insert into ${name} (${columns.join(', ')}) overriding system value
    select ${columns.map((column) => `(r).${column}`).join(', ')} from (select row::${name} as r from unnest($1::text[]) row offset 0) s`
  let batch: string[] = []
  for await (const line of createInterface({
    input: createReadStream(file).pipe(createGunzip()),
    crlfDelay: Infinity,
  })) {
    batch.push(JSON.parse(line) as string)
    if (batch.length < batchSize) continue
    await client.query(statement, [batch])
    batch = []
  }
  if (batch.length > 0) await client.query(statement, [batch])
}
