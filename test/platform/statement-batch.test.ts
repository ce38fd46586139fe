// @module-tag mechanism
import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import type { Statement } from '#db/database.ts'
import { type PreparedStatements, sendBatch } from '#platform/node/statement-batch.ts'

const select = (sql: string, parameters: unknown[] = []): Statement => ({ sql, parameters })

/** A connection that records the messages which are sent. The test plays PostgreSQL. */
function openConnection() {
  const messages: unknown[] = []
  const connection = {
    stream: { cork: () => messages.push('cork'), uncork: () => messages.push('uncork') },
    parse: ({ name, text }: { name: string; text: string }) => messages.push(['parse', name, text]),
    bind: ({
      statement,
      values,
      valueMapper,
    }: {
      statement: string
      values: unknown[]
      valueMapper(value: unknown): unknown
    }) => messages.push(['bind', statement, values.map(valueMapper)]),
    describe: ({ type, name }: { type: string; name: string }) => messages.push(['describe', type, name]),
    execute: ({ portal, rows }: { portal: string; rows: number }) => messages.push(['execute', portal, rows]),
    sync: () => messages.push('sync'),
  }
  const prepared: PreparedStatements = { bySql: new Map(), count: 0 }
  const send = (statements: Statement[], prefix?: string) => {
    const submitted: unknown[] = []
    const client = { query: (batch: unknown) => submitted.push(batch) } as unknown as pg.Client
    const result = sendBatch(client, statements, prepared, prefix)
    const server = submitted[0] as {
      submit(connection: unknown): void
      handleRowDescription(message: unknown): void
      handleDataRow(message: unknown): void
      handleCommandComplete(message: unknown): void
      handleEmptyQuery(): void
      handleError(error: Error): void
      handleReadyForQuery(): void
    }
    messages.length = 0
    server.submit(connection)
    return { result, server, messages: [...messages] }
  }
  return { prepared, send }
}

const columns = (...fields: [name: string, dataTypeID: number][]) => ({
  fields: fields.map(([name, dataTypeID]) => ({ name, dataTypeID })),
})
const [text, bigint, integer, timestamptz] = [25, 20, 23, 1184]

