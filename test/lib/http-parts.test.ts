import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { prefersAsync } from '../../lib/http/ai-task.ts'
import { describe as describeError } from '../../lib/http/app.ts'
import { readBearer } from '../../lib/http/authenticate.ts'
import { addLink, announceRemoval, describeRemoval } from '../../lib/http/deprecation.ts'
import { createEventStream } from '../../lib/http/event-stream.ts'
import { listFieldErrors } from '../../lib/http/field-errors.ts'
import { hasToken } from '../../lib/http/has-token.ts'
import { cacheResult, listShutdownWarnings } from '../../lib/http/health.ts'
import { hashRequest, readIdempotencyKey } from '../../lib/http/idempotency.ts'
import { createKeyMemory } from '../../lib/http/key-memory.ts'
import { getKeyScope, keyScopes, listSufficientScopes, requireScope } from '../../lib/http/key-scopes.ts'
import type { AnyOperation } from '../../lib/http/operation.ts'
import { isSocketRequest, readSocketAuthorization, selectProtocol } from '../../lib/http/socket-request.ts'
import { readLastEventId } from '../../lib/http/stream-ticket.ts'
import { Problem, requireVersion } from '../../lib/problem.ts'

const url = 'https://api.example.com/api/v1/x'
const request = (headers: Record<string, string>, method = 'GET') => new Request(url, { method, headers })

it.each([
  [{ prefer: 'respond-async' }, true],
  [{ prefer: 'wait=5, Respond-Async ' }, true],
  [{ prefer: 'respond-async; x' }, false],
  [{ prefer: 'wait=5' }, false],
  [{}, false],
])('asks for an answer in the background with %j: %s', (headers, expected) => {
  expect(prefersAsync(request(headers as Record<string, string>))).toBe(expected)
})

describe('an error in the log', () => {
  it('has its name, its code, six lines of its stack and its cause, but no message', () => {
    const error = Object.assign(new TypeError('secret', { cause: Object.assign(new Error('secret'), { stack: undefined }) }), {
      code: 'E1',
    })
    error.stack = `TypeError: secret\n${'    at place (file:1)\n'.repeat(7)}secret`
    expect(describeError(error)).toEqual({
      ...{ name: 'TypeError', code: 'E1', stack: Array(6).fill('at place (file:1)') },
      cause: { name: 'Error', code: undefined, stack: undefined },
    })
    expect(describeError('secret')).toEqual({ name: 'string' })
  })
})

it.each([
  ['Bearer abc.d-e_f', 'abc.d-e_f'],
  ['bearer  abc', 'abc'],
  ['Bearer', ''],
  ['Bearer a b', ''],
  ['Basic abc', ''],
  ['', ''],
])('readBearer reads %j as %j', (header, credential) => expect(readBearer(header)).toBe(credential))

describe('the removal of an operation', () => {
  const createContext = (headers: Record<string, string> = {}) => ({ headers, get: () => headers })
  it('is announced with its dates and its successor', () => {
    const c = createContext({ link: '<a>; rel="next"' })
    announceRemoval(c, { since: '2026-12-01', sunset: '2027-06-30', successor: 'GET /trees' })
    expect(c.headers).toEqual({
      deprecation: '@1796083200',
      sunset: 'Wed, 30 Jun 2027 00:00:00 GMT',
      link: '<a>; rel="next", </api/v1/trees>; rel="successor-version"',
    })
  })
  it('has no link without a successor', () => {
    const c = createContext()
    announceRemoval(c, { since: '2026-12-01', sunset: '2027-06-30' })
    expect(c.headers).not.toHaveProperty('link')
    addLink(c, '<b>')
    expect(c.headers).toHaveProperty('link', '<b>')
  })
  it.each([
    [{ successor: 'GET /trees' }, 'Removed on 2027-06-30. Use `GET /trees` instead.'],
    [{}, 'Removed on 2027-06-30.'],
  ])('is documented: %j', (more, text) => expect(describeRemoval({ since: '2026-12-01', sunset: '2027-06-30', ...more })).toBe(text))
})

