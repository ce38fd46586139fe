import { describe, expect, it, onTestFinished } from 'vitest'
import { migrate, plan } from '#db/migrate.ts'
import { asSuperuser, connect, createEmptyDatabase, writeMigrations } from '#test/support/migrations.ts'

const files = { '0001_things.sql': 'create table things (id integer primary key)' }

/** Expect that `migrate` and `plan` refuse the database with a message, and create no table. */
async function expectRefusal(url: string, message: string): Promise<void> {
  const folder = await writeMigrations(files)
  await expect(migrate(url, undefined, folder)).rejects.toThrow(message)
  await expect(plan(url, folder)).rejects.toThrow(message)
  const { rows } = await asSuperuser(url, (client) =>
    client.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`),
  )
  expect(rows).toEqual([])
}

/** Create a role without rights that owns the database at `url`, and return its connection string. */
async function createOwner(url: string, rights: string): Promise<string> {
  const { pathname } = new URL(url)
  const owner = `owner_of_${pathname.slice(1)}`
  await asSuperuser(url, (client) =>
    client.query(
      `create role ${owner} login password 'local-owner' ${rights}; alter database ${pathname.slice(1)} owner to ${owner}`,
    ),
  )
  onTestFinished(() =>
    asSuperuser(url, async (client) => {
      await client.query(
        `reassign owned by ${owner} to flow_owner; drop owned by ${owner}; drop role ${owner}`,
      )
    }),
  )
  return Object.assign(new URL(url), { username: owner }).href
}

describe('migrate refuses, before it changes anything,', () => {
  it('a PostgreSQL that is older than 16, with the version found', async () => {
    const url = await createEmptyDatabase()
    // In this database, what PostgreSQL says about itself is that of an older server.
    await asSuperuser(url, (client) =>
      client.query(`
        create schema older;
        create function older.current_setting(name text) returns text language sql
          as $$ select case name when 'server_version' then '15.18' when 'server_version_num' then '150018' end $$;
        grant usage on schema older to public;
        alter database ${new URL(url).pathname.slice(1)} set search_path = older, pg_catalog, public`),
    )
    await expectRefusal(url, 'PostgreSQL 15.18 found, but 16 or newer is needed. Nothing was changed.')
  })

  it('a database of another encoding, with the statement that helps', async () => {
    const url = await createEmptyDatabase()
    const name = `${new URL(url).pathname.slice(1)}_ascii`
    await asSuperuser(url, (client) =>
      client.query(
        `create database ${name} owner flow_owner encoding 'SQL_ASCII' template template0 locale 'C'`,
      ),
    )
    onTestFinished(async () => {
      await asSuperuser(url, (client) => client.query(`drop database ${name} with (force)`))
    })
    const { href } = Object.assign(new URL(url), { pathname: name })
    await expectRefusal(href, 'The database has the encoding SQL_ASCII, but UTF8 is needed.')
    await expectRefusal(href, `create database "${name}" owner "flow_owner" encoding 'UTF8'`)
  })

  it('a server that does not answer, with its address', async () => {
    await expect(migrate('postgres://owner:secret@localhost:1/support_flow')).rejects.toThrow(
      /^PostgreSQL does not answer at localhost:1 \(ECONNREFUSED\): look whether it runs, or correct/,
    )
  })

  it.each(['nocreaterole nobypassrls', 'createrole nobypassrls', 'nocreaterole bypassrls'])(
    'an owner with %s, with the statement that helps',
    async (rights) => {
      const url = await createOwner(await createEmptyDatabase(), rights)
      await expectRefusal(url, `alter role "${new URL(url).username}" createrole bypassrls`)
    },
  )
})

describe('migrate shows the DETAIL and the HINT of PostgreSQL when', () => {
  const failure = `raise exception 'not possible' using detail = 'The cause.', hint = 'The remedy.';`
  it.each([
    ['a file in one transaction fails', `do $$ begin ${failure} end $$`],
    [
      'a batch fails',
      '-- migrate: backfill\nupdate things set id = 1 where id in (select id from things limit 1)',
    ],
  ])('%s', async (_, text) => {
    const url = await createEmptyDatabase()
    await migrate(url, undefined, await writeMigrations(files))
    const client = await connect(url)
    await client.query(`
      insert into things values (5);
      create function fail() returns trigger language plpgsql as $f$ begin ${failure} end $f$;
      create trigger fail before update on things for each row execute function fail()`)
    const failing = await writeMigrations({ ...files, '0002_more.sql': text })
    await expect(migrate(url, undefined, failing)).rejects.toThrow(
      '0002_more.sql failed: not possible\nDETAIL: The cause.\nHINT: The remedy.',
    )
  })
})
