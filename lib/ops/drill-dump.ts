import { createWriteStream } from 'node:fs'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type pg from 'pg'
import {
  listMigrations,
  listReferencedObjects,
  listTables,
  prepareConnection,
  summarizeTable,
  type Table,
  type TableSummary,
} from './drill-tables.ts'

type Connection = Pick<pg.ClientBase, 'query'>

/** What a dump contains, beside a file of rows per table. */
export interface Dump {
  migrations: string[]
  tables: (Table & TableSummary)[]
  sequences: { name: string; value: string }[]
  /** The keys that its rows refer to. */
  objects: string[]
  /** Size of its files in bytes. */
  bytes: number
}

// Rows of one round trip. A row may have 4 MB.
const batchSize = 100

/** Return the file of a table's rows: the text of one row per line, as JSON. */
export function getRowsFile(folder: string, { name }: Table): string {
  return join(folder, `${name.replaceAll('"', '')}.jsonl.gz`)
}

/**
 * Write every row of the database to files of a new folder, as of one moment. It blocks no reads or writes. A
 * migration waits for it. The connection must be the owner's, without a pooler. Throw if the folder is there: half
 * of a new dump would spoil the one in it.
 */
export async function writeDump(client: Connection, folder: string): Promise<Dump> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new Error(`${folder} is there already: name a new folder.`) : error
  })
  await prepareConnection(client)
  await client.query('begin isolation level repeatable read read only')
  const tables: Dump['tables'] = []
  let bytes = 0
  for (const table of await listTables(client)) {
    const file = getRowsFile(folder, table)
    await pipeline(
      Readable.from(readRows(client, table)),
      createGzip({ level: 1 }),
      createWriteStream(file, { mode: 0o600 }),
    )
    bytes += (await stat(file)).size
    tables.push({ ...table, ...(await summarizeTable(client, table)) })
  }
  const dump = {
    migrations: await listMigrations(client),
    tables,
    sequences: await listSequences(client),
    objects: await listReferencedObjects(client),
    bytes,
  }
  await client.query('commit')
  await writeFile(join(folder, 'dump.json'), JSON.stringify(dump), { mode: 0o600 })
  return dump
}

async function* readRows(client: Connection, { name }: Table): AsyncGenerator<string> {
  await client.query(`declare dumped no scroll cursor for select t::text as row from only ${name} t`)
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`fetch ${batchSize} from dumped`)
    if (rows.length === 0) break
    yield rows.map(({ row }) => `${toLine(row)}\n`).join('')
  }
  await client.query('close dumped')
}

/**
 * Write a text as JSON in one line. Readers of lines end one at these separators too:
 * https://nodejs.org/api/readline.html
 */
function toLine(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

async function listSequences(client: Connection): Promise<Dump['sequences']> {
  const { rows } = await client.query<Dump['sequences'][number]>(
    `select format('%I', sequencename) as name, last_value::text as value from pg_sequences where schemaname = 'public' and last_value is not null`,
  )
  return rows
}
