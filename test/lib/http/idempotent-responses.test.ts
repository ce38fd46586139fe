import { describe, expect, it } from 'vitest'
import type { Scope } from '#db/scope.ts'
import { runIdempotent, runIdempotentWithLease } from '#http/idempotency.ts'
import { Problem } from '#problem.ts'
import { createStubDatabase } from '#test/support/stub-database.ts'

const key = { operation: 'a.b', key: 'k', request: '\\x01' }
const response = { status: 201, body: '{"a":1}' }
const invalid = new Problem('invalid')
const running = {
  kind: 'idempotency_key_in_use',
  status: 409,
  message: 'The first request with this Idempotency-Key is still running',
}
const reused = {
  status: 422,
  body: {
    errors: [{ loc: ['header', 'idempotency-key'], msg: 'was used for another request', type: 'key_reused' }],
  },
}

// Marks what is sealed, so that a test sees that it was opened.
const vault = {
  seal: async (text: string) => `sealed ${text}`,
  open: async (text: string) => text.replace('sealed ', ''),
}

const executionCtx = { waitUntil() {} }

/**
 * Run work under a key for which these rows are stored. Return the result or the error, and the statements
 * that write.
 */
async function run(rows: { lock?: object; stored?: object; lease?: object }, error?: Error) {
  const stub = createStubDatabase((sql) => {
    if (sql.includes('pg_try_advisory_xact_lock')) return [rows.lock ?? { is_locked: true }]
    if (sql.includes('new_lease'))
      return [
        {
          status: null,
          body: null,
          is_same: true,
          retry_seconds: 7,
          work_id: '01a216d0-0686-7392-aee1-48bdde4aff6c',
          is_repeat: false,
          ...rows.lease,
        },
      ]
    return rows.stored && sql.includes('select status')
      ? [{ status: 200, body: 'sealed old', is_same: true, ...rows.stored }]
      : []
  })
  const scope = {
    db: stub.db,
    transaction: (work: (db: unknown) => unknown) => work(stub.db),
  } as unknown as Scope
  const work = async () => {
    if (error) throw error
    return response
  }
  const context = { scope, vault }
  const result = await (rows.lease
    ? runIdempotentWithLease(context, key, { executionCtx } as never, work)
    : runIdempotent(context, key, work)
  ).catch((failure: unknown) => failure)
  const writes = stub.statements
    .map(({ sql }) => sql.split(' ').slice(0, 2).join(' '))
    .filter((text) => !/^(?:select|with)/.test(text))
  return { result, writes }
}

describe('runIdempotent', () => {
  it('stores and returns the response', async () => {
    expect(await run({})).toEqual({ result: response, writes: ['insert into'] })
  })

  it.each([
    [{ stored: {} }, { status: 200, body: 'old', isReplay: true }],
    [{ stored: { body: null } }, { status: 200, body: '', isReplay: true }],
  ])('returns the stored response of %j', async (rows, result) => {
    expect(await run(rows)).toEqual({ result, writes: [] })
  })

  it.each([
    [{ lock: { is_locked: false } }, running],
    [{ stored: { status: null } }, running],
    [{ stored: { is_same: false } }, reused],
  ])('refuses a key with %j', async (rows, problem) => {
    const { result, writes } = await run(rows)
    expect([result, writes]).toMatchObject([problem, []])
  })

  it.each([
    invalid,
    new Problem('invalid_signature'),
    new Problem('conflict'),
    new Problem('unauthenticated'),
    new Problem('internal'),
    new TypeError('x'),
  ])('does not store %s', async (error) => {
    expect(await run({}, error)).toEqual({ result: error, writes: [] })
  })
})

describe('runIdempotentWithLease', () => {
  it.each<[object, Error | undefined, object]>([
    [{}, undefined, { result: response, writes: ['update idempotency_keys'] }],
    [
      { work_id: null, status: 200, body: 'sealed old' },
      undefined,
      { result: { status: 200, body: 'old', isReplay: true }, writes: [] },
    ],
  ])('with the lease %j and the error %s returns a response', async (lease, error, expected) => {
    expect(await run({ lease }, error)).toEqual(expected)
  })

  it.each([invalid, new Problem('conflict')])('gives up the key after %s', async (error) => {
    expect(await run({ lease: {} }, error)).toEqual({ result: error, writes: ['update idempotency_keys'] })
  })

  it.each([
    [{ work_id: null }, running],
    [{ work_id: null, is_same: false, status: 200 }, reused],
  ])('refuses a key with the lease %j', async (lease, problem) => {
    expect((await run({ lease })).result).toMatchObject(problem)
  })
})
