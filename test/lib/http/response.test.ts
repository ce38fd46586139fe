import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { C } from '#http/app.ts'
import { type AnyOperation, Content, Existing, JsonText, Redirect, SocketUpgrade } from '#http/operation.ts'
import { renderResult, toResponse, withEtag } from '#http/response.ts'
import { createStubOperation } from '#test/support/stub-operation.ts'

describe('a result', () => {
  const returns = z.strictObject({ a: z.int() })
  it.each<[object, unknown, object]>([
    [{ returns }, { a: 1 }, { status: 200, body: '{"a":1}', next: null }],
    [{ returns, success: 201 }, new Existing({ a: 1 }), { status: 200, body: '{"a":1}' }],
    [{ returns, success: 201 }, { a: 1 }, { status: 201 }],
    [{ success: 204 }, undefined, { status: 204, body: '' }],
    [
      { returns: z.array(returns), paged: true },
      { items: [{ a: 1 }], next: { skip: 1 } },
      { body: '[{"a":1}]', next: { skip: 1 } },
    ],
    [
      { returns: z.array(returns), paged: true },
      new JsonText('[{"a":1}]', { skip: 1 }),
      { body: '[{"a":1}]', next: { skip: 1 } },
    ],
    [{ returns: z.array(returns), paged: true }, new JsonText('[{"a":1}]'), { next: null }],
    [{ success: 307 }, new Redirect('/x'), { status: 307, location: '/x', body: '' }],
    [{}, new SocketUpgrade(() => new Response()), { status: 101, body: '' }],
  ])('of an operation with %j is rendered', (changes, result, expected) => {
    expect(renderResult(createStubOperation(changes), result, true)).toMatchObject(expected)
  })
  it('that does not match its schema is an error where answers are checked', () => {
    const op = createStubOperation({ returns })
    expect(() => renderResult(op, { a: 'x' }, true)).toThrow(
      /^a\.b answered a body that does not match its schema: a: /,
    )
    expect(renderResult(op, { a: 'x' }, false).body).toBe('{"a":"x"}')
  })
  it('has an ETag if any cache may store it', async () => {
    const answer = { status: 200, body: '{}' }
    expect((await withEtag(createStubOperation({ transport: { maxAgeSeconds: 60 } }), answer)).etag).toMatch(
      /^"[\w-]{22}"$/,
    )
    expect(await withEtag(createStubOperation({}), answer)).toEqual(answer)
  })
})

describe('a response', () => {
  function respond(op: AnyOperation, rendered: object, headers: Record<string, string> = {}, query = '') {
    const own: Record<string, string> = {}
    const request = new Request(`http://10.0.0.1:8080/api/v1/a${query}`, { headers })
    const c = {
      get: () => own,
      req: {
        raw: request,
        url: request.url,
        header: (name: string) => request.headers.get(name) ?? undefined,
      },
    } as unknown as C
    return toResponse(c, op, { status: 200, body: '', ...rendered }, 'https://api.example')
  }
  it.each([
    ['', '?limit=50&after=abc'],
    ['?limit=10', '?limit=10&after=abc'],
    ['?skip=20&limit=10&x=1', '?limit=10&x=1&after=abc'],
    ['?after=aaa&limit=10&x=1', '?after=abc&limit=10&x=1'],
  ])('WIR-57 of a page %j links to %s at the public address, not at that of a proxy', (query, next) => {
    const op = createStubOperation({ paged: true })
    expect(respond(op, { body: '[]', next: { after: 'abc' } }, {}, query).headers.get('link')).toBe(
      `<https://api.example/api/v1/a${next}>; rel="next"`,
    )
    expect(respond(op, { body: '[]', next: null }).headers.get('link')).toBeNull()
    expect(
      respond(createStubOperation({}), { body: '[]', next: { after: 'abc' } }).headers.get('link'),
    ).toBeNull()
  })
  it('is not sent again to a cache that has it', async () => {
    const op = createStubOperation({ transport: { maxAgeSeconds: 60 } })
    const etag = '"abc"'
    const fresh = respond(op, { body: '{}', etag }, { 'if-none-match': '"old"' })
    expect([
      fresh.status,
      fresh.headers.get('etag'),
      fresh.headers.get('cache-control'),
      await fresh.text(),
    ]).toEqual([200, etag, 'public, max-age=60', '{}'])
    expect(respond(op, { body: '{}', etag }, { 'if-none-match': `W/"old", ${etag}` }).status).toBe(304)
  })
  it('redirects, and has no body without one', async () => {
    const redirected = respond(createStubOperation({}), { status: 307, location: '/x' })
    expect([
      redirected.status,
      redirected.headers.get('location'),
      redirected.headers.get('content-type'),
    ]).toEqual([307, '/x', null])
  })
  it.each<[Content, Record<string, string | null>]>([
    [
      new Content('a', 'text/csv', "it's.csv"),
      {
        'content-disposition': `attachment; filename="it-s.csv"; filename*=UTF-8''it%27s.csv`,
        'x-accel-buffering': null,
        etag: null,
      },
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
      {
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; sandbox allow-forms",
      },
    ],
  ])('of content has its headers: %#', (content, expected) => {
    const { headers } = respond(createStubOperation({}), { content })
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)]))).toEqual(
      expected,
    )
  })
  it('of content that the client has is empty, and its stream is cancelled', async () => {
    const cancelled: string[] = []
    const body = new ReadableStream({ cancel: () => void cancelled.push('body') })
    const response = respond(
      createStubOperation({}),
      { content: new Content(body, 'text/csv', undefined, '"e"') },
      { 'if-none-match': '"e"' },
    )
    expect([response.status, cancelled]).toEqual([304, ['body']])
    expect(
      respond(
        createStubOperation({}),
        { content: new Content('a', 'text/csv', undefined, '"e"') },
        { 'if-none-match': '"e"' },
      ).status,
    ).toBe(304)
  })
})
