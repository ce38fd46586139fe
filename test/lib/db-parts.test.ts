import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Database, QueryRows, Statement } from '../../lib/db/database.ts'
import { describeStatements } from '../../lib/db/describe-statement.ts'
import { lazyDialect, toResult } from '../../lib/db/dialect.ts'
import { databaseTimeoutMs, failWhenHung } from '../../lib/db/hung.ts'
import { PageQuery } from '../../lib/db/page.ts'
import { retryOnConflict, retryWhileUnavailable } from '../../lib/db/retry.ts'
import { findDetail, getSqlState, throwNameTaken, throwUnknownId, toDatabaseProblem } from '../../lib/db/sqlstate.ts'
import { Problem } from '../../lib/problem.ts'

const sqlError = (code: string, more: object = {}) => Object.assign(new Error('secret'), { code, ...more })
const catchError = (call: () => unknown): unknown => {
  try {
    return call()
  } catch (error) {
    return error
  }
}

describe('an error of the database', () => {
  it.each([
    [{ code: '23505' }, '23505'],
    [{ code: 'ECONNRESET', cause: { code: '57P01' } }, '57P01'],
    [{ code: 23505 }, undefined],
    [{ cause: null }, undefined],
    ['23505', undefined],
    [null, undefined],
  ])('%j has the SQLSTATE %j', (error, state) => expect(getSqlState(error)).toBe(state))
  it.each([
    [{ detail: 'd' }, 'd'],
    [{ detail: 7, cause: { detail: 'c' } }, 'c'],
    [{}, undefined],
    ['d', undefined],
    [null, undefined],
  ])('%j has the detail %j', (error, detail) => expect(findDetail(error)).toBe(detail))
  it.each([
    [
      sqlError('SF4LR', { detail: '{"resource":"api_keys","used":5,"limit":5}' }),
      { message: 'The account has reached its limit of 5 api keys', body: { resource: 'api_keys', used: 5, limit: 5 } },
    ],
    [sqlError('SF4LR', { detail: 'no JSON' }), { message: 'The limit is reached', body: { code: 'limit_reached' } }],
    [sqlError('SF4LR'), { message: 'The limit is reached', body: { code: 'limit_reached' } }],
    [sqlError('SF4KS', { detail: 'flows:write' }), { kind: 'insufficient_scope', body: { required_scope: 'flows:write' } }],
    [sqlError('SF4KS'), { body: { required_scope: '' } }],
    [sqlError('53300'), { kind: 'unavailable', headers: { 'retry-after': '5' } }],
    [sqlError('08006'), { kind: 'unavailable', headers: { 'retry-after': '5' } }],
    [sqlError('22P02'), { kind: 'invalid', headers: {} }],
    [sqlError('42P01'), { kind: 'internal', headers: {} }],
    [Object.assign(new Error('x'), { name: 'NeonDbError' }), { kind: 'unavailable' }],
    [Object.assign(new Error('x'), { name: 'TimeoutError' }), { kind: 'unavailable' }],
    [new Error('Connection terminated unexpectedly'), { kind: 'unavailable' }],
    [{ type: 'error' }, { kind: 'unavailable' }],
  ])('%j is answered', (error, expected) => expect(toDatabaseProblem(error)).toMatchObject(expected))
  it.each([[new Error('x')], [{ type: 'close' }], [{}], [null], ['timeout']])('%j is none', (error) =>
    expect(toDatabaseProblem(error)).toBeUndefined(),
  )

  it('is 409 name_taken for a unique violation only', () => {
    expect(catchError(() => throwNameTaken('A category')(sqlError('23505')))).toMatchObject({
      kind: 'name_taken',
      message: 'A category with this name already exists',
    })
    const other = sqlError('23503')
    expect(catchError(() => throwNameTaken('A category')(other))).toBe(other)
  })
  it.each([
    ['23503', 'fk_team', '', 422],
    ['23503', 'fk_team', 'team', 422],
    ['23503', 'fk_user', 'team', undefined],
    ['23503', undefined, 'team', undefined],
    ['23505', 'fk_team', 'team', undefined],
  ])('%s of %s is a 422 for the constraint %j: %s', (code, constraint, expected, status) => {
    const error = catchError(() => throwUnknownId('team_id', 'team', expected)(sqlError(code, { constraint })))
    expect((error as Problem).status).toBe(status)
  })
})

describe('retryOnConflict', () => {
  it('repeats an attempt until it succeeds', async () => {
    let attempts = 0
    expect(await retryOnConflict('script', async () => (++attempts < 3 ? undefined : attempts))).toBe(3)
  })
  it('fails after eight attempts, as the caller says', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    onTestFinished(() => void vi.restoreAllMocks())
    let attempts = 0
    const attempt = async () => void attempts++
    await expect(retryOnConflict('script', attempt)).rejects.toMatchObject({
      kind: 'stale_version',
      message: expect.stringContaining('this script'),
    })
    expect(attempts).toBe(8)
    await expect(retryOnConflict('script', attempt, async () => new Problem('already_claimed'))).rejects.toMatchObject({
      kind: 'already_claimed',
    })
  })
})

