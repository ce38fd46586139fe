// @module-tag mechanism
import { describe, expect, it } from 'vitest'
import * as exportSlices from '#functions/accounts/export-slices/service.ts'
import * as tasks from '#functions/ai/tasks/service.ts'
import * as changes from '#functions/psa/changes/service.ts'
import { toProblem, toSendResult } from '#functions/psa/connection/service.ts'
import * as pushes from '#functions/psa/push-attempts/service.ts'
import { prepareSession } from '#functions/psa/rules/service.ts'
import { Problem } from '#problem.ts'
import { createStubDatabase } from '#test/support/stub-database.ts'
import { PsaError, type Ticket } from '#vendors/psa/psa.ts'

describe('a stored request to the model', () => {
  const task = {
    ...{
      id: 't',
      account_id: 'a',
      user_id: 'u',
      sign_in_id: 's',
      operation: 'ai.turns.sendMessage',
      path: '/x',
      body: '{}',
    },
    ...{ attempts: 1, max_attempts: 4, key_hash: null, calls_started: 2 },
  }
  const progress = { kind: 'ai_task', id: 't', user_id: 'u', phase: 'finished', done: 2, total: 2 }
  function createContext(status: number) {
    const stub = createStubDatabase((sql, [event, data]) =>
      sql.includes('stream_events')
        ? [{ account_id: 'a', key: 'k', event, data: JSON.parse(String(data)) }]
        : [task],
    )
    const openAccountScope = () => ({ transaction: (work: (db: never) => Promise<unknown>) => work(stub.db) })
    const callStoredRequest = async () => ({ status, body: '{}' })
    return { ...stub, ctx: { platform: stub.db, openAccountScope, callStoredRequest } as never }
  }

  it.each([
    [200, null],
    [499, null],
    [500, 30],
    [501, 30],
    [502, null],
    [503, 30],
  ])('that is answered with %i is repeated after %j s', async (status, delaySeconds) => {
    const { ctx, outbox, findStatements } = createContext(status)
    await tasks.work.attempt(ctx, 't', 1)
    const result = { task_id: 't', user_id: 'u', operation: 'ai.turns.sendMessage', status }
    const events = [
      ['job_progressed', progress],
      ['ai_task_finished', result],
    ] as const
    const entries = events.map(([event, data]) => ({
      kind: 'live_event',
      accountId: 'a',
      event: { key: 'k', event, data },
    }))
    expect(outbox).toEqual(
      delaySeconds === null ? entries : [{ kind: 'ai_task', id: 't', attempt: 2, delaySeconds }],
    )
    const rows = events.map(([event, data]) => [event, JSON.stringify(data)])
    expect(findStatements('insert into stream_events')).toEqual(delaySeconds === null ? rows : [])
  })

  it('whose last attempt never ended fails without a status', async () => {
    const { ctx, findStatements } = createContext(200)
    await tasks.work.failAbandoned(ctx)
    const data = JSON.stringify({
      task_id: 't',
      user_id: 'u',
      operation: 'ai.turns.sendMessage',
      status: null,
    })
    expect(findStatements('insert into stream_events')).toEqual([
      ['job_progressed', JSON.stringify(progress)],
      ['ai_task_finished', data],
    ])
  })
})

describe('an attempt that never ended and was repeated meanwhile', () => {
  const attempts = { id: 'x', account_id: 'a', attempts: 4, max_attempts: 4 }
  const task = {
    ...attempts,
    user_id: 'u',
    sign_in_id: 's',
    operation: 'o',
    path: '/x',
    body: '{}',
    key_hash: null,
  }
  const push = {
    ...attempts,
    kind: 'note',
    source_kind: 'user',
    source_id: 'u',
    ticket_id: '7',
    requested_by: 'u',
    details: {},
  }
  const kinds = {
    'stored request': { failAbandoned: tasks.work.failAbandoned, row: task },
    push: { failAbandoned: pushes.work.failAbandoned, row: push },
    'change of a ticket': { failAbandoned: changes.work.failAbandoned, row: { ...attempts, ticket_id: '7' } },
    export: {
      failAbandoned: exportSlices.work.failAbandoned,
      row: { ...attempts, requested_by: 'u', progress: {} },
    },
  }

  it.each(Object.entries(kinds))('of a %s fails nothing', async (_, { failAbandoned, row }) => {
    const { db, outbox, statements } = createStubDatabase((sql) => (sql.includes('update') ? [] : [row]))
    const openAccountScope = () => ({ transaction: (work: (tx: never) => Promise<unknown>) => work(db) })
    await failAbandoned({ platform: db, openAccountScope, uploads: { remove: async () => {} } } as never)
    expect([statements.length, outbox]).toEqual([2, []])
  })
})

