import { describe, expect, it } from 'vitest'
import { splitStatements, summarizeStatement } from '#db/migrate/statements.ts'
import { migrate, plan } from '#db/migrate.ts'
import {
  connect,
  createEmptyDatabase,
  terminateStatement,
  writeMigrations,
} from '#test/support/migrations.ts'

const first = { '0001_things.sql': 'create table things (id integer primary key, name text)' }
const fill = 'insert into things select n, null from generate_series(1, 10) n'
const shortTimes = {
  lockTimeoutMs: 30,
  pauseMs: 20,
  maxAttempts: 5,
  maxTotalMs: 5000,
  batchPauseMs: 0,
  progressMs: 0,
}
const noTransaction = '-- migrate: no-transaction\n'
const backfill = `-- migrate: backfill
update things set name = 'thing ' || id where id in (select id from things where name is null order by id limit 3)`

/** Create a database with the table `things` and 10 rows. Return functions that migrate it further. */
async function createThings() {
  const url = await createEmptyDatabase()
  await migrate(url, undefined, await writeMigrations(first))
  const client = await connect(url)
  await client.query(fill)
  const lines: string[] = []
  const report = (line: string) => void lines.push(line)
  const apply = async (files: Record<string, string>, settings = {}) =>
    migrate(url, undefined, await writeMigrations({ ...first, ...files }), {
      ...shortTimes,
      report,
      ...settings,
    })
  const select = async (sql: string) => (await client.query({ text: sql, rowMode: 'array' })).rows.flat()
  return { url, client, lines, apply, select }
}

