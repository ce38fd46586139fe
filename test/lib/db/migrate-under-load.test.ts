import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readMigrationFiles } from '#db/migrate/files.ts'
import { migrate, migrationsFolder } from '#db/migrate.ts'
import { listMigrationProblems } from '#test/support/migration-problems.ts'
import { createEmptyDatabase, createMigratedDatabase, writeMigrations } from '#test/support/migrations.ts'
import { night } from '#test/support/night.ts'

// The last file of version 1.0. The files up to it are applied to an empty database only.
const lastBaselineFile = '0035_queue.sql'
const files = await readMigrationFiles(migrationsFolder)
const isBaseline = ({ name }: { name: string }) => name <= lastBaselineFile
const toFolder = (migrations: typeof files) =>
  writeMigrations(Object.fromEntries(migrations.map(({ name, text }) => [name, text])))

it('no migration after the baseline blocks a statement for over 1 s', async () => {
  const url = await createEmptyDatabase()
  await migrate(url, undefined, await toFolder(files.filter(isBaseline)))
  const settings = { maxWaitMs: 1000, readerMs: 600, lockTimeoutMs: 500, pauseMs: 50 }
  expect(await listMigrationProblems(url, await toFolder(files), settings)).toEqual([])
})

describe('listMigrationProblems', () => {
  const settings = { maxWaitMs: 200, readerMs: 150, lockTimeoutMs: 100, pauseMs: 20 }

  /** Apply sample migrations, from number 9001 on, to a database with all others. */
  async function apply(samples: readonly string[], changedSettings: Partial<typeof settings> = {}) {
    const url = await createMigratedDatabase()
    const folder = await toFolder(files)
    await cp(join(migrationsFolder, 'content'), join(folder, 'content'), { recursive: true })
    for (const [index, text] of samples.entries())
      await writeFile(join(folder, `900${index + 1}_sample.sql`), text)
    return listMigrationProblems(url, folder, { ...settings, ...changedSettings })
  }

  it('reports nothing for an expanding change: column, check, index, backfill', async () => {
    const problems = await apply([
      'alter table accounts add column color text',
      `-- migrate: backfill\nupdate accounts set color = 'blue' where id in (select id from accounts where color is null limit 1)`,
      'alter table accounts add constraint accounts_color check (color is not null) not valid',
      `-- migrate: no-transaction
       create index concurrently if not exists accounts_color_key on accounts (color);
       alter table accounts validate constraint accounts_color`,
      `alter table accounts alter column color set not null;
       alter table accounts drop constraint accounts_color;
       update accounts set color = 'red' where id = app.platform_account();
       update features set description = description`,
    ])
    expect(problems).toEqual([])
  })

  it('reports nothing for the example of a renamed column in migrations/README.md', async () => {
    const readme = await readFile(join(migrationsFolder, 'README.md'), 'utf8')
    const [, sql = ''] = /```sql\n(-- 00NN_target_name[\s\S]*?)```/.exec(readme) ?? []
    const samples = sql.split('\n\n')
    expect(samples).toHaveLength(3)
    expect(await apply(samples)).toEqual([])
  })

  it('reports each file that reads or writes a whole table while it locks it', async () => {
    const samples = [
      'alter table trees alter column usage_count type numeric',
      'alter table teams add column token uuid default gen_random_uuid()',
      'alter table trees alter column category_id set not null',
      'alter table categories add constraint named check (length(name) < 1000)',
      'alter table trees add foreign key (account_id) references accounts',
      'create index on trees (name)',
      'update trees set usage_count = usage_count',
    ]
    const tables = ['trees', 'teams', 'trees', 'categories', 'trees', 'trees', 'trees']
    const problems = tables.map(
      (table, index) => `900${index + 1}_sample.sql reads all rows of ${table} while it locks them`,
    )
    expect(await apply(samples)).toEqual(problems)
  })

  it('reports a lock that is held for long', async () => {
    const sample = 'alter table trees add column color text; select pg_sleep(0.5);'
    expect(await apply([sample])).toContain('Statements waited over 200 ms for 9001_sample.sql')
  })

  it(
    'reports a migration that waits for long behind a reader, while statements wait behind it',
    night,
    async () => {
      const problems = await apply(['alter table trees add column color text'], {
        readerMs: 4000,
        lockTimeoutMs: 10_000,
      })
      expect(problems).toContain('Statements waited over 200 ms for 9001_sample.sql')
    },
  )
})
