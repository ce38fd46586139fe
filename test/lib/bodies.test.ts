import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createApp, type Services } from '../../lib/http/app.ts'
import { type AnyOperation, operation } from '../../lib/http/operation.ts'
import { mountOperations } from '../../lib/http/request.ts'
import { expectStatus } from '../support/expect-status.ts'

const services = {
  ports: { config: { CORS_ORIGINS: [], CHECK_RESPONSES: false } },
  limiter: { count: async () => ({ allowed: true, limit: 5, remaining: 4, resetSeconds: 60 }) },
  readClientAddress: () => '192.0.2.1',
  log: () => {},
} as unknown as Services

const publicPost = { method: 'post', limit: 'public', summary: 's', success: 200 } as const
const Note = z.strictObject({ text: z.string() })
const Received = z.strictObject({ kind: z.string(), size: z.int(), name: z.string() })
const operations = [
  operation({
    ...publicPost,
    id: 'files.create',
    path: '/files',
    access: 'public',
    bodyFormat: 'file',
    maxBody: 2000,
    returns: Received,
    handle: async ({ body }) => ({ kind: body.type, size: body.bytes.byteLength, name: body.name }),
  }),
  operation({
    ...publicPost,
    id: 'notes.create',
    path: '/notes',
    access: 'public',
    bodyFormat: 'file',
    body: Note,
    returns: Received,
    handle: async ({ body }) =>
      'bytes' in body
        ? { kind: 'file', size: body.bytes.byteLength, name: body.name }
        : { kind: 'json', size: body.text.length, name: body.text },
  }),
  operation({
    ...publicPost,
    id: 'events.receive',
    path: '/events',
    access: 'signed',
    bodyFormat: 'raw',
    returns: Received,
    handle: async ({ body }) => ({ kind: 'raw', size: body.bytes.byteLength, name: body.headers.get('signature') ?? '' }),
  }),
]
const app = createApp(services)
mountOperations(app, operations as readonly AnyOperation[], services)

async function post(path: string, init: RequestInit) {
  const response = await app.request(`/api/v1${path}`, { method: 'POST', ...init })
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it expects
  return { status: response.status, body: (await response.json()) as any }
}

function buildForm(...parts: [string, string | File][]): FormData {
  const formData = new FormData()
  for (const [name, value] of parts) formData.append(name, value)
  return formData
}
const buildFile = (size = 3) => new File([new Uint8Array(size).fill(255)], 'ünï.png', { type: 'image/png' })

describe('form with a file', () => {
  it('passes the bytes, the name and the type of the file to the handler', async () => {
    expect(await post('/files', { body: buildForm(['file', buildFile()]) })).toEqual({
      status: 200,
      body: { kind: 'image/png', size: 3, name: 'ünï.png' },
    })
  })

  it('reports fields that are missing, unknown, repeated or not a file', async () => {
    const invalidForms: [FormData, [string, string][]][] = [
      [
        buildForm(['other', 'x']),
        [
          ['other', 'unknown_key'],
          ['file', 'missing'],
        ],
      ],
      [buildForm(['file', 'a text']), [['file', 'missing']]],
      [buildForm(['file', buildFile()], ['file', buildFile()]), [['file', 'repeated']]],
    ]
    for (const [body, expectedErrors] of invalidForms) {
      const response = await post('/files', { body })
      expectStatus(response, 422)
      const errors = response.body.errors.map(({ loc, type }: { loc: string[]; type: string }) => [loc[1], type])
      expect(errors).toEqual(expectedErrors)
    }
  })

  it('refuses a body that is not a form, is malformed or is too large', async () => {
    expectStatus(await post('/files', { body: '{}', headers: { 'content-type': 'application/json' } }), 415)
    const malformed = await post('/files', { body: 'no parts', headers: { 'content-type': 'multipart/form-data; boundary=x' } })
    expect([malformed.status, malformed.body.errors[0].type]).toEqual([422, 'invalid_form'])
    expectStatus(await post('/files', { body: '', headers: {} }), 422)
    const large = new Response(buildForm(['file', buildFile(2000)]))
    const headers = { 'content-type': large.headers.get('content-type') ?? '' }
    expectStatus(await post('/files', { body: await large.arrayBuffer(), headers }), 413)
  })

  it('an operation for a file or JSON accepts both', async () => {
    const headers = { 'content-type': 'application/json' }
    expect((await post('/notes', { body: '{"text":"hello"}', headers })).body).toEqual({ kind: 'json', size: 5, name: 'hello' })
    expect((await post('/notes', { body: buildForm(['file', buildFile()]) })).body).toMatchObject({ kind: 'file', size: 3 })
    expectStatus(await post('/notes', { body: '{"text":1}', headers }), 422)
    expectStatus(await post('/notes', { body: 'x', headers: { 'content-type': 'text/plain' } }), 415)
  })
})

it('passes the exact bytes and the headers of a signed body of any type to the handler', async () => {
  const bytes = new Uint8Array([0, 255, 128, 10])
  expect((await post('/events', { body: bytes, headers: { signature: 's' } })).body).toEqual({ kind: 'raw', size: 4, name: 's' })
  expectStatus(await post('/events', { body: new Uint8Array(1024 * 1024 + 1) }), 413)
})