describe('an Idempotency-Key', () => {
  it.each([['a'], ['a'.repeat(255)], [null]])('is accepted: %j', (key) => {
    expect(readIdempotencyKey(request(key === null ? {} : { 'idempotency-key': key }))).toBe(key)
  })
  it.each(['', 'a'.repeat(256), 'ä'])('is refused: %j', (key) => {
    expect(() => readIdempotencyKey(request({ 'idempotency-key': key }))).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        body: expect.objectContaining({ errors: [expect.objectContaining({ type: 'invalid_key' })] }),
      }),
    )
  })
  it('stands for the path, the query and the body of a request', async () => {
    const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>
    const hashes = await Promise.all([
      hashRequest(url, 'a'),
      hashRequest('https://other.example/api/v1/x', 'a'),
      hashRequest(`${url}?a`, 'a'),
      hashRequest(`${url}y`, 'a'),
      hashRequest(url, 'b'),
      hashRequest(url, bytes('a')),
      hashRequest(url, bytes('a')),
    ])
    expect(hashes[1]).toBe(hashes[0])
    expect(hashes[6]).toBe(hashes[5])
    expect(new Set(hashes).size).toBe(5)
  })
})

describe('the memory of API keys', () => {
  it('records a use at most once a minute', () => {
    let now = 0
    const keys = createKeyMemory(() => now)
    expect([keys.isKnown('a'), keys.admit('a'), keys.isKnown('a')]).toEqual([false, true, true])
    now = 59_999
    expect(keys.admit('a')).toBe(false)
    now = 60_000
    expect([keys.admit('a'), keys.admit('a')]).toEqual([true, false])
    keys.forget('a')
    expect([keys.isKnown('a'), keys.admit('a')]).toEqual([false, true])
  })
  it('holds 2,000 keys', () => {
    const keys = createKeyMemory(() => 0)
    for (let n = 0; n < 2000; n++) keys.admit(String(n))
    expect([keys.isKnown('0'), keys.isKnown('1999')]).toEqual([true, true])
    keys.admit('2000')
    expect([keys.isKnown('1999'), keys.isKnown('2000')]).toEqual([false, true])
  })
})

describe('the scope of an API key', () => {
  const operation = (changes: object) => ({ id: 'flows.trees.list', method: 'get', access: 'user', ...changes }) as unknown as AnyOperation
  it.each<[object, string | null]>([
    [{}, 'flows:read'],
    [{ method: 'post' }, 'flows:write'],
    [{ access: 'engineer' }, 'flows:read'],
    [{ access: 'team_admin' }, 'flows:read'],
    [{ access: 'admin' }, null],
    [{ access: 'super_admin' }, null],
    [{ access: 'public' }, null],
    [{ closedToKeys: true }, null],
    [{ closedToKeys: false, stepUp: false, skipGuards: 'none' }, 'flows:read'],
    [{ stepUp: true }, null],
    [{ skipGuards: 'all' }, null],
    [{ id: 'identity.me.get' }, null],
    [{ id: 'search.find' }, 'search:read'],
    [{ id: 'search.find', method: 'post' }, null],
  ])('for an operation with %j is %s', (changes, scope) => expect(getKeyScope(operation(changes))).toBe(scope))
  it('is included in larger scopes', () => {
    expect(listSufficientScopes(operation({}))).toEqual(['flows:read', 'flows:write', '*:read', '*:write'])
    expect(listSufficientScopes(operation({ method: 'post' }))).toEqual(['flows:write', '*:write'])
    expect(listSufficientScopes(operation({ closedToKeys: true }))).toEqual([])
    expect(keyScopes.filter((scope) => /^(\*|search|flows):/.test(scope))).toEqual([
      '*:read',
      '*:write',
      'flows:read',
      'flows:write',
      'search:read',
    ])
  })
  it('is required', () => {
    const refusal = (sufficient: string[], granted: string[]) => {
      try {
        return requireScope(sufficient, granted)
      } catch (error) {
        return [(error as Problem).kind, (error as Problem).body.required_scope]
      }
    }
    expect(refusal(['a:read', 'a:write'], ['b:read', 'a:write'])).toBeUndefined()
    expect(refusal(['a:read', 'a:write'], ['b:read'])).toEqual(['insufficient_scope', 'a:read'])
    expect(refusal([], ['*:write'])).toEqual(['closed_to_keys', undefined])
  })
})

