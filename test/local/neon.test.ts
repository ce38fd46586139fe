import { Client, NeonDbError, neon, neonConfig } from '@neondatabase/serverless'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createNeon } from '#local/vendors/neon.ts'
import { sharedService } from '#test/support/app.ts'
import { startTestServer } from './test-server.ts'

const { settings, ownerUrl, localOrigin } = await sharedService()
const runtimeUrl = settings.DATABASE_URL ?? ''
// The emulator ignores the host and connects to the local PostgreSQL.
const url = ownerUrl.replace(/@[^/]+/, '@somewhere.local')
neonConfig.fetchEndpoint = `${localOrigin}/sql`
Object.assign(neonConfig, { wsProxy: () => `${new URL(localOrigin).host}/v2`, useSecureWebSocket: false })

const sql = neon(url)
const schema = `neon_${crypto.randomUUID().slice(0, 8)}`
const insert = (id: number, name: string) =>
  sql.query(`insert into ${schema}.things values ($1, $2) returning id`, [id, name])
const countByName = async (name: string) =>
  (await sql.query(`select count(*)::int as n from ${schema}.things where name = $1`, [name]))[0]?.n

beforeAll(async () => {
  await sql.query(`create schema ${schema}`)
  await sql.query(
    `create table ${schema}.things (id int constraint things_pk primary key, name text not null)`,
  )
})
afterAll(async () => void (await sql.query(`drop schema ${schema} cascade`)))

async function openClient(): Promise<Client> {
  const client = new Client(url)
  await client.connect()
  return client
}

async function expectNeonError(query: Promise<unknown>): Promise<NeonDbError> {
  const error = await query.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(NeonDbError)
  return error as NeonDbError
}

test('the HTTP driver returns the rows of a single statement, as a template and as text with parameters', async () => {
  const name = "O'Brien"
  expect(await sql`select ${name}::text as name, ${41}::int + 1 as n`).toEqual([{ name, n: 42 }])
  expect(await sql.query('select $1::text as name, $2::int + 1 as n', [name, 41])).toEqual([{ name, n: 42 }])
  expect(await sql`select 1 where false`).toEqual([])
})

test('the HTTP driver connects as the role in the connection string', async () => {
  expect(await neon(runtimeUrl)`select current_user as role`).toEqual([{ role: 'app_runtime' }])
  const wrongUrl = new URL(runtimeUrl)
  wrongUrl.password = 'guessed'
  expect(await expectNeonError(neon(wrongUrl.href)`select 1`)).toMatchObject({ code: '28P01' })
})

test('arrayMode returns rows as arrays, which can contain two columns with one name', async () => {
  expect(await sql.query('select 1 as a, 2 as a', [], { arrayMode: true })).toEqual([[1, 2]])
  expect(await neon(url, { arrayMode: true })`select 'x' as a, null as b`).toEqual([['x', null]])
})

test('fullResults returns the command, the row count and the fields', async () => {
  const fullSql = neon(url, { fullResults: true })
  const inserted = await fullSql.query(
    `insert into ${schema}.things select n, 'full' from generate_series(100, 102) n returning id`,
  )
  expect(inserted).toMatchObject({
    command: 'INSERT',
    rowCount: 3,
    rows: [{ id: 100 }, { id: 101 }, { id: 102 }],
  })
  expect(inserted.fields).toMatchObject([{ name: 'id', dataTypeID: 23 }])
  const updated = await fullSql.query(`update ${schema}.things set name = 'fuller' where name = 'full'`)
  expect(updated).toMatchObject({ command: 'UPDATE', rowCount: 3, rows: [] })
})

test.each([
  ['null', 'select null::text as value', null],
  ['true', 'select true as value', true],
  ['a bigint past 2^53', 'select 9007199254740993 as value', '9007199254740993'],
  ['numeric', 'select 0.10 as value', '0.10'],
  ['json', `select '{"a":[1,"ü"]}'::json as value`, { a: [1, 'ü'] }],
  ['jsonb null', `select 'null'::jsonb as value`, null],
  ['bytea', String.raw`select '\x00ff'::bytea as value`, Buffer.from([0, 255])],
  [
    'timestamptz',
    `select '2026-11-21 09:30:00.123456+02'::timestamptz as value`,
    new Date('2026-11-21T07:30:00.123Z'),
  ],
  ['an array', `select array['a', 'b,"c', null] as value`, ['a', 'b,"c', null]],
  [
    'uuid',
    `select '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d11'::uuid as value`,
    '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d11',
  ],
  ['text in any alphabet', `select 'Žofie ✓ 你好 😀' as value`, 'Žofie ✓ 你好 😀'],
])('%s is returned as its JavaScript value over HTTP and WebSocket', async (_, statement, value) => {
  expect(await sql.query(statement)).toEqual([{ value }])
  const client = await openClient()
  expect((await client.query(statement)).rows).toEqual([{ value }])
  await client.end()
})

test('the HTTP driver accepts parameters of many types', async () => {
  const date = new Date('2026-11-21T09:30:00.123Z')
  const [row] = await sql.query(
    'select $1::bytea as bytes, $2::timestamptz as at, $3::jsonb as data, $4::text as nothing, $5::int[] as list, $6::bool as yes',
    [Buffer.from([1, 2]), date, { a: 1 }, null, [1, 2], true],
  )
  expect(row).toEqual({
    bytes: Buffer.from([1, 2]),
    at: date,
    data: { a: 1 },
    nothing: null,
    list: [1, 2],
    yes: true,
  })
})

