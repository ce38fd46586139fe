import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseConfig } from '../../lib/config.ts'
import type { Env, Services } from '../../lib/http/app.ts'
import { createApp } from '../../lib/http/app.ts'
import { openApi } from '../../lib/http/openapi.ts'
import { type AnyOperation, Content, JsonText, operation, stream } from '../../lib/http/operation.ts'
import { mountOperations } from '../../lib/http/request.ts'
import { Problem } from '../../lib/problem.ts'
import { expectStatus } from '../support/answers.ts'
import { shared } from '../support/app.ts'

const allowed = { allowed: true, limit: 5, remaining: 4, resetSeconds: 60 }

/** The real app around operations of the test's own: nothing here reaches a dependency. */
function appOf(operations: AnyOperation[]) {
  const log: Record<string, unknown>[] = []
  const services = {
    ports: { config: parseConfig(shared().settings) },
    limiter: { take: async () => allowed },
    log: (line: Record<string, unknown>) => log.push(line),
  } as unknown as Services
  const app: Hono<Env> = createApp(services)
  mountOperations(app, operations, services)
  const call = (path: string, init?: RequestInit) => app.request(`http://api.test/api/v1${path}`, init)
  return { call, log }
}

const visitor = { access: 'public', limit: 'public', summary: 's' } as const
const download = (body: Content['body'], type: string, filename?: string) =>
  stream({
    ...visitor,
    id: 'things.download',
    method: 'get',
    path: '/things/{thing_id}/download',
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
  ])('answers %s as it is, with its type, its headers and its name', async (_, body) => {
    const answer = await appOf([download(body, 'text/markdown; charset=utf-8', 'Ünïcode "name".md')]).call(path)
    expect([answer.status, await answer.text()]).toEqual([200, '# Žofie'])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'content-disposition': `attachment; filename*=UTF-8''%C3%9Cn%C3%AFcode%20%22name%22.md`,
      'ratelimit-limit': '5',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'x-request-id': expect.any(String),
    })
  })

  it.each(["it's (a) *name*!", 'a\r\nset-cookie: x=1', '../../etc/passwd', '😀.pdf'])(
    'a file name of any kind is one header value: %j',
    async (name) => {
      const answer = await appOf([download('x', 'text/plain', name)]).call(path)
      const value = answer.headers.get('content-disposition') ?? ''
      // RFC 8187: only these need no percent sign.
      expect(value).toMatch(/^attachment; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+$/)
      expect(decodeURIComponent(value.split("''")[1] ?? '')).toBe(name)
      expect(answer.headers.get('set-cookie')).toBeNull()
    },
  )

  it('hands events on as they come, and is told when the client leaves', async () => {
    let cancelled = false
    const events = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
      cancel: () => {
        cancelled = true
      },
    })
    const answer = await appOf([download(events, 'text/event-stream')]).call(path)
    expect(answer.headers.get('content-disposition')).toBeNull()
    const reader = answer.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 1\n\n')
    await reader?.cancel()
    expect(cancelled).toBe(true)
  })

  it('refuses like any other operation, in JSON', async () => {
    const refusing = {
      ...download('x', 'text/plain'),
      handle: async () => Promise.reject(new Problem('conflict', 'Not now', { code: 'busy' })),
    }
    const { call } = appOf([refusing])
    expectStatus(await call('/things/x/download'), 404)
    const answer = await call(path)
    expect([answer.status, await answer.json()]).toEqual([409, { detail: 'Not now', code: 'busy' }])
    expectStatus(await call(`${path}?unknown=1`), 422)
  })

  it('takes no Idempotency-Key, and documents its media types', () => {
    const op = download('x', 'text/markdown')
    const document = openApi([op], '1') as {
      paths: Record<string, { get: { responses: Record<string, { content: object }>; parameters: { in: string }[] } }>
    }
    const described = document.paths['/api/v1/things/{thing_id}/download']?.get
    expect(Object.keys(described?.responses['200']?.content ?? {})).toEqual(['text/markdown'])
    expect(described?.parameters.filter((parameter) => parameter.in === 'header')).toEqual([])
  })
})

describe('an operation', () => {
  const things = operation({
    ...visitor,
    id: 'things.list',
    method: 'get',
    path: '/things',
    paged: true,
    success: 200,
    returns: z.array(z.strictObject({ n: z.int() })),
    handle: async ({ query: { skip, limit } }) => ({
      items: Array.from({ length: limit }, (_, n) => ({ n: skip + n })),
      more: skip + limit < 10,
    }),
  })

  it('names the next page exactly when rows follow, with the rest of the query kept', async () => {
    const { call } = appOf([things])
    const first = await call('/things?limit=4')
    expect(first.headers.get('link')).toBe('<http://api.test/api/v1/things?limit=4&skip=4>; rel="next"')
    expect((await call('/things?limit=4&skip=6')).headers.get('link')).toBeNull()
  })

  it('answers what the database wrote without reading it, and nothing for 204', async () => {
    const text = operation({
      ...visitor,
      id: 'a.text',
      method: 'get',
      path: '/text',
      success: 200,
      returns: z.int(),
      handle: async () => new JsonText('7'),
    })
    const gone = operation({ ...visitor, id: 'a.gone', method: 'delete', path: '/gone', success: 204, handle: async () => undefined })
    const { call } = appOf([text, gone])
    expect(await (await call('/text')).text()).toBe('7')
    const answer = await call('/gone', { method: 'DELETE' })
    expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([204, '', null])
  })

  it.each([
    ['another shape', async () => ({ items: [{ n: 'secret-canary' }], more: false })],
    ['an exception', async () => Promise.reject(new Error('secret-canary'))],
  ])('with %s is 500, says nothing of why, and logs where', async (_, handle) => {
    const { call, log } = appOf([{ ...things, handle } as AnyOperation])
    const answer = await call('/things')
    expect([answer.status, await answer.json()]).toEqual([500, { detail: 'Internal error' }])
    expect(log).toMatchObject([{ operation: 'things.list', status: 500, error: { name: expect.any(String), stack: expect.any(Array) } }])
    expect(JSON.stringify(log)).not.toContain('secret-canary')
  })
})