describe('a migration in one transaction', () => {
  const file = {
    '0002_size.sql': 'create table sizes (id integer); alter table things add column size integer',
  }

  it('waits for a lock only as long as the lock timeout, and tries again after a pause', async () => {
    const { url, client, lines, apply, select } = await createThings()
    const reader = await connect(url)
    await reader.query('begin; select from things')
    const applied = apply(file, {
      report: (line: string) => lines.push(line) === 2 && reader.query('commit'),
    })
    expect(await applied).toEqual(['0002_size.sql'])
    expect(lines.slice(0, 2)).toEqual([1, 2].map((n) => `0002_size.sql: waits for a lock, attempt ${n} of 5`))
    expect(lines.at(-1)).toMatch(/^0002_size\.sql: applied in \d+\.\d s$/)
    expect(await select('select name from migrations order by name')).toEqual([
      '0001_things.sql',
      '0002_size.sql',
    ])
    await client.query('select size from things')
  })

  it.each([
    [
      'its attempts are used up',
      { maxAttempts: 3 },
      /^Migration 0002_size\.sql failed: .* each of 3 attempts \(canceling statement due to lock/,
    ],
    ['its time is used up', { maxTotalMs: 0 }, /^Migration 0002_size\.sql failed: .* each of 1 attempts/],
  ])('fails when %s, and leaves the database as before', async (_, settings, message) => {
    const { url, apply, select } = await createThings()
    const reader = await connect(url)
    await reader.query('begin; select from things')
    await expect(apply(file, settings)).rejects.toThrow(message)
    expect(await select(`select to_regclass('sizes')`)).toEqual([null])
  })

  it('leaves the database as before when the connection ends in the middle of the file', async () => {
    const { client, apply, select } = await createThings()
    const applied = apply({ '0002_size.sql': 'create table sizes (id integer); select pg_sleep(60)' })
    await Promise.all([
      expect(applied).rejects.toThrow('0002_size.sql'),
      terminateStatement(client, 'pg_sleep(60)'),
    ])
    expect(await select(`select to_regclass('sizes')`)).toEqual([null])
    expect(await apply({ '0002_size.sql': 'create table sizes (id integer)' })).toEqual(['0002_size.sql'])
  })
})

describe('a migration without a transaction', () => {
  const index = `${noTransaction}create unique index concurrently if not exists things_name on things (name);\nanalyze things;`
  const isValid = `select i.indisvalid from pg_index i where i.indexrelid = to_regclass('things_name')`

  it('builds an index while a transaction that wrote the table is open, without blocking writes', async () => {
    const { url, client, apply, select } = await createThings()
    const writer = await connect(url)
    await writer.query(`begin; update things set name = 'open' where id = 1`)
    const applied = apply({ '0002_index.sql': index })
    await expect.poll(() => select(isValid)).toEqual([false])
    await client.query(`set lock_timeout = '1s'; update things set name = 'other' where id = 2`)
    await writer.query('commit')
    expect(await applied).toEqual(['0002_index.sql'])
    expect(await select(isValid)).toEqual([true])
  })

  it('rebuilds an index whose build was interrupted', async () => {
    const { url, client, apply, select } = await createThings()
    const writer = await connect(url)
    await writer.query(`begin; update things set name = 'open' where id = 1`)
    const applied = apply({ '0002_index.sql': index })
    applied.catch(() => {})
    await expect.poll(() => select(isValid)).toEqual([false])
    await Promise.all([
      expect(applied).rejects.toThrow('0002_index.sql'),
      terminateStatement(client, 'index concurrently'),
    ])
    await writer.query('commit')
    expect(await select(isValid)).toEqual([false])
    expect(await apply({ '0002_index.sql': index })).toEqual(['0002_index.sql'])
    expect(await select(isValid)).toEqual([true])
  })

  it('leaves no invalid index when the build fails', async () => {
    const { client, apply, select } = await createThings()
    await client.query(`update things set name = 'same'`)
    await expect(apply({ '0002_index.sql': index })).rejects.toThrow(
      /0002_index\.sql failed: could not create unique index/,
    )
    expect(await select(isValid)).toEqual([])
  })
})

describe('a backfill', () => {
  const file = { '0002_names.sql': backfill }

  it('repeats its statement in transactions of their own until no row changes, and reports its progress', async () => {
    const { lines, apply, select } = await createThings()
    expect(await apply(file)).toEqual(['0002_names.sql'])
    expect(lines.pop()).toMatch(/^0002_names\.sql: applied in /)
    expect(lines).toEqual([
      ...[
        '3 rows in 1 batches',
        '6 rows in 2 batches',
        '9 rows in 3 batches',
        '10 rows in 4 batches',
        '10 rows, complete',
      ].map((text) => `0002_names.sql: ${text}`),
    ])
    expect(await select('select count(distinct xmin::text)::integer from things')).toEqual([4])
    expect(await select('select count(*)::integer from things where name is null')).toEqual([0])
  })

  it('fails when its outer statement is a SELECT', async () => {
    const { apply } = await createThings()
    const text =
      '-- migrate: backfill\nwith x as (update things set name = null returning id) select id from x limit 3'
    await expect(apply({ '0002_names.sql': text })).rejects.toThrow(
      '0002_names.sql failed: the outer statement is a SELECT',
    )
  })

  it('continues after the last batch when it was interrupted', async () => {
    const { url, client, lines, apply, select } = await createThings()
    const lock = await connect(url)
    await lock.query('begin; select from things where id = 8 for update')
    const applied = apply(file, { lockTimeoutMs: 60_000 })
    await expect.poll(() => lines.length).toBe(2)
    await Promise.all([
      expect(applied).rejects.toThrow('0002_names.sql'),
      terminateStatement(client, 'update things'),
    ])
    await lock.query('commit')
    expect(await select('select count(*)::integer from things where name is null')).toEqual([4])
    lines.length = 0
    await apply(file)
    expect(lines).toContain('0002_names.sql: 4 rows, complete')
  })
})

describe('migrate', () => {
  it('waits while another process migrates, and then finds nothing to apply', async () => {
    const { url, apply, lines, select } = await createThings()
    const lock = await connect(url)
    await lock.query('begin; select from things')
    const migrationLocks = `select count(*)::integer from pg_locks where relation = to_regclass('migrations') and mode = 'ShareUpdateExclusiveLock'`
    const files = { '0002_size.sql': 'alter table things add column size integer' }
    const firstRun = apply(files, { maxAttempts: 100, report: () => {} })
    await expect.poll(() => select(migrationLocks)).toEqual([1])
    const secondRun = apply(files)
    await expect.poll(() => lines).toEqual(['Another process migrates this database. Waiting for it.'])
    await expect(apply(files, { maxTotalMs: 0 })).rejects.toThrow(
      'Another process still migrates this database. Try again',
    )
    await lock.query('commit')
    expect([await firstRun, await secondRun]).toEqual([['0002_size.sql'], []])
  })

  it.each([
    [
      'an edited file',
      { '0001_things.sql': 'create table things ()' },
      '0001_things.sql has changed since it was applied',
    ],
    ['a missing file', { '0002_more.sql': undefined }, '0002_more.sql was applied, but its file is missing'],
    [
      'a renumbered file',
      { '0002_more.sql': undefined, '0004_more.sql': 'select 2' },
      '0004_more.sql was applied as 0002_more.sql',
    ],
    [
      'a new file before an applied one',
      { '0001_things_b.sql': 'select 1' },
      '0001_things.sql and 0001_things_b.sql have the same number',
    ],
    ['a new number before an applied one', { '0000_new.sql': 'select 1' }, 'made by an earlier version'],
    [
      'a file without a number',
      { 'new.sql': 'select 1' },
      'new.sql needs a name such as 0123_rename_owner.sql',
    ],
    [
      'an unknown mode',
      { '0004_new.sql': '-- migrate: quickly\nselect 1' },
      '0004_new.sql has the unknown mode "quickly"',
    ],
    ['a file that commits', { '0004_new.sql': 'select 1;\ncommit; select 2' }, 'contains `commit`'],
    [
      'a concurrent build in a transaction',
      { '0004_new.sql': 'create index concurrently on things (name)' },
      'no-transaction',
    ],
    [
      'a statement that cannot be repeated',
      { '0004_new.sql': `${noTransaction}alter table things add a text` },
      'can be repeated',
    ],
    [
      'a backfill without a limit',
      { '0004_new.sql': '-- migrate: backfill\nupdate things set id = id' },
      'at most LIMIT rows',
    ],
    ['a backfill of two statements', { '0004_new.sql': `${backfill};\nselect 1` }, 'must be one UPDATE'],
  ])('refuses %s before it changes anything', async (_, changes, message) => {
    const url = await createEmptyDatabase()
    const files = { ...first, '0002_more.sql': 'select 2' }
    await migrate(url, undefined, await writeMigrations(files))
    const entries = Object.entries({ ...files, '0003_later.sql': 'create table later ()', ...changes })
    const folder = await writeMigrations(
      Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined)),
    )
    await expect(migrate(url, undefined, folder)).rejects.toThrow(message)
    await expect(plan(url, folder)).rejects.toThrow(message)
    const client = await connect(url)
    expect((await client.query(`select to_regclass('later') as later`)).rows).toEqual([{ later: null }])
  })

  it('refuses a new file whose number is before the last applied one', async () => {
    const { apply } = await createThings()
    await apply({ '0003_more.sql': 'select 3' })
    const message =
      'Migration 0002_late.sql is numbered before 0003_more.sql, which is applied. Give it the number after the highest.'
    await expect(apply({ '0002_late.sql': 'select 2', '0003_more.sql': 'select 3' })).rejects.toThrow(message)
  })
})