test("an error contains PostgreSQL's SQLSTATE, constraint, table and position", async () => {
  await insert(1, 'first')
  expect(await expectNeonError(insert(1, 'again'))).toMatchObject({
    code: '23505',
    constraint: 'things_pk',
    schema,
    table: 'things',
    severity: 'ERROR',
    detail: 'Key (id)=(1) already exists.',
  })
  expect(await expectNeonError(sql.query(`insert into ${schema}.things values (2, null)`))).toMatchObject({
    code: '23502',
    column: 'name',
  })
  expect(await expectNeonError(sql.query('select 1 fro m'))).toMatchObject({ code: '42601', position: '14' })
  const raise = `do $$ begin raise 'no' using errcode = 'SF401', hint = 'h'; end $$`
  expect(await expectNeonError(sql.query(raise))).toMatchObject({ code: 'SF401', hint: 'h' })
  // The connection can be used again after an error.
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
})

test('a batch is one transaction in which every statement sees those before it', async () => {
  const transactionId = sql.query('select txid_current() as id')
  const insertedName = sql.query(`select name from ${schema}.things where id = 10`)
  const [before, first, second, after] = await sql.transaction([
    transactionId,
    insert(10, 'batch'),
    insertedName,
    sql.query('select txid_current() as id'),
  ])
  expect([first, second, after]).toEqual([[{ id: 10 }], [{ name: 'batch' }], before])
  expect(await countByName('batch')).toBe(1)
})

test('a batch with an error rolls back', async () => {
  const error = await expectNeonError(
    sql.transaction([insert(20, 'lost'), insert(21, 'lost'), insert(20, 'lost')]),
  )
  expect(error).toMatchObject({ code: '23505', constraint: 'things_pk' })
  expect(await countByName('lost')).toBe(0)
})

test.each([
  ['ReadUncommitted', 'read uncommitted'],
  ['ReadCommitted', 'read committed'],
  ['RepeatableRead', 'repeatable read'],
  ['Serializable', 'serializable'],
] as const)('a batch can set the isolation level %s', async (isolationLevel, level) => {
  const settings = sql`select current_setting('transaction_isolation') as level, current_setting('transaction_read_only') as read_only`
  expect(await sql.transaction([settings], { isolationLevel })).toEqual([[{ level, read_only: 'off' }]])
})

test('a read-only batch cannot write, and a batch can be deferrable', async () => {
  const error = await expectNeonError(sql.transaction([insert(30, 'forbidden')], { readOnly: true }))
  expect(error).toMatchObject({ code: '25006' })
  expect(await countByName('forbidden')).toBe(0)
  const options = { readOnly: true, deferrable: true, isolationLevel: 'Serializable' } as const
  const settings = sql`
    select current_setting('transaction_read_only') as read_only, current_setting('transaction_deferrable') as deferrable`
  expect(await sql.transaction([settings], options)).toEqual([[{ read_only: 'on', deferrable: 'on' }]])
  // The next batch on the connection has none of these settings.
  expect(await sql.transaction([insert(31, 'allowed')])).toEqual([[{ id: 31 }]])
})

test('the WebSocket client commits and rolls back an interactive transaction', async () => {
  const client = await openClient()
  await client.query('begin')
  const { rows } = await client.query(`insert into ${schema}.things values (40, 'socket') returning id`)
  expect([rows, await countByName('socket')]).toEqual([[{ id: 40 }], 0])
  await client.query('commit')
  await client.query('begin')
  await client.query(`update ${schema}.things set name = 'changed' where id = $1`, [rows[0].id])
  await client.query('rollback')
  expect(await countByName('socket')).toBe(1)
  await expect(client.query(`insert into ${schema}.things values (40, 'x')`)).rejects.toMatchObject({
    code: '23505',
    constraint: 'things_pk',
  })
  await client.end()
})

test('two concurrent clients have separate transactions', async () => {
  const [first, second] = await Promise.all([openClient(), openClient()])
  for (const client of [first, second]) await client.query('begin')
  await first.query(`insert into ${schema}.things values (50, 'one')`)
  expect((await second.query(`select from ${schema}.things where id = 50`)).rowCount).toBe(0)
  // The second insert waits until the first transaction ends, and then does nothing.
  const waitingInsert = second.query(`insert into ${schema}.things values (50, 'two') on conflict do nothing`)
  await first.query('commit')
  expect((await waitingInsert).rowCount).toBe(0)
  await second.query('rollback')
  await Promise.all([first.end(), second.end()])
  expect(await countByName('one')).toBe(1)
})

test('a transaction is rolled back when its client disconnects', async () => {
  const client = await openClient()
  await client.query('begin')
  await client.query(`insert into ${schema}.things values (60, 'left')`)
  client.on('error', () => undefined)
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
  await expect.poll(() => insert(60, 'stayed'), { timeout: 5000 }).toEqual([{ id: 60 }])
})

test('an unreachable PostgreSQL causes an error without a SQLSTATE', async () => {
  const unreachable = createNeon(() => 1)
  const { origin } = await startTestServer({ rawHandler: unreachable.handle })
  const previousEndpoint = neonConfig.fetchEndpoint
  neonConfig.fetchEndpoint = `${origin}/sql`
  onTestFinished(() => {
    neonConfig.fetchEndpoint = previousEndpoint
  })
  const error = await expectNeonError(sql`select 1`)
  expect([error.code, error.message]).toEqual([undefined, expect.stringContaining('503')])
})

test('Neon refuses a response of more than 64 MB', async () => {
  const error = await expectNeonError(
    sql.query(`select repeat('x', 33 * 1024 * 1024) from generate_series(1, 2)`),
  )
  expect(error.message).toContain('507')
})