it.each([
  ['Bearer t', true],
  ['bearer t', false],
  ['Bearer x', false],
  ['t', false],
  [undefined, false],
])('hasToken compares %j: %s', async (header, expected) => expect(await hasToken(header, 't')).toBe(expected))

describe('the warning that a model shuts down', () => {
  const now = Date.parse('2026-11-23T00:00:00Z')
  it.each([
    ['2027-01-22T00:00:00Z', ['The AI model m shuts down on 2027-01-22; set OPENAI_MODEL to its successor']],
    ['2027-01-22T00:00:00.001Z', []],
    ['2026-01-01T00:00:00Z', ['The AI model m shuts down on 2026-01-01; set OPENAI_MODEL to its successor']],
  ])('comes 60 days before: %s', (date, warnings) =>
    expect(listShutdownWarnings('m', { shutdownAt: new Date(date) }, now)).toEqual(warnings),
  )
  it('does not come without a date', () => expect(listShutdownWarnings('m', { shutdownAt: null }, now)).toEqual([]))
})

describe('cacheResult', () => {
  it('repeats a result until its time, and a failure never', async () => {
    let now = 0
    let calls = 0
    let fails = false
    const get = cacheResult(
      async () => {
        if (fails) throw new Error('away')
        return ++calls
      },
      100,
      () => now,
    )
    expect([await get(), await get()]).toEqual([1, 1])
    now = 99
    expect(await get()).toBe(1)
    now = 100
    expect(await get()).toBe(2)
    now = 200
    fails = true
    await expect(get()).rejects.toThrow('away')
  })
  it('calls each time without a cache', async () => {
    let calls = 0
    const get = cacheResult(
      async () => ++calls,
      0,
      () => 0,
    )
    expect(await Promise.all([get(), get()])).toEqual([1, 2])
  })
})

describe('a request for a WebSocket', () => {
  const upgrade = { upgrade: 'WebSocket' }
  it.each([
    [upgrade, 'GET', true],
    [upgrade, 'POST', false],
    [{ upgrade: 'h2c' }, 'GET', false],
    [{}, 'GET', false],
  ])('has the header and the method: %j %s', (headers, method, expected) => {
    expect(isSocketRequest(request(headers as Record<string, string>, method))).toBe(expected)
  })
  it.each([
    [{ ...upgrade, 'sec-websocket-protocol': 'support-flow, bearer.t.u' }, 'Bearer t.u', { 'sec-websocket-protocol': 'support-flow' }],
    [{ ...upgrade, 'sec-websocket-protocol': 'bearer.t' }, 'Bearer t', {}],
    [{ 'sec-websocket-protocol': 'bearer.t' }, undefined, {}],
    [{ ...upgrade, 'sec-websocket-protocol': 'bearer.' }, undefined, {}],
    [upgrade, undefined, {}],
  ])('with %j has the token %j and gets %j', (headers, authorization, selected) => {
    const socketRequest = request(headers as Record<string, string>)
    expect([readSocketAuthorization(socketRequest), selectProtocol(socketRequest)]).toEqual([authorization, selected])
  })
})

it.each([
  [`12.${'s'.repeat(43)}`, { id: '12', secret: 's'.repeat(43) }],
  [`12.${'s'.repeat(42)}`, { id: `12.${'s'.repeat(42)}`, secret: undefined }],
  ['12', { id: '12', secret: undefined }],
  [null, { id: null, secret: undefined }],
])('reads the Last-Event-ID %j', (value, expected) => {
  expect(readLastEventId(request(value === null ? {} : { 'last-event-id': value }))).toEqual(expected)
})

