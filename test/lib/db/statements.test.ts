import { glob, readFile } from 'node:fs/promises'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { RowShape, SqlStatement } from '#db/statement.ts'
import { root } from '#local/root.ts'
import { connectAsOwner } from '#test/support/app.ts'
import { describeStatement } from '#test/support/describe-statement.ts'
import { createPlaceholder } from '#test/support/placeholder.ts'
import { listShapeDifferences } from '#test/support/row-shape.ts'
import { statementParameters } from '#test/support/statement-parameters.ts'

type AnyStatement = SqlStatement<RowShape, unknown[], unknown>

const definition = /\b(?:readStatement|writeStatement)\(\n?/g

/** List the files that define statements, with the number of definitions. */
async function listFiles(): Promise<[file: string, count: number][]> {
  const files: [string, number][] = []
  for await (const file of glob('{functions,lib}/**/*.ts', { cwd: root, exclude: ['lib/db/statement.ts'] })) {
    const count = (await readFile(`${root}/${file}`, 'utf8')).match(definition)?.length ?? 0
    if (count > 0) files.push([file, count])
  }
  return files.sort()
}

async function importStatements(file: string): Promise<[name: string, statement: AnyStatement][]> {
  const exported = Object.entries((await import(`${root}/${file}`)) as Record<string, unknown>)
  return exported.filter(
    (entry): entry is [string, AnyStatement] => typeof entry[1] === 'object' && entry[1] !== null && 'query' in entry[1],
  )
}

const files = await listFiles()
const statements: [name: string, statement: AnyStatement][] = []
for (const [file] of files) {
  for (const [name, statement] of await importStatements(file)) statements.push([`${file}#${name}`, statement])
}

/** Return the SQL texts of a statement: one for each list of parameters, or the text for placeholders. */
function listTexts(name: string, statement: AnyStatement): string[] {
  const placeholders = Array.from({ length: 8 }, createPlaceholder)
  return (statementParameters[name] ?? [placeholders]).map((parameters) => statement.query(...parameters).compile().sql)
}

describe('SQL statements', () => {
  let client: pg.Client
  beforeAll(async () => {
    client = await connectAsOwner()
  })
  afterAll(() => client.end())

  it('every statement is exported', async () => {
    for (const [file, count] of files) expect([file, (await importStatements(file)).length]).toEqual([file, count])
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
      expect(rows.map((row) => row['QUERY PLAN']).filter((line) => /Insert on|Update on|Delete on|Merge on/.test(line))).toEqual([])
    }
  })
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
    ['a field that is never null for a nullable column', shape.extend({ closed_at: z.string() }), ['closed_at: can be null']],
  ])('reports the differences of %s', (_, rowShape, differences) => {
    expect(listShapeDifferences(rowShape, columns)).toEqual(differences)
  })
})
