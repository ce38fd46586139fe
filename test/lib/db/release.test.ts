import { describe, expect, it } from 'vitest'
import { asSuperuser, createEmptyDatabase, createMigratedDatabase } from '#test/support/migrations.ts'
import { listReleaseProblems, parseRelease, readRelease } from '#test/support/release.ts'

const isRecording = process.env.RECORD_STATEMENTS !== undefined

describe('the released version', () => {
  it.skipIf(isRecording)('still works on the migrated database', async () => {
    const release = await readRelease()
    expect(release.columns.length).toBeGreaterThan(0)
    expect(release.statements.length).toBeGreaterThan(0)
    const url = await createMigratedDatabase()
    expect(await asSuperuser(url, (client) => listReleaseProblems(client, release))).toEqual([])
  })
})

describe('listReleaseProblems', () => {
  const insert = 'insert into "things" ("name", "color") values ($1, $2) returning "id"'
  const select = 'select "id", "name" from "things" where "id" = $1'
  const release = parseRelease(`column\tthings\tid\toptional
column\tthings\tname\trequired
column\tthings\tcolor\toptional
statement\tapp_runtime\t${insert}
statement\tapp_runtime\t${select}`)
  const schema = `
    create table things (id integer generated always as identity, name text not null, color text, number integer not null default 1);
    grant usage on schema public to app_runtime;
    grant select, insert on things to app_runtime;`

  it.each([
    ['nothing', 'select', []],
    ['a nullable column', 'alter table things add column size text', []],
    ['a NOT NULL column with a default', 'alter table things add column size integer not null default 1', []],
    [
      'a column that has become NOT NULL and that the release writes',
      'alter table things alter column color set not null',
      [],
    ],
    ['a new table', 'create table owners (id integer not null)', []],
    [
      'a NOT NULL column without a default',
      'alter table things add column size integer not null',
      ['things.size was added as NOT NULL without a default'],
    ],
    [
      'a column that the release leaves out and that has lost its default',
      'alter table things alter column id drop identity',
      [`things.id is NOT NULL without a default now, but the release inserts rows without it: ${insert}`],
    ],
    [
      'a dropped column',
      'alter table things drop column color',
      [expect.stringMatching(/^app_runtime: column "color" .* does not exist: insert/)],
    ],
    [
      'a renamed column',
      'alter table things rename column name to title',
      [
        'things.title was added as NOT NULL without a default',
        expect.stringContaining(`does not exist: ${insert}`),
        `app_runtime: column "name" does not exist: ${select}`,
      ],
    ],
    [
      'a revoked permission',
      'revoke insert on things from app_runtime',
      [`app_runtime: permission denied for table things: ${insert}`],
    ],
  ])('reports the problems of %s', async (_, sql, problems) => {
    const url = await createEmptyDatabase()
    const found = await asSuperuser(url, async (client) => {
      await client.query(`${schema}; ${sql}`)
      return listReleaseProblems(client, release)
    })
    expect(found).toEqual(problems)
  })
})