describe('plan', () => {
  it('lists pending files, how they are applied and the locks on existing tables, and changes nothing', async () => {
    const { url, select } = await createThings()
    const folder = await writeMigrations({
      ...first,
      '0002_owner.sql': `create table owners (id integer primary key); -- a new table
        alter table things add column owner integer references owners, add column size integer;
        create index on owners (id);
        do $$ begin perform 1; end $$;`,
      '0003_names.sql': backfill,
      '0004_index.sql': `${noTransaction}create index concurrently if not exists things_name on things (name)`,
      '0005_drop.sql': 'drop index things_pkey; drop table owners',
      '0006_clear.sql': 'update things set name = null',
    })
    expect(await plan(url, folder)).toEqual([
      '0002_owner.sql: in one transaction',
      '  locks things in ACCESS EXCLUSIVE mode: alter table things add column owner integer references owners, add column size integer',
      '  locks are not known, a DO block: do $$ begin perform 1; end $$',
      '0003_names.sql: in batches',
      "  locks rows of things until the batch ends: update things set name = 'thing ' || id where id in (select id from things where name is null order…",
      '0004_index.sql: without a transaction',
      '0005_drop.sql: in one transaction',
      '  locks things in ACCESS EXCLUSIVE mode: drop index things_pkey',
      '0006_clear.sql: in one transaction',
      '  locks rows of things until the file ends: update things set name = null',
    ])
    expect(await select('select name from migrations')).toEqual(['0001_things.sql'])
  })

  it('lists every file for an empty database, and creates no table', async () => {
    const url = await createEmptyDatabase()
    expect(await plan(url, await writeMigrations(first))).toEqual(['0001_things.sql: in one transaction'])
    expect(
      (await (await connect(url)).query(`select from pg_class where relnamespace = 'public'::regnamespace`))
        .rowCount,
    ).toBe(0)
  })
})

describe('splitStatements', () => {
  it.each([
    ['select 1; select 2;', ['select 1', 'select 2']],
    [`select 'a;''b', "c;d"; select 2`, [`select 'a;''b', "c;d"`, 'select 2']],
    [`select E'a\\';b'; select 2`, [`select E'a\\';b'`, 'select 2']],
    ['-- a; b\nselect 1 /* ; */; -- c', ['select 1']],
    ['do $$ begin; end $$; select $a$ $$; $a$', ['do $$ begin; end $$', 'select $a$ $$; $a$']],
  ])('splits %j', (text, statements) => expect(splitStatements(text)).toEqual(statements))
})

it('summarizeStatement cuts a statement of more than 100 characters', () => {
  expect(summarizeStatement(`select\n  '${'x'.repeat(91)}'`)).toBe(`select '${'x'.repeat(91)}'`)
  expect(summarizeStatement(`select '${'x'.repeat(92)}'`)).toBe(`select '${'x'.repeat(91)}…`)
})
