import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { withSuperuser } from '#local/postgres.ts'
import { compareObjects, compareTables, selectNewFindings } from '#ops/drill-compare.ts'
import { type Dump, writeDump } from '#ops/drill-dump.ts'
import { restoreDump } from '#ops/drill-restore.ts'
import { listTables, prepareConnection, summarizeTable, type TableSummary } from '#ops/drill-tables.ts'
import { createMigratedDatabase } from '#test/support/migrations.ts'

async function summarizeAll(client: pg.Client) {
  await prepareConnection(client)
  const summaries = new Map<string, TableSummary>()
  for (const table of await listTables(client)) summaries.set(table.name, await summarizeTable(client, table))
  return summaries
}

// Values that a dump by way of JSON or CSV would change.
const hostileTable = `
  create table "Drill values" (
    id bigint generated always as identity primary key, "a column" text, tags text[], raw bytea, doc jsonb, at timestamptz, ratio float8,
    price numeric, span tstzrange, doubled numeric generated always as (price * 2) stored)`
const hostileRows = `
  insert into "Drill values" ("a column", tags, raw, doc, at, ratio, price, span) values
    ('', '{}', '', 'null', 'infinity', 'NaN', 'NaN', 'empty'),
    (null, null, null, null, null, null, null, null),
    (E'a,"b"\\\\c\\n\\t(d)\\u00e9\\U0001F600', array['', null, '{"x"}', E'\\\\'], '\\x00ff5c', '{"a": [1.50, null, "\\u2028"]}', '0044-03-15 12:00:00.123456 BC',
     0.1 + 0.2, 12345678901234567890.000010, '[2026-01-01,2026-02-01)')`

const folder = await mkdtemp(join(tmpdir(), 'drill-'))
let source: pg.Client
let target: pg.Client
let dump: Dump
const restore = (restored: Dump) =>
  withSuperuser(inject('shared').postgresPort, target.database as string, (client) =>
    restoreDump(client, join(folder, 'dump'), restored),
  )

/** Return a connection that changes the database of `client` before it reads the rows of each table. */
function writeMeanwhile(client: pg.Client, writer: pg.Client): Pick<pg.Client, 'query'> {
  const query = async (text: string) => {
    if (text.startsWith('declare'))
      await writer.query(
        `insert into accounts (name, plan, subscription_status) values ('During the dump', 'pro', 'active')`,
      )
    return client.query(text)
  }
  return { query } as unknown as pg.Client
}

beforeAll(async () => {
  const urls = await Promise.all([createMigratedDatabase(), createMigratedDatabase()])
  source = await connectUntilEnd(urls[0])
  target = await connectUntilEnd(urls[1])
  for (const client of [source, target]) await client.query(hostileTable)
  await source.query(hostileRows)
  dump = await writeDump(writeMeanwhile(await connectUntilEnd(urls[0]), source), join(folder, 'dump'))
  await restore(dump)
})
afterAll(() => rm(folder, { recursive: true }))

async function connectUntilEnd(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  afterAll(() => client.end())
  return client
}

it('OPS-03 a dump restores every row as it was', async () => {
  const rowsOf = (table: string) => dump.tables.find(({ name }) => name === table)?.rows
  expect([rowsOf('"Drill values"'), rowsOf('trees') === 0]).toEqual([3, false])
  expect(compareTables(dump.tables, await summarizeAll(target))).toEqual([])
  const read = `select id, doc is null as no_doc, tags, doubled, ratio from "Drill values" order by id`
  expect((await target.query(read)).rows).toEqual((await source.query(read)).rows)
})

it('OPS-03 a restored identity continues', async () => {
  const { rows } = await target.query(`insert into "Drill values" ("a column") values ('next') returning id`)
  expect(rows).toEqual([{ id: '4' }])
})

it('OPS-03 a dump has the rows of one moment', async () => {
  expect((await source.query('select from accounts')).rows.length).toBeGreaterThan(50)
  expect(dump.tables.find(({ name }) => name === 'accounts')?.rows).toBe(1)
})

it('OPS-03 a changed row and a lost one are noticed', async () => {
  const summaries = await summarizeAll(target)
  await target.query(
    `update "Drill values" set ratio = 1 where id = 1; delete from "Drill values" where id = 4`,
  )
  const values = dump.tables.filter(({ name }) => name === '"Drill values"')
  expect(compareTables(values, await summarizeAll(target))).toEqual(['"Drill values": the 3 rows differ'])
  expect(compareTables(values, summaries)).toEqual(['"Drill values": 4 rows instead of 3'])
})

it('OPS-03 refuses a dump of other migrations or other tables', async () => {
  const more = {
    ...dump,
    tables: [...dump.tables, { name: 'more', columns: ['id'], rows: 0, checksum: '0' }],
  }
  await expect(restore(more)).rejects.toThrow('tables or columns that no migration creates')
  await expect(restore({ ...dump, migrations: [...dump.migrations, '9999_next.sql x'] })).rejects.toThrow(
    'differ: 9999_next',
  )
})

it('OPS-03 no other user of the machine can read the dump', async () => {
  const modes = ['dump', 'dump/trees.jsonl.gz', 'dump/dump.json'].map(
    (name) => statSync(join(folder, name)).mode & 0o77,
  )
  expect(modes).toEqual([0, 0, 0])
})

it('OPS-03 names objects that rows miss, and objects without a row, but none that was stored meanwhile', () => {
  expect(compareObjects(['kept', 'lost'], ['kept', 'old'], ['kept', 'old', 'new'])).toEqual({
    missing: ['lost'],
    orphaned: ['old'],
  })
})

it('OPS-03 counts only what the doctor finds in the restored database alone, and no waiting work', () => {
  const finding = (name: string, problems: string[]) => ({ name, remedy: '', isWarning: false, problems })
  const source = [finding('roles', ['a'])]
  const restored = [
    finding('roles', ['a', 'b']),
    { ...finding('due', ['c']), isAboutWork: true as const },
    finding('index', []),
  ]
  expect(selectNewFindings(source, restored)).toEqual([finding('roles', ['b'])])
})