describe('retryWhileUnavailable', () => {
  const failing = (error: unknown, times: number) => {
    let calls = 0
    return { work: async () => (++calls <= times ? Promise.reject(error) : calls), countCalls: () => calls }
  }
  it('repeats the work after each pause', async () => {
    const { work } = failing(sqlError('57P01'), 2)
    expect(await retryWhileUnavailable(work, [0, 0])).toBe(3)
  })
  it('gives up after the last pause', async () => {
    const { work, countCalls } = failing(sqlError('57P01'), 9)
    await expect(retryWhileUnavailable(work, [0, 0])).rejects.toMatchObject({ code: '57P01' })
    expect(countCalls()).toBe(3)
  })
  it('repeats nothing after another failure', async () => {
    const { work, countCalls } = failing(sqlError('23505'), 9)
    await expect(retryWhileUnavailable(work, [0, 0])).rejects.toMatchObject({ code: '23505' })
    expect(countCalls()).toBe(1)
  })
})

describe('failWhenHung', () => {
  function run(work: Promise<unknown>, probe: () => Promise<unknown>) {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let hung = 0
    let outcome: unknown = 'waiting'
    const result = failWhenHung(work, probe, () => hung++)
    result.then(
      (value) => (outcome = value),
      (error: Error) => (outcome = error.name),
    )
    return { state: () => [outcome, hung], advance: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
  }
  const never = new Promise(() => {})
  it('asks a probe after 1.5 s, and gives up when it fails', async () => {
    const { state, advance } = run(never, () => Promise.reject(new Error('away')))
    await advance(1499)
    expect(state()).toEqual(['waiting', 0])
    await advance(1)
    expect(state()).toEqual(['TimeoutError', 1])
  })
  it('waits as long as any statement may take while the probe succeeds', async () => {
    const { state, advance } = run(never, async () => {})
    await advance(databaseTimeoutMs - 1)
    expect(state()).toEqual(['waiting', 0])
    await advance(1)
    expect(state()).toEqual(['TimeoutError', 1])
  })
  it('returns the result of work that ends while the probe runs', async () => {
    const [work, probe] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
    const { state, advance } = run(work.promise, () => probe.promise)
    await advance(1500)
    work.resolve('done')
    await advance(0)
    probe.reject(new Error('away'))
    await advance(databaseTimeoutMs)
    expect(state()).toEqual(['done', 0])
    expect(vi.getTimerCount()).toBe(0)
  })
  it('starts no probe for work that ends soon', async () => {
    let probes = 0
    const { state, advance } = run(Promise.resolve('done'), async () => probes++)
    await advance(2000)
    expect([state(), probes]).toEqual([['done', 0], 0])
  })
})

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
    expect((await (await driver.acquireConnection()).executeQuery(query)).rows).toEqual([{ text: 'select 1' }])
    expect(log).toEqual([[['select 1'], { readOnly: false }]])
  })
  it.each([
    [{ statement: enter, readOnly: false }, `begin; select app.enter('it''s', null, E'a\\\\b''c')`],
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
  it('returns no rows for a missing result', () => expect(toResult(undefined)).toEqual({ rows: [], numAffectedRows: 0n }))
})

it.each([
  ['select app.enter($1)', 'app.enter'],
  ['select * from app.find_key($1)', 'app.find_key'],
  ['with x as (select 1 from y) insert into "notifications" (a)', 'select y'],
  ['INSERT INTO "Trees" (a)', 'insert into trees'],
  ['update "trees" set a = 1', 'update trees'],
  ['delete from trees where a', 'delete from trees'],
  ['select a from trees', 'select trees'],
  ['begin read only', 'begin'],
  [' ?', 'statement'],
])('describes the statement %j as %j', (sql, text) => expect(describeStatements([{ sql }])).toBe(text))

it('describes at most eight statements', () => {
  expect(describeStatements(Array(9).fill({ sql: 'commit' }))).toBe(Array(8).fill('commit').join(', '))
})

it.each([
  [{}, { skip: 0, limit: 50 }],
  [
    { skip: '2147483647', limit: '100' },
    { skip: 2_147_483_647, limit: 100 },
  ],
  [{ limit: '1' }, { skip: 0, limit: 1 }],
  [{ skip: '2147483648' }, undefined],
  [{ skip: '-1' }, undefined],
  [{ limit: '0' }, undefined],
  [{ limit: '101' }, undefined],
  [{ page: '1' }, undefined],
])('reads the page %j', (query, page) => expect(PageQuery.safeParse(query).data).toEqual(page))
