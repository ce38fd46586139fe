import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createApp } from '#http/app.ts'
import { type AnyOperation, operation } from '#http/operation.ts'
import { mountOperations } from '#http/request.ts'
import { toRouteGroup } from '#http/routes.ts'
import { createStubServices } from '#test/support/stub-services.ts'

const services = createStubServices({ config: { CORS_ORIGINS: [], CHECK_RESPONSES: false } })

const shared = {
  limit: 'public',
  access: 'public',
  summary: 's',
  returns: z.unknown(),
} as const
const Note = z.strictObject({ text: z.string().default('none') })
const operations = [
  operation({
    ...shared,
    id: 'notes.list',
    route: 'GET /notes',
    paged: true,
    query: z.strictObject({ search: z.string().optional() }),
    returns: z.array(z.unknown()),
    handle: async ({ query }) => ({ items: [query], next: null }),
  }),
  operation({
    ...shared,
    id: 'notes.create',
    route: 'POST /notes',
    success: 200,
    body: Note,
    handle: async ({ body }) => body,
  }),
  operation({
    ...shared,
    id: 'notes.update',
    route: 'PATCH /notes/{note_id}',
    params: z.object({ note_id: z.uuid() }),
    maxBody: 100,
    body: Note,
    handle: async ({ body, params }) => ({ ...body, ...params }),
  }),
  operation({
    ...shared,
    id: 'notes.replace',
    route: 'PUT /notes',
    body: Note,
    handle: async ({ body }) => body,
  }),
  operation({
    ...shared,
    id: 'notes.get',
    route: 'GET /notes/{title}',
    params: z.object({ title: z.string() }),
    handle: async ({ params }) => params,
  }),
]
const app = createApp(services)
mountOperations(app, [toRouteGroup(operations as readonly AnyOperation[])], services)

async function send(method: string, path: string, init: RequestInit = {}) {
  const response = await app.request(`/api/v1${path}`, { method, ...init })
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it expects
  return { status: response.status, body: (await response.json()) as any }
}
const json = { 'content-type': 'application/json' }
/** Return place and type of each error of a 422, and the status alone of any other answer. */
async function listErrors(method: string, path: string, init: RequestInit = {}): Promise<unknown> {
  const { status, body } = await send(method, path, init)
  return status === 422
    ? body.errors.map(({ loc, type }: { loc: string[]; type: string }) => `${loc.join('.')} ${type}`)
    : status
}
const id = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d17'

describe('the query of a request', () => {
  it('is parsed with defaults', async () => {
    expect((await send('GET', '/notes')).body).toEqual([{ skip: 0, limit: 50 }])
    expect((await send('GET', '/notes?limit=7&search=a+b%26c')).body).toEqual([
      { skip: 0, limit: 7, search: 'a b&c' },
    ])
  })

  it('has invalid UTF-8 replaced, and an empty value where none is given', async () => {
    expect((await send('GET', '/notes?search=%FFx')).body[0].search).toBe('\ufffdx')
    expect((await send('GET', '/notes?search')).body[0].search).toBe('')
  })

  it.each([
    ['limit=0', ['query.limit too_small']],
    ['nope=1', ['query.nope unknown_key']],
    ['=1', ['query. unknown_key']],
    ['limit=1&limit=2', ['query.limit repeated']],
    ['limit=1&limit=2&limit=x', ['query.limit repeated', 'query.limit repeated', 'query.limit invalid_type']],
    ['search=a%00', ['query.search invalid_text']],
    ['limit=1', 200],
  ])('is refused where it is wrong: %s', async (query, errors) => {
    expect(await listErrors('GET', `/notes?${query}`)).toEqual(errors)
  })
})

describe('a path parameter', () => {
  it('is decoded', async () => {
    expect((await send('GET', '/notes/a%20%C3%B6')).body).toEqual({ title: 'a ö' })
  })

  it('leads to 404 when it cannot be stored', async () => {
    expect((await send('GET', '/notes/a%00')).status).toBe(404)
  })
})

describe('the body of a request', () => {
  it('is required by POST, with and without a media type', async () => {
    for (const init of [{}, { headers: json }, { headers: json, body: '' }])
      expect(await listErrors('POST', '/notes', init)).toEqual(['body missing'])
    expect((await send('POST', '/notes', { headers: json, body: '{}' })).body).toEqual({ text: 'none' })
  })

  it.each(['null', '[]', '"text"', '7'])(
    'is refused for its type, and not as missing, when it is %s',
    async (body) => {
      expect(await listErrors('POST', '/notes', { headers: json, body })).toEqual(['body invalid_type'])
    },
  )

  it('changes nothing when PATCH or PUT has none', async () => {
    expect((await send('PUT', '/notes')).body).toEqual({ text: 'none' })
    for (const init of [{}, { headers: json, body: '' }])
      expect((await send('PATCH', `/notes/${id}`, init)).body).toEqual({ text: 'none', note_id: id })
  })

  it('is refused together with the query', async () => {
    expect(
      await listErrors('POST', '/notes?nope=1&nope=2', { headers: json, body: '{"text":1,"a\\u0000":2}' }),
    ).toEqual([
      'query.nope repeated',
      'query.nope unknown_key',
      'body invalid_text',
      'body.text invalid_type',
      'body.a\u0000 unknown_key',
    ])
  })

  it.each([
    ['404 for a malformed id', 'nope?nope=1', 'text/plain', 'x'.repeat(101), 404],
    ['404 for an id with text that cannot be stored', '%00', 'application/json', '{}', 404],
    ['413 for its size', `${id}?nope=1`, 'text/plain', 'x'.repeat(101), 413],
    ['415 for its media type', `${id}?nope=1`, 'text/plain', 'x', 415],
    [
      '422 for the rest',
      `${id}?nope=1`,
      'application/json',
      '{',
      ['query.nope unknown_key', 'body invalid_json'],
    ],
  ])('is refused in the order of the contract: %s', async (_, path, type, body, expected) => {
    expect(await listErrors('PATCH', `/notes/${path}`, { headers: { 'content-type': type }, body })).toEqual(
      expected,
    )
  })
})