describe('what is wrong with a body', () => {
  const list = (schema: z.ZodType, value: unknown) => listFieldErrors(schema.safeParse(value).error as z.ZodError, 'body')
  it('is listed with the place of each value', () => {
    const schema = z.strictObject({ a: z.string(), b: z.array(z.int()) })
    expect(list(schema, { a: 1, b: [1, 'x'], c: 1, d: 2 }).map(({ loc, type }) => [loc.join('.'), type])).toEqual([
      ['body.a', 'invalid_type'],
      ['body.b.1', 'invalid_type'],
      ['body.c', 'unknown_key'],
      ['body.d', 'unknown_key'],
    ])
    expect(list(schema, { b: [] })[0]).toMatchObject({ loc: ['body', 'a'], type: 'invalid_type' })
    expect(list(schema, null)[0]).toMatchObject({ loc: ['body'], type: 'invalid_type' })
  })
  it('is that of the alternative that was most likely meant', () => {
    const schema = z.object({
      item: z.union([z.object({ a: z.string(), b: z.string() }), z.object({ a: z.string(), c: z.object({ d: z.string() }) }), z.string()]),
    })
    expect(list(schema, { item: { a: 'x', c: { d: 1 } } }).map(({ loc }) => loc.join('.'))).toEqual(['body.item.c.d'])
    expect(list(schema, { item: { a: 'x' } }).map(({ loc }) => loc.join('.'))).toEqual(['body.item.b'])
  })
})

describe('a stream of events', () => {
  const read = async (produce: Parameters<typeof createEventStream<{ text: string; done: number }>>[1]) => {
    const effects: (() => Promise<unknown>)[] = []
    const content = await createEventStream({ afterCommit: (effect) => void effects.push(effect) }, produce)
    const body = await new Response(content.body as ReadableStream).text()
    return { body, type: content.type, effects: effects.length, completed: await content.completed?.catch((error: Error) => error.message) }
  }
  it('has the events in their order, and completes with the result', async () => {
    const produced = await read(async (send) => {
      send('text', 'a\nb')
      send('done', 1)
      return 'result'
    })
    expect(produced).toEqual({
      ...{ body: 'event: text\ndata: "a\\nb"\n\nevent: done\ndata: 1\n\n', type: 'text/event-stream', effects: 1, completed: 'result' },
    })
  })
  it('ends with an error event after a failure', async () => {
    const produced = await read(async (send) => {
      send('text', 'a')
      throw new Problem('already_claimed', 'Taken')
    })
    expect(produced.body).toBe('event: text\ndata: "a"\n\nevent: error\ndata: {"status":409,"detail":"Taken","code":"already_claimed"}\n\n')
  })
  it('throws a failure before the first event', async () => {
    await expect(read(() => Promise.reject(new Problem('conflict')))).rejects.toMatchObject({ kind: 'conflict' })
  })
  it('continues the work when the client disconnects', async () => {
    const next = Promise.withResolvers<void>()
    const content = await createEventStream<{ text: string }>({ afterCommit: () => {} }, async (send) => {
      send('text', 'a')
      await next.promise
      send('text', 'b')
      return 'result'
    })
    await (content.body as ReadableStream).cancel()
    next.resolve()
    expect(await content.completed).toBe('result')
  })
})

describe('a version that a change is based on', () => {
  it.each([[undefined], [3]])('is the current one: %j', (expected) => {
    expect(() => requireVersion('script', { version: 3 }, expected)).not.toThrow()
  })
  it.each([2, 4])('is another one: %i', (expected) => {
    expect(() => requireVersion('script', { version: 3 }, expected)).toThrow(
      expect.objectContaining({
        kind: 'stale_version',
        message: 'Someone else changed this script. Reload it and apply your change again',
        body: expect.objectContaining({ current_version: 3 }),
      }),
    )
  })
})

describe('the body of a failure', () => {
  it.each([
    [new Problem('not_found', 'Gone'), 404, { detail: 'Gone' }],
    [new Problem('conflict', undefined, { facts: { a: 1 } }), 409, { detail: 'The request conflicts with what is stored', a: 1 }],
    [new Problem('already_claimed'), 409, { detail: 'Another colleague has already claimed this', code: 'already_claimed' }],
    [new Problem('invalid_signature', 'x', { facts: { a: 1 } }), 400, { error: 'invalid_signature' }],
  ])('of %s has its status %i', (problem, status, body) => expect([problem.status, problem.body]).toEqual([status, body]))
  it('of a 401 names the scheme, unless the caller sets a header', () => {
    expect(new Problem('unauthenticated').headers).toEqual({ 'www-authenticate': 'Bearer' })
    expect(new Problem('unauthenticated', undefined, { headers: { 'www-authenticate': 'x' } }).headers).toEqual({ 'www-authenticate': 'x' })
    expect(new Problem('forbidden').headers).toEqual({})
  })
})
