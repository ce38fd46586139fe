import { describe, expect, it } from 'vitest'
import type { Database, Statement } from '#db/database.ts'
import { measureDatabase } from '#db/measure-database.ts'
import { recordWith } from '#metrics.ts'
import { recordSpans, runInTrace, type Span, type Tracer } from '#trace.ts'

const select = (sql: string): Statement => ({ sql, parameters: [] })

/** Run work with a measured database. Return its result, and what was recorded. */
async function measure<T>(work: (database: Database) => Promise<T>, { isTraced = true, fails = false } = {}) {
  const recorded: unknown[] = []
  const spans: Span[] = []
  const tracer: Tracer = { isSampled: () => true, add: (span) => spans.push(span), flush: async () => {} }
  const port = {
    start: () => ({
      record: (id: string, labels: readonly string[], value: number) =>
        void recorded.push([id, labels, id === 'databaseFailures' ? value : value >= 0 && value < 5]),
      flush: () => {},
    }),
  }
  const answer = async <R>(result: R): Promise<R> => (fails ? Promise.reject(new RangeError('away')) : result)
  const database = measureDatabase<Database>(
    {
      run: (statements) => answer(statements.map(({ sql }) => ({ rows: [sql], rowCount: 1 }))),
      begin: () =>
        answer({
          query: async ({ sql }) => ({ rows: [sql], rowCount: 1 }),
          end: async () => void recorded.push('end'),
        }),
    },
    'platform',
  )
  const run = () => work(database).catch((error: Error) => error.message)
  const result = await recordWith(port as never, () =>
    isTraced ? runInTrace(undefined, () => recordSpans(tracer, run)) : run(),
  )
  return { result, recorded, spans: spans.map(({ name, kind, attributes }) => ({ name, kind, attributes })) }
}

const roundTrip = ['databaseRoundTrips', ['platform'], true]
const attributes = { 'db.system.name': 'postgresql', 'support_flow.role': 'platform' }
const toSpan = (name: string, more: object = {}) => ({
  name,
  kind: 'client',
  attributes: { ...attributes, ...more },
})

describe('a measured database', () => {
  it('records one round trip and one span for a statement', async () => {
    expect(await measure((db) => db.run([select('select a from trees')], { readOnly: true }))).toEqual({
      result: [{ rows: ['select a from trees'], rowCount: 1 }],
      recorded: [roundTrip],
      spans: [toSpan('select trees')],
    })
  })
  it('names the number of statements that share a round trip', async () => {
    const { recorded, spans } = await measure((db) =>
      db.run([select('select app.enter()'), select('delete from a')], { readOnly: false }),
    )
    expect([recorded, spans]).toEqual([
      [roundTrip],
      [toSpan('app.enter, delete from a', { 'db.operation.batch.size': 2 })],
    ])
  })
  it('records each round trip of a transaction', async () => {
    const { recorded, spans } = await measure(async (db) => {
      const connection = await db.begin('begin')
      await connection.query(select('update a set b = 1'))
      await connection.end()
    })
    expect([recorded, spans]).toEqual([
      [roundTrip, roundTrip, 'end'],
      [toSpan('begin'), toSpan('update a')],
    ])
  })
  it('records no span outside of a trace that is recorded', async () => {
    const { recorded, spans } = await measure((db) => db.run([select('select 1')], { readOnly: true }), {
      isTraced: false,
    })
    expect([recorded, spans]).toEqual([[roundTrip], []])
  })
  it.each([true, false])('records a failure, and throws its error (in a trace: %s)', async (isTraced) => {
    const { result, recorded, spans } = await measure(
      (db) => db.run([select('select 1')], { readOnly: true }),
      { isTraced, fails: true },
    )
    expect([result, recorded]).toEqual(['away', [['databaseFailures', ['platform'], 1], roundTrip]])
    expect(spans).toEqual(isTraced ? [toSpan('select', { 'error.type': 'RangeError' })] : [])
  })
})
