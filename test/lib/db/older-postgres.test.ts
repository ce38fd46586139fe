import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { asSuperuser, createEmptyDatabase, createMigratedDatabase } from '#test/support/migrations.ts'

it('INS-10 the functions that the first migration makes for older servers do what those of PostgreSQL 18 do', async () => {
  const migration = readFileSync(join(root, 'migrations/0001_tenancy.sql'), 'utf8')
  const functions = [
    ...migration.matchAll(/create function public\.(.*?\$function\$.*?\$function\$;)/gs),
  ].map(([, rest]) => rest)
  expect(functions).toHaveLength(2)
  const url = await createEmptyDatabase()
  const { rows } = await asSuperuser(url, async (client) => {
    await client.query(
      `create schema older; ${functions.map((rest) => `create function older.${rest}`).join('\n')}`,
    )
    return client.query(`
      with made as materialized (select n, older.uuidv7() as id, uuidv7() as newer from generate_series(1, 20000) n)
      select bool_and(id::text ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$') as "isVersion7",
             count(distinct id) = count(*) as "isUnique",
             bool_and(abs(extract(epoch from uuid_extract_timestamp(id) - uuid_extract_timestamp(newer))) < 1) as "isNow",
             bool_and(older.uuid_extract_timestamp(newer) = uuid_extract_timestamp(newer)) as "readsTime",
             older.uuid_extract_timestamp(gen_random_uuid()) is null as "knowsVersion",
             -- The time of the parts below a millisecond goes up as well, so ids of one millisecond are in order.
             array_agg(substr(id::text, 1, 18) order by n) = array_agg(substr(id::text, 1, 18) order by id) as "isInOrder"
        from made`)
  })
  expect(rows).toEqual([
    { isVersion7: true, isUnique: true, isNow: true, readsTime: true, knowsVersion: true, isInOrder: true },
  ])
})

it('INS-10 no statement reads old and new rows in RETURNING, which PostgreSQL 18 brought', () => {
  const files = ['functions', 'lib', 'migrations'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(root, folder, name),
    ),
  )
  const texts = files.filter((name) =>
    /queries\.ts$|\.sql$|lib\/(?:db|work|http|local|platform)\/.*\.ts$/.test(name),
  )
  expect(texts.length).toBeGreaterThan(100)
  const listReturned = (text: string) => text.match(/\breturning\s(?:(?!\bselect\b|\),?\n)[^;`])*/g) ?? []
  const readsRows = (text: string) =>
    /\bsql<\w+>`[^`]*\((?:old|new)\)/.test(text) ||
    listReturned(text).some((list) => /\b(?:old|new)\b(?!\s*\()/.test(list))
  const found = texts.filter((name) => readsRows(readFileSync(name, 'utf8')))
  expect(found).toEqual([])
})

it('INS-10 a server that has the functions gets no others', async () => {
  const { rows } = await asSuperuser(await createMigratedDatabase(), (client) =>
    client.query(
      `select proname from pg_proc where pronamespace = 'public'::regnamespace and proname in ('uuidv7', 'uuid_extract_timestamp')`,
    ),
  )
  expect(rows).toEqual([])
})
