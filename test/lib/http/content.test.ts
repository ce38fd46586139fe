import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Env } from '#http/app.ts'
import { createApp } from '#http/app.ts'
import { buildOpenApi } from '#http/openapi/document.ts'
import { type AnyOperation, Content, JsonText, operation, stream } from '#http/operation.ts'
import { mountOperations } from '#http/request.ts'
import { toRouteGroup } from '#http/routes.ts'
import { Problem } from '#problem.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createStubServices } from '#test/support/stub-services.ts'

/**
 * Create the real app with the operations of a test. These operations need no database and no other service.
 */
function createTestApp(operations: AnyOperation[]) {
  const logLines: Record<string, unknown>[] = []
  const services = createStubServices({ log: (line) => logLines.push(line) })
  const app: Hono<Env> = createApp(services)
  mountOperations(app, [toRouteGroup(operations)], services)
  const call = (path: string, init?: RequestInit) => app.request(`http://api.test/api/v1${path}`, init)
  return { call, logLines }
}

const publicOperation = { access: 'public', limit: 'public', summary: 's' } as const
const createDownload = (body: Content['body'], type: string, filename?: string) =>
  stream({
    ...publicOperation,
    id: 'things.download',
    route: 'GET /things/{thing_id}/download',
    params: z.object({ thing_id: z.uuid() }),
    produces: ['text/markdown'],
    handle: async () => new Content(body, type, filename),
  })
const path = '/things/01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d11/download'

describe('a stream operation', () => {
  it.each([
    ['a text', '# Žofie'],
    ['bytes', new TextEncoder().encode('# Žofie')],
    ['a stream', new Blob(['# Ž', 'ofie']).stream()],
  ])('returns %s unchanged, with its type, headers and file name', async (_, body) => {
    const response = await createTestApp([
      createDownload(body, 'text/markdown; charset=utf-8', 'Ünïcode "name".md'),
    ]).call(path)
    expect([response.status, await response.text()]).toEqual([200, '# Žofie'])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'content-disposition': `attachment; filename="unicode-name.md"; filename*=UTF-8''%C3%9Cn%C3%AFcode%20%22name%22.md`,
      'ratelimit-limit': '5',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'x-request-id': expect.any(String),
    })
  })

  it.each(["it's (a) *name*!", 'a\r\nset-cookie: x=1', '../../etc/passwd', '😀.pdf'])(
    'returns any file name as one header value: %j',
    async (name) => {
      const response = await createTestApp([createDownload('x', 'text/plain', name)]).call(path)
      const value = response.headers.get('content-disposition') ?? ''
      // RFC 8187 allows only these characters without percent encoding.
      expect(value).toMatch(
        /^attachment; filename="[a-z\d.-]+"; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+$/,
      )
      expect(decodeURIComponent(value.split("''")[1] ?? '')).toBe(name)
      expect(response.headers.get('set-cookie')).toBeNull()
    },
  )

  it('forwards events immediately, and cancels the stream when the client disconnects', async () => {
    let cancelled = false
    const events = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
      cancel: () => {
        cancelled = true
      },
    })
    const response = await createTestApp([createDownload(events, 'text/event-stream')]).call(path)
    expect(response.headers.get('content-disposition')).toBeNull()
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 1\n\n')
    await reader?.cancel()
    expect(cancelled).toBe(true)
  })

  it('returns errors as JSON', async () => {
    const failingOperation: AnyOperation = {
      ...createDownload('x', 'text/plain'),
      errors: ['schedule_busy'],
      handle: async () => Promise.reject(new Problem('schedule_busy', 'Not now')),
    }
    const { call } = createTestApp([failingOperation])
    expectStatus(await call('/things/x/download'), 404)
    const response = await call(path)
    expect([response.status, await response.json()]).toEqual([
      409,
      { detail: 'Not now', code: 'schedule_busy' },
    ])
    expectStatus(await call(`${path}?unknown=1`), 422)
  })

  it('has an OpenAPI description with its media types and without an Idempotency-Key header', () => {
    const downloadOperation = createDownload('x', 'text/markdown')
    const document = buildOpenApi([downloadOperation], [], '1') as {
      paths: Record<
        string,
        { get: { responses: Record<string, { content: object }>; parameters: { in: string }[] } }
      >
    }
    const documented = document.paths['/api/v1/things/{thing_id}/download']?.get
    expect(Object.keys(documented?.responses['200']?.content ?? {})).toEqual(['text/markdown'])
    expect(documented?.parameters.filter((parameter) => parameter.in === 'header')).toEqual([])
  })
})

describe('an operation', () => {
  const things = operation({
    ...publicOperation,
    id: 'things.list',
    route: 'GET /things',
    paged: true,
    returns: z.array(z.strictObject({ n: z.int() })),
    handle: async ({ query: { skip, limit } }) => ({
      items: Array.from({ length: limit }, (_, n) => ({ n: skip + n })),
      next: skip + limit < 10 ? { skip: skip + limit } : null,
    }),
  })

  it('links to the next page only if there is one, and keeps the other query parameters', async () => {
    const { call } = createTestApp([things])
    const firstPage = await call('/things?limit=4')
    expect(firstPage.headers.get('link')).toBe(
      '<http://127.0.0.1:1/api/v1/things?limit=4&skip=4>; rel="next"',
    )
    expect((await call('/things?limit=4&skip=6')).headers.get('link')).toBeNull()
  })

  it('returns JSON from the database unchanged, and an empty body for 204', async () => {
    const jsonOperation = operation({
      ...publicOperation,
      id: 'a.text',
      route: 'GET /text',
      returns: z.int(),
      handle: async () => new JsonText('7'),
    })
    const deleteOperation = operation({
      ...publicOperation,
      id: 'a.gone',
      route: 'DELETE /gone',
      handle: async () => undefined,
    })
    const { call } = createTestApp([jsonOperation, deleteOperation])
    expect(await (await call('/text')).text()).toBe('7')
    const response = await call('/gone', { method: 'DELETE' })
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([
      204,
      '',
      null,
    ])
  })

  it.each([
    ['a result of another shape', async () => ({ items: [{ n: 'secret-canary' }], more: false })],
    ['an exception', async () => Promise.reject(new Error('secret-canary'))],
  ])('returns 500 without details for %s, and logs the error', async (_, handle) => {
    const { call, logLines } = createTestApp([{ ...things, handle } as AnyOperation])
    const response = await call('/things')
    expect([response.status, await response.json()]).toEqual([500, { detail: 'Internal error' }])
    expect(logLines).toMatchObject([
      {
        operation: 'things.list',
        status: 500,
        error: { name: expect.any(String), stack: expect.any(Array) },
      },
    ])
    expect(JSON.stringify(logLines)).not.toContain('secret-canary')
  })
})
