import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { C } from '../../lib/http/app.ts'
import {
  type AnyOperation,
  Content,
  Existing,
  isStaffOperation,
  JsonText,
  listFailures,
  Redirect,
  redirect,
  requiresToken,
  SocketUpgrade,
  stream,
  takesIdempotencyKey,
} from '../../lib/http/operation.ts'
import { renderResult, toResponse, withEtag } from '../../lib/http/response.ts'
import { loadOperations, toRouteGroup, toRoutes } from '../../lib/http/routes.ts'

const operation = (changes: object) =>
  ({ id: 'a.b', method: 'get', path: '/a', access: 'user', limit: 'read', success: 200, ...changes }) as unknown as AnyOperation

describe('the failures of an operation', () => {
  const always = ['internal', 'unavailable', 'rate_limited', 'invalid', 'unauthenticated']
  const guards = ['password_change_required', 'email_not_verified', 'subscription_lapsed', 'mfa_setup_required']
  it.each<[object, string[]]>([
    [{}, [...always, ...guards]],
    [{ access: 'public', limit: 'none' }, ['internal', 'unavailable', 'invalid']],
    [{ access: 'public' }, ['internal', 'unavailable', 'rate_limited', 'invalid']],
    [
      { access: 'signed', limit: 'none', method: 'post' },
      ['internal', 'unavailable', 'invalid_signature', 'too_large', 'unsupported_media', 'invalid'],
    ],
    [{ limit: 'none' }, [...always, ...guards]],
    [{ access: 'admin' }, [...always, ...guards, 'forbidden']],
    [{ skipGuards: 'account' }, [...always, 'password_change_required', 'mfa_setup_required']],
    [{ skipGuards: 'mfa' }, [...always, 'password_change_required']],
    [{ skipGuards: 'all' }, always],
    [{ params: z.object({}) }, [...always, ...guards, 'not_found']],
    [
      { stepUp: true, feature: 'kb_import', errors: ['conflict'] },
      [...always, ...guards, 'step_up_required', 'feature_disabled', 'conflict'],
    ],
    [{ method: 'post' }, [...always, ...guards, 'too_large', 'unsupported_media', 'idempotency_key_in_use']],
    [{ method: 'post', idempotent: false, background: true }, [...always, ...guards, 'too_large', 'unsupported_media', 'limit_reached']],
    [{ method: 'patch' }, [...always, ...guards, 'too_large', 'unsupported_media']],
  ])('with %j are derived from its declaration', (changes, failures) => {
    expect(listFailures(operation(changes)).toSorted()).toEqual(failures.toSorted())
  })
})

it.each<[object, boolean, boolean, boolean]>([
  [{}, true, false, false],
  [{ method: 'post' }, true, true, false],
  [{ method: 'post', idempotent: false }, true, false, false],
  [{ method: 'post', idempotent: 'leased' }, true, true, false],
  [{ method: 'put' }, true, false, false],
  [{ method: 'post', access: 'public' }, false, false, false],
  [{ method: 'post', access: 'signed' }, false, false, false],
  [{ access: 'super_admin', platform: 'why' }, true, false, true],
  [{ access: 'super_admin' }, true, false, false],
  [{ access: 'admin', platform: 'why' }, true, false, false],
])('an operation with %j needs a token: %s, takes a key: %s, and is of staff: %s', (changes, token, takesKey, isStaff) => {
  const op = operation(changes)
  expect([requiresToken(op), takesIdempotencyKey(op), isStaffOperation(op)]).toEqual([token, takesKey, isStaff])
})

it('a stream and a redirect store no answer under a key', () => {
  expect(stream({ ...operation({}), produces: ['text/csv'] } as never)).toMatchObject({ success: 200, idempotent: false })
  expect(redirect(operation({}) as never)).toMatchObject({ success: 307, idempotent: false })
})

it('routes are in the order of their operations', async () => {
  const operations = [operation({}), operation({ id: 'c.d', method: 'post', path: '/c/{id}' })]
  expect(toRoutes(operations)).toEqual({ 'a.b': 'GET /a', 'c.d': 'POST /c/{id}' })
  expect(await loadOperations([toRouteGroup(operations), toRouteGroup([])])).toEqual(operations)
})

