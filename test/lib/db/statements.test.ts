import { glob, readFile } from 'node:fs/promises'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { RowShape, SqlStatement } from '#db/statement.ts'
import { root } from '#local/root.ts'
import { connectAsOwner } from '#test/support/app.ts'
import { isBuilderText } from '#test/support/builder-text.ts'
import { describeStatement } from '#test/support/describe-statement.ts'
import { createPlaceholder } from '#test/support/placeholder.ts'
import { listShapeDifferences } from '#test/support/row-shape.ts'
import { statementParameters } from '#test/support/statement-parameters.ts'

type AnyStatement = SqlStatement<RowShape, unknown[], unknown>

const definition = /\b(?:(readStatement|writeStatement)|attemptStatements)\(\n?/g
// `attemptStatements` defines three.
const countStatements = (text: string) =>
  [...text.matchAll(definition)].reduce((sum, [, single]) => sum + (single ? 1 : 3), 0)
// They define statements for others.
const factories = ['lib/db/statement.ts', 'lib/work/define-work.ts']

/** List the files that define statements, with the number of definitions. */
async function listFiles(): Promise<[file: string, count: number][]> {
  const files: [string, number][] = []
  for await (const file of glob('{functions,lib}/**/*.ts', { cwd: root, exclude: factories })) {
    const count = countStatements(await readFile(`${root}/${file}`, 'utf8'))
    if (count > 0) files.push([file, count])
  }
  return files.sort()
}

async function importStatements(file: string): Promise<[name: string, statement: AnyStatement][]> {
  const exported = Object.entries((await import(`${root}/${file}`)) as Record<string, unknown>)
  const statements = new Map<AnyStatement, string>()
  for (const [name, value] of exported) {
    if (isStatement(value)) statements.set(value, name)
    else if (name === 'attempts')
      for (const [part, statement] of Object.entries(value as Record<string, AnyStatement>))
        if (!statements.has(statement)) statements.set(statement, `attempts.${part}`)
  }
  return [...statements].map(([statement, name]) => [name, statement])
}

function isStatement(value: unknown): value is AnyStatement {
  return typeof value === 'object' && value !== null && 'query' in value
}

const files = await listFiles()
const statements: [name: string, statement: AnyStatement][] = []
for (const [file] of files) {
  for (const [name, statement] of await importStatements(file))
    statements.push([`${file}#${name}`, statement])
}

/** Return the SQL texts of a statement: one for each list of parameters, or the text for placeholders. */
function listTexts(name: string, statement: AnyStatement): string[] {
  const placeholders = Array.from({ length: 8 }, createPlaceholder)
  return (statementParameters[name] ?? [placeholders]).map(
    (parameters) => statement.query(...parameters).compile().sql,
  )
}

describe('SQL statements', () => {
  let client: pg.Client
  beforeAll(async () => {
    client = await connectAsOwner()
  })
  afterAll(() => client.end())

  it('every statement is exported', async () => {
    for (const [file, count] of files)
      expect([file, (await importStatements(file)).length]).toEqual([file, count])
  })

  it('WIR-50 those that take some due rows of all accounts give each account its turn', () => {
    // Of deletions nobody waits for one row.
    const isTaking = ([name, statement]: (typeof statements)[number]) =>
      !/#(?:delete|clear|archive)/.test(name) &&
      listTexts(name, statement).some(
        (text) =>
          !/app\.account_id\(\)/.test(text) &&
          /\blimit (?!1\b)/.test(text) &&
          (/skip locked/.test(text) || /select(?:Due|Abandoned|Accounts)/.test(name)),
      )
    const taking = statements.filter(isTaking)
    const givesTurns = /(?:partition|group) by (?:\w+\.)?account_id/
    const unfair = taking.filter(([name, statement]) =>
      listTexts(name, statement).some((text) => !givesTurns.test(text)),
    )
    expect(taking.length).toBeGreaterThan(25)
    expect(unfair.map(([name]) => name)).toEqual([])
  })

  // lib/db/README.md has the rule.
  it.each(statements)('%s says what the query builder cannot say as well', (name, statement) => {
    expect(listTexts(name, statement).filter(isBuilderText)).toEqual([])
  })

  it.each(statements)('%s is valid and returns the columns of its row shape', async (name, statement) => {
    for (const text of listTexts(name, statement)) {
      const columns = await describeStatement(client, text)
      expect(statement.shape ? listShapeDifferences(statement.shape, columns) : columns, text).toEqual([])
    }
  })

  it.each(statements.filter(([, { isReadOnly }]) => isReadOnly))('%s only reads', async (name, statement) => {
    for (const text of listTexts(name, statement)) {
      const { rows } = await client.query(`explain (generic_plan) ${text}`)
      expect(
        rows
          .map((row) => row['QUERY PLAN'])
          .filter((line) => /Insert on|Update on|Delete on|Merge on/.test(line)),
      ).toEqual([])
    }
  })
})

describe('isBuilderText', () => {
  it.each([
    'select id, name as title from teams where account_id = app.account_id() and id = $1::uuid order by name, id desc limit $2',
    "select t.id from trees t where t.status in ('draft', $1) and t.deleted_at is not null",
    'insert into teams (id, name, settings) values ($1, $2, $3::jsonb) returning id',
    "update teams set name = $1, updated_at = app.now(), kind = 'a-b' where id = $2",
    'delete from teams where id = $1',
  ])('is true for %s', (text) => expect(isBuilderText(text)).toBe(true))

  it.each([
    'with t as (select id from teams) select id from t',
    'select t.id from teams t join users u on u.team_id = t.id',
    'select id from teams, users',
    'select id from teams where id in (select team_id from users)',
    'select id from app.list_teams(p_limit => $1)',
    'select count(*) from teams',
    'select id from teams for update skip locked',
    'select id from teams where id = $1 or name = $2',
    'select created_at::date from teams',
    "select id from teams where created_at > app.now() - interval '1 day'",
    'select id from teams where attempts >= max_attempts',
    'select id from teams where details @> $1',
    'insert into teams (id) values ($1) on conflict do nothing',
    'insert into teams (id) select id from users',
    "insert into teams (name) values ($1 || ' team')",
    'update teams t set name = u.name from users u where u.team_id = t.id',
    'update teams set version = version + 1 where id = $1',
    'update "teams" set name = $1',
    'savepoint effects',
  ])('is false for %s', (text) => expect(isBuilderText(text)).toBe(false))
})

describe('listShapeDifferences', () => {
  const columns = [
    { name: 'id', type: 'uuid', isFromNullableColumn: false },
    { name: 'closed_at', type: 'timestamp with time zone', isFromNullableColumn: true },
    { name: 'tags', type: 'text[]', isFromNullableColumn: false },
    { name: 'data', type: 'jsonb', isFromNullableColumn: false },
  ]
  const shape = z.object({
    id: z.uuid(),
    closed_at: z.string().nullable(),
    tags: z.array(z.string()),
    data: z.record(z.string(), z.unknown()),
  })

  it.each([
    ['an equal shape', shape, []],
    ['a missing field', shape.omit({ id: true }), ['id: not in the shape']],
    ['an unknown field', shape.extend({ name: z.string() }), ['name: not a column of the statement']],
    ['a wrong type', shape.extend({ id: z.int() }), ['id: uuid does not fit number']],
    ['a text for an array', shape.extend({ tags: z.string() }), ['tags: text[] does not fit string']],
    [
      'a field that is never null for a nullable column',
      shape.extend({ closed_at: z.string() }),
      ['closed_at: can be null'],
    ],
  ])('reports the differences of %s', (_, rowShape, differences) => {
    expect(listShapeDifferences(rowShape, columns)).toEqual(differences)
  })
})