describe('a rule that cannot prepare a session', () => {
  const rule = {
    id: 'r',
    board_id: null,
    ticket_type: null,
    keywords: [],
    tree_id: 't',
    variables: {},
    user_id: 'u',
  }
  const ticket = {
    id: '7',
    summary: 's',
    description: null,
    is_closed: false,
    merged_into: null,
  } as unknown as Ticket

  it.each([
    [new Problem('not_found', 'Flow not found'), 'Flow not found'],
    [new Problem('bad_request', 'x'.repeat(1001)), 'x'.repeat(1000)],
    [new Problem('stale_version'), undefined],
    [new Problem('internal'), undefined],
    [new Problem('unavailable'), undefined],
    [new Error('a mistake'), undefined],
  ])('because of %s records the reason, or fails so that it is repeated', async (error, recorded) => {
    const { db, findStatements } = createStubDatabase(() => [rule])
    const openAccountScope = () => ({ db, transaction: () => Promise.reject(error) })
    const prepared = prepareSession({ openAccountScope } as never, 'a', ticket)
    if (recorded === undefined) await expect(prepared).rejects.toBe(error)
    else await prepared
    expect(findStatements('last_error')).toEqual(recorded === undefined ? [] : [[recorded, 'r']])
  })
})

describe('an error of the ticketing system', () => {
  const mistake = new TypeError('a mistake')

  it.each<[unknown, string | undefined, object]>([
    [new PsaError('missing', 'm'), 'Ticket', { kind: 'not_found', message: 'Ticket not found' }],
    [new PsaError('missing', 'm'), undefined, { kind: 'psa_error', message: 'm' }],
    [new PsaError('invalid', 'i'), 'Ticket', { kind: 'psa_error', message: 'i' }],
    [new PsaError('auth', 'a'), 'Ticket', { kind: 'psa_auth_failed', headers: {} }],
    [new PsaError('down', 'd'), 'Ticket', { kind: 'psa_unavailable', headers: {} }],
    [
      new PsaError('rate_limit', 'r', { retryAfterSeconds: 7 }),
      'Ticket',
      { kind: 'psa_rate_limited', headers: { 'retry-after': '7' } },
    ],
  ])('%s about the resource %j becomes %j', (error, resource, expected) => {
    expect(toProblem(error, resource)).toMatchObject(expected)
  })
  it('of another kind stays as it is', () => expect(toProblem(mistake, 'Ticket')).toBe(mistake))

  it.each<[unknown, object]>([
    [new PsaError('missing', 'm', { status: 404 }), { ok: false, status: 404, error: 'm', gone: true }],
    [new PsaError('invalid', 'i', { status: 400 }), { ok: false, status: 400, error: 'i', gone: true }],
    [new PsaError('auth', 'a', { status: 401 }), { ok: false, status: 401, error: 'a', gone: false }],
    [new PsaError('down', 'd'), { ok: false, status: null, error: 'd', gone: false }],
    [
      new PsaError('rate_limit', 'r', { status: 429, retryAfterSeconds: 7 }),
      { ok: false, status: 429, error: 'r', gone: false, retryAfterSeconds: 7 },
    ],
    [new Problem('psa_not_connected', 'n'), { ok: false, status: null, error: 'n', gone: true }],
  ])('%s ends an attempt with %j', (error, expected) => expect(toSendResult(error)).toEqual(expected))
  it.each([mistake, new Problem('internal')])('%s is no result of an attempt', (error) => {
    expect(() => toSendResult(error)).toThrow(error)
  })
})