describe('a batch of statements', () => {
  it('is sent with one Sync message, and each statement is prepared and described once', async () => {
    const { send, prepared } = openConnection()
    const first = send([select('select $1', ['a']), select('delete from b')])
    expect(first.messages).toEqual([
      'cork',
      ['parse', 's0', 'select $1'],
      ['bind', 's0', ['a']],
      ['describe', 'P', ''],
      ['execute', '', 0],
      ['parse', 's1', 'delete from b'],
      ['bind', 's1', []],
      ['describe', 'P', ''],
      ['execute', '', 0],
      'sync',
      'uncork',
    ])
    first.server.handleRowDescription(columns(['a', text]))
    first.server.handleDataRow({ fields: ['x'] })
    first.server.handleCommandComplete({ text: 'SELECT 1' })
    first.server.handleCommandComplete({ text: 'DELETE 12' })
    first.server.handleReadyForQuery()
    expect(await first.result).toEqual([
      { rows: [{ a: 'x' }], rowCount: 1 },
      { rows: [], rowCount: 12 },
    ])
    const second = send([select('delete from b'), select('select $1', [null])])
    expect(second.messages).toEqual([
      'cork',
      ['bind', 's1', []],
      ['execute', '', 0],
      ['bind', 's0', [null]],
      ['execute', '', 0],
      'sync',
      'uncork',
    ])
    second.server.handleCommandComplete({ text: 'DELETE 0' })
    second.server.handleDataRow({ fields: ['y'] })
    second.server.handleDataRow({ fields: [null] })
    second.server.handleCommandComplete({ text: 'SELECT 2' })
    second.server.handleReadyForQuery()
    expect(await second.result).toEqual([
      { rows: [], rowCount: 0 },
      { rows: [{ a: 'y' }, { a: null }], rowCount: 2 },
    ])
    expect(prepared.count).toBe(2)
  })

  it('names what it prepares with the prefix', () => {
    const { send } = openConnection()
    expect(send([select('select 1')], 's7_').messages[1]).toEqual(['parse', 's7_0', 'select 1'])
  })

  it('converts the types of its rows, and leaves null', async () => {
    const { send } = openConnection()
    const { result, server } = send([select('select')])
    server.handleRowDescription(columns(['n', bigint], ['i', integer], ['at', timestamptz], ['none', bigint]))
    server.handleDataRow({ fields: ['5000000000', '7', '2026-11-21 09:30:00.1+00', null] })
    server.handleCommandComplete({ text: 'SELECT 1' })
    server.handleReadyForQuery()
    expect(await result).toEqual([
      { rows: [{ n: 5_000_000_000, i: 7, at: '2026-11-21T09:30:00.100Z', none: null }], rowCount: 1 },
    ])
  })

  it.each([
    ['INSERT 0 1', 1],
    ['UPDATE 2', 2],
    ['BEGIN', 0],
    ['CREATE TABLE', 0],
  ])('counts the rows of %j', async (tag, rowCount) => {
    const { send } = openConnection()
    const { result, server } = send([select('x')])
    server.handleCommandComplete({ text: tag })
    server.handleReadyForQuery()
    expect(await result).toEqual([{ rows: [], rowCount }])
  })

  it('passes over an empty statement', async () => {
    const { send } = openConnection()
    const { result, server } = send([select(''), select('delete from b')])
    server.handleEmptyQuery()
    server.handleCommandComplete({ text: 'DELETE 3' })
    server.handleReadyForQuery()
    expect(await result).toEqual([
      { rows: [], rowCount: 0 },
      { rows: [], rowCount: 3 },
    ])
  })

  it('prepares a statement again that was first sent in a batch which failed', async () => {
    const { send, prepared } = openConnection()
    const failed = send([select('select 1'), select('select 2')])
    failed.server.handleError(new Error('refused'))
    await expect(failed.result).rejects.toMatchObject({ message: 'refused' })
    expect([prepared.bySql.size, prepared.count]).toEqual([0, 2])
    expect(send([select('select 2')]).messages[1]).toEqual(['parse', 's2', 'select 2'])
  })

  it('keeps its statements prepared when one fails that PostgreSQL knew', async () => {
    const { send, prepared } = openConnection()
    send([select('select 1')]).server.handleReadyForQuery()
    const failed = send([select('select 1')])
    failed.server.handleError(new Error('refused'))
    await expect(failed.result).rejects.toMatchObject({ message: 'refused' })
    expect([...prepared.bySql.keys()]).toEqual(['select 1'])
  })

  it('runs nothing, and fails with the error of a parameter that cannot be converted', async () => {
    const { send } = openConnection()
    const unconvertible = {
      toPostgres: () => {
        throw new Error('no text')
      },
    }
    const { messages, result, server } = send([select('select 1'), select('select $1', [unconvertible])])
    expect(messages.slice(-3)).toEqual([['bind', 'unsent', []], 'sync', 'uncork'])
    server.handleError(new Error('prepared statement "unsent" does not exist'))
    await expect(result).rejects.toThrow('no text')
  })

  it('leaves the statements after the first 1000 unprepared', () => {
    const { send, prepared } = openConnection()
    for (let n = 0; n < 999; n++) prepared.bySql.set(`known ${n}`, { name: `k${n}`, columns: [] })
    const { messages } = send([select('select 1'), select('select 2')])
    expect(messages.filter((message) => Array.isArray(message) && message[0] === 'parse')).toEqual([
      ['parse', 's0', 'select 1'],
      ['parse', '', 'select 2'],
    ])
    expect([prepared.bySql.size, prepared.count]).toEqual([1000, 1])
    expect(send([select('select 2')]).messages[1]).toEqual(['parse', '', 'select 2'])
  })
})