describe('a result', () => {
  const returns = z.strictObject({ a: z.int() })
  it.each<[object, unknown, object]>([
    [{ returns }, { a: 1 }, { status: 200, body: '{"a":1}', hasMore: false }],
    [{ returns, success: 201 }, new Existing({ a: 1 }), { status: 200, body: '{"a":1}' }],
    [{ returns, success: 201 }, { a: 1 }, { status: 201 }],
    [{ success: 204 }, undefined, { status: 204, body: '' }],
    [
      { returns: z.array(returns), paged: true },
      { items: [{ a: 1 }], hasMore: true },
      { body: '[{"a":1}]', hasMore: true },
    ],
    [{ returns: z.array(returns), paged: true }, new JsonText('[{"a":1}]', true), { body: '[{"a":1}]', hasMore: true }],
    [{ returns: z.array(returns), paged: true }, new JsonText('[{"a":1}]'), { hasMore: false }],
    [{ success: 307 }, new Redirect('/x'), { status: 307, location: '/x', body: '' }],
    [{}, new SocketUpgrade(() => new Response()), { status: 101, body: '' }],
  ])('of an operation with %j is rendered', (changes, result, expected) => {
    expect(renderResult(operation(changes), result, true)).toMatchObject(expected)
  })
  it('that does not match its schema is an error where answers are checked', () => {
    const op = operation({ returns })
    expect(() => renderResult(op, { a: 'x' }, true)).toThrow(/^a\.b answered a body that does not match its schema: a: /)
    expect(renderResult(op, { a: 'x' }, false).body).toBe('{"a":"x"}')
  })
  it('has an ETag if any cache may store it', async () => {
    const answer = { status: 200, body: '{}' }
    expect((await withEtag(operation({ maxAgeSeconds: 60 }), answer)).etag).toMatch(/^"[\w-]{22}"$/)
    expect(await withEtag(operation({}), answer)).toEqual(answer)
  })
})

describe('a response', () => {
  function respond(op: AnyOperation, rendered: object, headers: Record<string, string> = {}, query = '') {
    const own: Record<string, string> = {}
    const request = new Request(`https://api.example/api/v1/a${query}`, { headers })
    const c = {
      get: () => own,
      req: { raw: request, url: request.url, header: (name: string) => request.headers.get(name) ?? undefined },
    } as unknown as C
    return toResponse(c, op, { status: 200, body: '', ...rendered })
  }
  it.each([
    ['', '?skip=50&limit=50'],
    ['?limit=10', '?limit=10&skip=10'],
    ['?skip=20&limit=10&x=1', '?skip=30&limit=10&x=1'],
  ])('of a page %j links to %s', (query, next) => {
    const op = operation({ paged: true })
    expect(respond(op, { body: '[]', hasMore: true }, {}, query).headers.get('link')).toBe(
      `<https://api.example/api/v1/a${next}>; rel="next"`,
    )
    expect(respond(op, { body: '[]', hasMore: false }).headers.get('link')).toBeNull()
    expect(respond(operation({}), { body: '[]', hasMore: true }).headers.get('link')).toBeNull()
  })
  it('is not sent again to a cache that has it', async () => {
    const op = operation({ maxAgeSeconds: 60 })
    const etag = '"abc"'
    const fresh = respond(op, { body: '{}', etag }, { 'if-none-match': '"old"' })
    expect([fresh.status, fresh.headers.get('etag'), fresh.headers.get('cache-control'), await fresh.text()]).toEqual([
      200,
      etag,
      'public, max-age=60',
      '{}',
    ])
    expect(respond(op, { body: '{}', etag }, { 'if-none-match': `W/"old", ${etag}` }).status).toBe(304)
  })
  it('redirects, and has no body without one', async () => {
    const redirected = respond(operation({}), { status: 307, location: '/x' })
    expect([redirected.status, redirected.headers.get('location'), redirected.headers.get('content-type')]).toEqual([307, '/x', null])
  })
  it.each<[Content, Record<string, string | null>]>([
    [
      new Content('a', 'text/csv', "it's.csv"),
      { 'content-disposition': "attachment; filename*=UTF-8''it%27s.csv", 'x-accel-buffering': null, etag: null },
    ],
    [new Content('a', 'text/event-stream'), { 'x-accel-buffering': 'no', 'content-disposition': null }],
    [
      new Content('a', 'text/html', undefined, '"e"'),
      {
        etag: '"e"',
        'cache-control': 'private, no-cache',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      },
    ],
    [
      new Content('a', 'text/html', undefined, undefined, true),
      { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; sandbox allow-forms" },
    ],
  ])('of content has its headers: %#', (content, expected) => {
    const { headers } = respond(operation({}), { content })
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)]))).toEqual(expected)
  })
  it('of content that the client has is empty, and its stream is cancelled', async () => {
    const cancelled: string[] = []
    const body = new ReadableStream({ cancel: () => void cancelled.push('body') })
    const response = respond(operation({}), { content: new Content(body, 'text/csv', undefined, '"e"') }, { 'if-none-match': '"e"' })
    expect([response.status, cancelled]).toEqual([304, ['body']])
    expect(respond(operation({}), { content: new Content('a', 'text/csv', undefined, '"e"') }, { 'if-none-match': '"e"' }).status).toBe(304)
  })
})
