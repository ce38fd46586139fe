import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type MigrationFile,
  type Mode,
  readMigrationFiles,
  requireStatementsOfMode,
} from '#db/migrate/files.ts'
import { selectPending } from '#db/migrate/history.ts'
import { migrationsFolder } from '#db/migrate.ts'

const file = (name: string, checksum = name): MigrationFile => ({
  name,
  checksum,
  text: '',
  mode: 'transaction',
})
const files = [file('0001_a.sql'), file('0002_b.sql'), file('0003_c.sql')]
const toApplied = (...names: string[]) => new Map(names.map((name) => [name, name]))

describe('the folder of migrations', async () => {
  const names = (await readMigrationFiles(migrationsFolder)).map(({ name }) => name.replace('.sql', ''))
  it('is listed in the table of its README', async () => {
    const readme = await readFile(join(migrationsFolder, 'README.md'), 'utf8')
    expect([...readme.matchAll(/^\| `(\d{4}_\w+)` \| .+ \|$/gm)].map(([, name]) => name)).toEqual(names)
  })
  it('is numbered from 0001 without gaps', () => {
    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, index) => index + 1))
  })
})

describe('the pending migrations', () => {
  it.each([
    [[], ['0001_a.sql', '0002_b.sql', '0003_c.sql']],
    [['0001_a.sql'], ['0002_b.sql', '0003_c.sql']],
    [['0001_a.sql', '0002_b.sql', '0003_c.sql'], []],
  ])('after %j are %j', (applied, pending) =>
    expect(selectPending(toApplied(...applied), files).map(({ name }) => name)).toEqual(pending),
  )
  it.each<[Map<string, string>, string]>([
    [toApplied('0000_old.sql'), 'The data was made by an earlier version of this service'],
    [
      toApplied('0001_a.sql', '0019_onboarding.sql'),
      'before 1.0, which had other migrations, and cannot be migrated. On this machine `npm start -- --fresh`',
    ],
    [new Map([['0001_a.sql', 'other']]), 'Migration 0001_a.sql has changed since it was applied'],
    [
      new Map([...toApplied('0001_a.sql'), ['0002_x.sql', '0002_b.sql']]),
      'Migration 0002_b.sql was applied as 0002_x.sql',
    ],
    [toApplied('0001_a.sql', '0009_x.sql'), 'Migration 0009_x.sql was applied, but its file is missing'],
    [toApplied('0001_a.sql', '0003_c.sql'), 'Migration 0002_b.sql is numbered before 0003_c.sql'],
  ])('after %j are refused: %s', (applied, message) =>
    expect(() => selectPending(applied, files)).toThrow(message),
  )
  it('are refused without any file', () =>
    expect(() => selectPending(toApplied('0001_a.sql'), [])).toThrow('earlier version'))
})

describe('the statements of a migration', () => {
  const check = (mode: Mode, text: string) => () =>
    requireStatementsOfMode({ name: '0001_a.sql', checksum: '', text, mode })
  it.each<[Mode, string]>([
    ['transaction', 'create table a (b text); update a set b = 1;'],
    ['no-transaction', 'create unique index concurrently if not exists i on a (b);'],
    ['no-transaction', 'drop index concurrently if exists i; analyze a;'],
    ['no-transaction', 'alter table a validate constraint c'],
    ['backfill', 'update a set b = 1 where c in (select c from a limit 500)'],
    ['backfill', 'with x as (select 1 from a limit 5) delete from a'],
  ])('in the mode %s may be %s', (mode, text) => expect(check(mode, text)).not.toThrow())
  it.each<[Mode, string, string]>([
    ['transaction', 'create table a (); commit;', 'The file runs in one transaction'],
    ['transaction', 'begin', 'The file runs in one transaction'],
    ['transaction', 'create index concurrently i on a (b)', 'no-transaction'],
    ['no-transaction', 'create index concurrently i on a (b)', 'only statements that can be repeated'],
    ['no-transaction', 'update a set b = 1', 'only statements that can be repeated'],
    ['backfill', 'update a set b = 1', 'It must be one UPDATE'],
    ['backfill', 'select 1 limit 5', 'It must be one UPDATE'],
    ['backfill', 'update a set b = 1 limit 5; analyze a', 'It must be one UPDATE'],
    ['backfill', '', 'It must be one UPDATE'],
  ])('in the mode %s may not be %j', (mode, text, message) => expect(check(mode, text)).toThrow(message))
})
