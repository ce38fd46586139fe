import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { migrate, migrationsFolder } from '#db/migrate.ts'
import { openCluster } from '#local/postgres.ts'
import { templateDatabase } from '#test/support/template-database.ts'

const flowFile = 'content/flows/printer-offline.md'
const flowId = '00000000-0000-7000-8000-000000000101'
const routerId = '00000000-0000-7000-8000-000000000511'
const printingId = '00000000-0000-7000-8000-000000000401'
const platformAccountId = '00000000-0000-7000-8000-000000000001'

let url = ''
let client: pg.Client
let databaseCount = 0

/** Create a migrated database of its own, and connect to it. */
async function openOwnDatabase() {
  url = await openCluster(inject('shared').postgresPort).createDatabase(
    `content_${process.pid}_${++databaseCount}`,
    templateDatabase,
  )
  client = new pg.Client({ connectionString: url })
  await client.connect()
}
const sql = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
  (await client.query<Row>(text, values)).rows

/**
 * Copy the migrations, replace a text in one file, and return the folder. An empty `from` replaces the whole
 * file.
 */
async function copyMigrations(file: string, from: string, to: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await cp(migrationsFolder, folder, { recursive: true })
  const text = from === '' ? '' : await readFile(join(folder, file), 'utf8')
  if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`)
  await writeFile(join(folder, file), from === '' ? to : text.replace(from, () => to))
  return folder
}

/** Return every row of the platform's content, with the transaction that last wrote it. */
const selectContent = async () => {
  const rows: pg.QueryResultRow[][] = []
  for (const table of ['categories', 'device_types', 'trees', 'tree_versions', 'migrations'])
    rows.push(await sql(`select xmin::text, to_jsonb(t) as row from ${table} t order by 2`))
  return rows
}

beforeAll(openOwnDatabase)
afterAll(() => client.end())

it('A second migration writes no row of the content', async () => {
  const before = await selectContent()
  expect(await migrate(url)).toEqual([])
  expect(await selectContent()).toEqual(before)
  expect(before.map((rows) => rows.length)).toEqual([7, 54, 10, 10, expect.any(Number)])
})

describe('a changed flow file', () => {
  it('adds a version to the platform’s flow, and changes neither its earlier version, its counters nor a fork', async () => {
    const forkId = await insertFork()
    await sql('update trees set usage_count = 41, is_gallery_featured = true where id = $1', [flowId])
    const forkBefore = await selectFlow(forkId)
    const before = await selectFlow(flowId)
    const folder = await copyMigrations(flowFile, 'name: Printer offline', 'name: Printer is offline')
    expect(await migrate(url, undefined, folder)).toEqual([flowFile])
    const after = await selectFlow(flowId)
    expect(after.flow).toMatchObject({
      name: 'Printer is offline',
      version: 2,
      usage_count: 41,
      is_gallery_featured: true,
    })
    expect(after.versions.map(({ version, status, name }) => [version, status, name])).toEqual([
      [1, 'published', 'Printer offline'],
      [2, 'published', 'Printer is offline'],
    ])
    expect(after.versions[0]).toEqual(before.versions[0])
    expect(after.versions[1]?.tree_structure).toEqual(before.versions[0]?.tree_structure)
    expect(await selectFlow(forkId)).toEqual(forkBefore)
    expect(await migrate(url, undefined, folder)).toEqual([])
  })

  it('adds a version when only a step or an intake field changes', async () => {
    for (const [from, to] of [
      ['Have a second person print a page before you choose.', 'Ask a second person to print a page.'],
      ['Name of the printer as the user sees it', 'The name of the printer'],
    ] as const) {
      const folder = await copyMigrations(flowFile, from, to)
      const { flow } = await selectFlow(flowId)
      expect(await migrate(url, undefined, folder)).toEqual([flowFile])
      expect((await selectFlow(flowId)).flow.version).toBe(flow.version + 1)
    }
  })
})

it('A changed category or device type is updated, a new one is inserted, and one without a file stays', async () => {
  const folder = await copyMigrations('content/categories.json', '"Printing"', '"Printers"')
  const flow = await readFile(join(folder, flowFile), 'utf8')
  await writeFile(join(folder, flowFile), flow.replace('category: Printing', 'category: Printers'))
  const newType = { id: '00000000-0000-7000-8000-0000000005f1', name: 'Core router', icon: 'router' }
  await writeFile(
    join(folder, 'content/device-types/network.json'),
    JSON.stringify([newType, { ...newType, id: routerId, name: 'Edge router' }]),
  )
  expect(await migrate(url, undefined, folder)).toEqual([
    'content/categories.json',
    'content/device-types/network.json',
    flowFile,
  ])
  expect(await sql('select name from categories where id = $1', [printingId])).toEqual([{ name: 'Printers' }])
  expect(
    await sql(
      `select name from device_types where category = 'network' and name ~ 'outer|Modem' order by name`,
    ),
  ).toEqual([{ name: 'Core router' }, { name: 'Edge router' }, { name: 'Modem' }])
})

it('A row of an account that has the id of a file is not written', async () => {
  const accountId = await insertAccount()
  await sql('update device_types set account_id = $1, created_by = null where id = $2', [accountId, routerId])
  await migrate(url)
  const rows = await sql('select account_id, name from device_types where id = $1', [routerId])
  expect(rows).toEqual([{ account_id: accountId, name: 'Edge router' }])
})

describe('an invalid content file', () => {
  it.each([
    [flowFile, '-> #pc-online-done', '-> #nowhere', /^content\/flows\/printer-offline\.md:\d+: .*nowhere/m],
    [
      flowFile,
      '## Decision: Is',
      '## Riddle: Is',
      /^content\/flows\/printer-offline\.md:18: A heading must start with/m,
    ],
    [
      flowFile,
      `id: ${flowId}\n`,
      '',
      /^content\/flows\/printer-offline\.md:2: The front matter must start with a line id:/m,
    ],
    [
      flowFile,
      'category: Printing',
      'category: Painting',
      /^content\/flows\/printer-offline\.md:5: The flow needs a category/m,
    ],
    [
      flowFile,
      `id: ${flowId}`,
      'id: 00000000-0000-7000-8000-000000000102',
      /vpn-drops-or-does-not-connect\.md:1: The id .+02 is used twice/,
    ],
    [
      'content/categories.json',
      '"Mail" }',
      '"Mail" ',
      /^content\/categories\.json:\d: The file is not valid JSON/m,
    ],
    [
      'content/device-types/network.json',
      '"icon": "switch"',
      '"image": "switch"',
      /^content\/device-types\/network\.json:3: icon: /m,
    ],
    [
      'content/device-types/toys.json',
      '',
      '[]',
      /^content\/device-types\/toys\.json:1: The file must be named after one of network/m,
    ],
  ])('in %s ("%s") is reported with its line, and nothing is migrated', async (file, from, to, problem) => {
    const folder = await copyMigrations(file, from, to)
    await writeFile(join(folder, '9999_later.sql'), 'create table later (id integer)')
    const before = await selectContent()
    await expect(migrate(url, undefined, folder)).rejects.toThrow(problem)
    expect([await selectContent(), await sql(`select to_regclass('later') as later`)]).toEqual([
      before,
      [{ later: null }],
    ])
  })
})

it('Data of an earlier version is refused with the command that starts over', async () => {
  await sql(`update migrations set name = '0001_roles.sql' where name = '0001_tenancy.sql'`)
  const before = await selectContent()
  await expect(migrate(url)).rejects.toThrow(/made by an earlier version .*`npm start -- --fresh`/)
  expect(await selectContent()).toEqual(before)
})

interface FlowRow {
  version: number
  name: string
}
interface VersionRow extends FlowRow {
  status: string
  tree_structure: object
}

async function selectFlow(id: string) {
  const [flow] = await sql<FlowRow>('select * from trees where id = $1', [id])
  const versions = await sql<VersionRow>('select * from tree_versions where tree_id = $1 order by version', [
    id,
  ])
  if (!flow) throw new Error(`There is no flow ${id}.`)
  return { flow: { ...flow, usage_count: Number((flow as { usage_count?: string }).usage_count) }, versions }
}

async function insertAccount(): Promise<string> {
  const rows = await sql<{ id: string }>(
    `insert into accounts (name, plan, subscription_status) values ('Fabrikam', 'enterprise', 'active') returning id`,
  )
  return rows[0]?.id ?? ''
}

/** Insert an account with a fork of the flow, and return the id of the fork. */
async function insertFork(): Promise<string> {
  const accountId = await insertAccount()
  const [fork] = await sql<{ id: string }>(
    `with author as (
       insert into users (account_id, email, full_name, role) values ($1, 'dana@fabrikam.example', 'Dana', 'engineer') returning id)
     insert into trees (account_id, author_id, tree_type, status, visibility, name, description, tags, parent_account_id, parent_tree_id)
     select $1, author.id, t.tree_type, 'published', 'team', t.name, t.description, t.tags, t.account_id, t.id
       from trees t, author where t.account_id = $2 and t.id = $3
     returning id`,
    [accountId, platformAccountId, flowId],
  )
  await sql(
    `insert into tree_versions (account_id, tree_id, version, status, name, tree_type, tree_structure, saved_by)
     select $1, $2, 1, 'published', v.name, v.tree_type, v.tree_structure, null from tree_versions v where v.tree_id = $3`,
    [accountId, fork?.id, flowId],
  )
  return fork?.id ?? ''
}
