import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listStrongLocks } from '#db/migrate/locks.ts'
import { asSuperuser, createEmptyDatabase } from '#test/support/migrations.ts'

const schema = `
  create table owners (id integer primary key);
  create table things (id integer primary key, name text, owner integer);
  create index things_name on things (name);
  create unique index things_owner on things (owner);
  create view named as select id from things;
  alter table things add constraint positive check (id > 0) not valid, enable row level security;
  create policy own on things using (true);
  create function touch() returns trigger language plpgsql as 'begin return new; end';
  create trigger old_touch before insert on things for each row execute function touch();`

describe('listStrongLocks', () => {
  let client: pg.Client
  let close: () => void
  let closed: Promise<unknown>
  beforeAll(async () => {
    const url = await createEmptyDatabase()
    await new Promise<void>((resolve) => {
      closed = asSuperuser(url, async (connected) => {
        client = connected
        await client.query(schema)
        resolve()
        await new Promise<void>((end) => {
          close = end
        })
      })
    })
  })
  afterAll(async () => {
    close()
    await closed
  })

  /** Run a statement in a transaction and return the locks that block writes of a table. */
  async function selectLocks(statement: string): Promise<string[]> {
    const tables = await client.query(
      `select oid, relname from pg_class where relname in ('owners', 'things', 'named')`,
    )
    await client.query('begin')
    await client.query(statement)
    const { rows } = await client.query<{ lock: string }>(
      `select distinct on (t.relname) t.relname || ' ' || array_position($1, l.mode) as lock
         from pg_locks l join jsonb_to_recordset($2) t (oid oid, relname text) on t.oid = l.relation
        where l.pid = pg_backend_pid() and l.mode = any ($1)
        order by t.relname, array_position($1, l.mode) desc`,
      [['ShareLock', 'ShareRowExclusiveLock', 'AccessExclusiveLock'], JSON.stringify(tables.rows)],
    )
    await client.query('rollback')
    return rows.map(({ lock }) => lock)
  }

  it.each([
    'alter table things add column size integer, add column color text',
    'alter table only things drop column name',
    'alter table things rename column name to title',
    'alter table things alter column name type varchar(10)',
    'alter table things alter column name set not null',
    'alter table things add constraint named check (name is not null)',
    'alter table things add constraint named check (name is not null) not valid',
    'alter table things validate constraint positive',
    'alter table things add foreign key (owner) references owners',
    'alter table things add constraint owned foreign key (owner) references owners not valid',
    'alter table things add column second integer references owners (id)',
    'alter table things add constraint owned unique using index things_owner',
    'alter table things add unique (name)',
    'alter table things disable trigger old_touch',
    'alter table things enable row level security',
    'create index on things (owner)',
    'create unique index things_id on only things using btree (id)',
    'drop index if exists things_name',
    'alter index things_name rename to things_title',
    'drop table if exists owners',
    'truncate things',
    'lock table things',
    'create table parts (thing integer references things, owner integer references owners (id))',
    'create or replace view named as select id from things',
    'drop view named',
    'create trigger touched after update of name on things for each row execute function touch()',
    'drop trigger old_touch on things',
    'create policy reads on things for select using (true)',
    'alter policy own on things using (false)',
    'drop policy if exists own on things',
    'insert into things values (1)',
    'analyze things',
    'grant select on things to public',
    'create function f() returns void language sql as $$ update things set name = null $$',
  ])('lists the tables and lock modes of: %s', async (statement) => {
    const modes = ['SHARE', 'SHARE ROW EXCLUSIVE', 'ACCESS EXCLUSIVE']
    const listed = listStrongLocks(statement).map(
      ({ relation, mode }) => `${relation.replace('things_name', 'things')} ${modes.indexOf(mode) + 1}`,
    )
    expect(listed.sort()).toEqual(await selectLocks(statement))
  })

  it.each([
    'update things set name = null where id = 1',
    'delete from only things',
    'with old as (select id from things) update things set name = null from old where old.id = things.id',
  ])('lists that rows are locked by: %s', (statement) => {
    expect(listStrongLocks(statement)).toEqual([{ relation: 'things', mode: 'ROWS' }])
  })

  it('reports a DO block, whose locks it does not know', () => {
    expect(listStrongLocks('do $$ begin perform 1; end $$')).toEqual([
      { relation: '', mode: 'UNKNOWN', note: 'a DO block' },
    ])
  })

  it('lists the table that app.protect protects', () => {
    expect(listStrongLocks(`call app.protect('things', writes => '{}')`)).toEqual([
      { relation: 'things', mode: 'ACCESS EXCLUSIVE' },
    ])
  })
})
