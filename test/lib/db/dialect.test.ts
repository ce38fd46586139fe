import { describe, expect, it } from 'vitest'
import type { Database, QueryRows, Statement } from '#db/database.ts'
import { lazyDialect, toResult } from '#db/dialect.ts'

describe('a connection of a scope', () => {
  function open(context: { statement: Statement | null; readOnly: boolean }) {
    const log: unknown[] = []
    const rows = (text: string): QueryRows => ({ rows: [{ text }], rowCount: 1 }) as unknown as QueryRows
    const database = {
      run: async (statements: Statement[], options: object) => {
        log.push([statements.map(({ sql }) => sql), options])
        return statements.map(({ sql }) => rows(sql))
      },
      begin: async (sql: string) => {
        log.push(sql)
        return {
          query: async ({ sql: text }: Statement) => {
            log.push(text)
            if (text === 'rollback') throw new Error('lost')
            return rows(text)
          },
          end: () => log.push('end'),
        }
      },
    } as unknown as Database
    return { log, driver: lazyDialect(database, context).createDriver() }
  }
  const enter = { sql: 'select app.enter($1, $2, $3)', parameters: ["it's", null, "a\\b'c"] }
  const query = { sql: 'select 1', parameters: [] } as never

  it('runs a statement after the context statement, and returns only its rows', async () => {
    const { log, driver } = open({ statement: enter, readOnly: true })
    const connection = await driver.acquireConnection()
    expect((await connection.executeQuery(query)).rows).toEqual([{ text: 'select 1' }])
    expect(log).toEqual([[[enter.sql, 'select 1'], { readOnly: true }]])
  })
  it('runs a statement alone without a context statement', async () => {
    const { log, driver } = open({ statement: null, readOnly: false })
    expect((await (await driver.acquireConnection()).executeQuery(query)).rows).toEqual([
      { text: 'select 1' },
    ])
    expect(log).toEqual([[['select 1'], { readOnly: false }]])
  })
  it.each([
    [{ statement: enter, readOnly: false }, `begin; select app.enter('it''s', null, E'a\\\\b''c')`],
    [
      { statement: { sql: 'select f($1)', parameters: [['a:read', "it's"]] }, readOnly: false },
      `begin; select f('{"a:read","it''s"}')`,
    ],
    [{ statement: null, readOnly: true }, 'begin read only'],
    [{ statement: null, readOnly: false }, 'begin'],
  ])('starts a transaction with the context: %j', async (context, begin) => {
    const { log, driver } = open(context)
    const connection = await driver.acquireConnection()
    await driver.beginTransaction(connection, {})
    await connection.executeQuery(query)
    await driver.commitTransaction(connection)
    expect(log).toEqual([begin, 'select 1', 'commit', 'end'])
    await driver.beginTransaction(connection, {})
    await driver.rollbackTransaction(connection)
    expect(log.slice(4)).toEqual([begin, 'rollback', 'end'])
    await driver.commitTransaction(connection)
    expect(log).toHaveLength(7)
  })
  it('streams no rows', async () => {
    const { driver } = open({ statement: null, readOnly: true })
    const connection = await driver.acquireConnection()
    expect(() => connection.streamQuery(query, 1)).toThrow('not supported')
  })
  it('returns no rows for a missing result', () =>
    expect(toResult(undefined)).toEqual({ rows: [], numAffectedRows: 0n }))
})
