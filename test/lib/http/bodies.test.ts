import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createApp } from '#http/app.ts'
import { type AnyOperation, operation } from '#http/operation.ts'
import { mountOperations } from '#http/request.ts'
import { toRouteGroup } from '#http/routes.ts'
import { findInexactNumber } from '#rules/text/json.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createStubServices } from '#test/support/stub-services.ts'

const services = createStubServices({ config: { CORS_ORIGINS: [], CHECK_RESPONSES: false } })

const publicPost = { limit: 'public', summary: 's' } as const
const Note = z.strictObject({ text: z.string() })
const Received = z.strictObject({ kind: z.string(), size: z.int(), name: z.string() })
const operations = [
  operation({
    ...publicPost,
    id: 'files.create',
    route: 'POST /files',
    success: 200,
    access: 'public',
    bodyFormat: 'file',
    maxBody: 2000,
    returns: Received,
    handle: async ({ body }) => ({ kind: body.type, size: body.bytes.byteLength, name: body.name }),
  }),
  operation({
    ...publicPost,
    id: 'notes.create',
    route: 'POST /notes',
    success: 200,
    maxBody: 1024 * 1024,
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
    route: 'POST /events',
    success: 200,
    access: 'signed',
    bodyFormat: 'raw',
    returns: Received,
    handle: async ({ body }) => ({
      kind: 'raw',
      size: body.bytes.byteLength,
      name: body.headers.get('signature') ?? '',
    }),
  }),
]
const app = createApp(services)
mountOperations(app, [toRouteGroup(operations as readonly AnyOperation[])], services)

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
      const errors = response.body.errors.map(({ loc, type }: { loc: string[]; type: string }) => [
        loc[1],
        type,
      ])
      expect(errors).toEqual(expectedErrors)
    }
  })

  it('refuses a body that is not a form, is malformed or is too large', async () => {
    expectStatus(await post('/files', { body: '{}', headers: { 'content-type': 'application/json' } }), 415)
    const malformed = await post('/files', {
      body: 'no parts',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    })
    expect([malformed.status, malformed.body.errors[0].type]).toEqual([422, 'invalid_form'])
    expectStatus(await post('/files', { body: '', headers: {} }), 422)
    const large = new Response(buildForm(['file', buildFile(2000)]))
    const headers = { 'content-type': large.headers.get('content-type') ?? '' }
    expectStatus(await post('/files', { body: await large.arrayBuffer(), headers }), 413)
  })

  it.each([
    'multipart/form-data; xboundary=ZZZZ; boundary=a',
    'multipart/form-data; x="; boundary=ZZZZ"; boundary=a',
    'multipart/form-data; boundary=ZZZZ; boundary=a',
    'multipart/form-data; BOUNDARY="a"',
    'multipart/form-data; boundary="\\a"',
  ])('WIR-30 counts the parts of a form by the boundary that separates them: %s', async (type) => {
    const part = '--a\r\ncontent-disposition: form-data; name="x"\r\n\r\n\r\n'
    const { status, body } = await post('/files', {
      body: `${part.repeat(21)}--a--`,
      headers: { 'content-type': type },
    })
    expect([status, body.errors[0].type]).toEqual([422, 'invalid_form'])
  })

  it.each([
    ['many headers', 'a: b\r\n'.repeat(2000)],
    ['a long header', `a: ${'b'.repeat(10_000)}\r\n`],
    ['a long file name', `content-disposition: form-data; name="file"; filename="${'%22'.repeat(4000)}"\r\n`],
    [
      'many parameters',
      `content-disposition: form-data; name="file"${'; a="b"'.repeat(2000)}; filename="x"\r\n`,
    ],
    ['no end', 'a: b\r\n--ZZZZ--'],
  ])('WIR-30 refuses a part of a form whose head has %s before it is parsed', async (_, head) => {
    const file = 'content-disposition: form-data; name="file"; filename="x"\r\n'
    const { status, body } = await post('/notes', {
      body: `--ZZZZ\r\n${file}${head}\r\nabc\r\n--ZZZZ--`,
      headers: { 'content-type': 'multipart/form-data; boundary=ZZZZ' },
    })
    expect([status, body.errors?.[0].type]).toEqual([422, 'invalid_form'])
  })

  it('accepts a boundary in quotation marks beside other parameters', async () => {
    const file = '--a b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\nabc\r\n--a b--'
    const headers = { 'content-type': 'multipart/form-data; charset=utf-8; boundary="a b"' }
    expectStatus(await post('/files', { body: file, headers }), 200)
  })

  it('an operation for a file or JSON accepts both', async () => {
    const headers = { 'content-type': 'application/json' }
    expect((await post('/notes', { body: '{"text":"hello"}', headers })).body).toEqual({
      kind: 'json',
      size: 5,
      name: 'hello',
    })
    expect((await post('/notes', { body: buildForm(['file', buildFile()]) })).body).toMatchObject({
      kind: 'file',
      size: 3,
    })
    expectStatus(await post('/notes', { body: '{"text":1}', headers }), 422)
    expectStatus(await post('/notes', { body: 'x', headers: { 'content-type': 'text/plain' } }), 415)
  })
})

it('passes the exact bytes and the headers of a signed body of any type to the handler', async () => {
  const bytes = new Uint8Array([0, 255, 128, 10])
  expect((await post('/events', { body: bytes, headers: { signature: 's' } })).body).toEqual({
    kind: 'raw',
    size: 4,
    name: 's',
  })
  expectStatus(await post('/events', { body: new Uint8Array(1024 * 1024 + 1) }), 413)
})

describe('WIR-31', () => {
  const headers = { 'content-type': 'application/json' }
  const postNote = (note: unknown) => post('/notes', { body: JSON.stringify(note), headers })
  const manyKeys = (count: number, key: (n: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [key(n), 0]))

  it.each([
    ['unknown fields', manyKeys(80_001, (n) => `k${n}`), 80_001],
    ['texts that cannot be stored', { text: '', list: Array(80_000).fill('\0') }, 80_001],
  ])('lists 50 errors of a body with many %s, and their number', async (_, note, count) => {
    const { status, body } = await postNote(note)
    expect([status, body.errors.length, body.error_count]).toEqual([422, 50, count])
    expect(body.detail).toBe('The request is not valid; 50 of 80,001 errors are listed')
    expect(JSON.stringify(body).length).toBeLessThan(10_000)
  })

  it('lists 50 errors without a number, and shortens long keys', async () => {
    const { body } = await postNote({ text: '', ...manyKeys(50, (n) => `${n}${'k'.repeat(10_000)}`) })
    expect([body.errors.length, body.error_count]).toEqual([50, undefined])
    expect(JSON.stringify(body).length).toBeLessThan(20_000)
  })
})

describe('the bytes of a body', () => {
  const postBytes = async (bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
    const response = await app.request('/api/v1/notes', {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/json', ...headers },
    })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as { errors?: { type: string; msg: string }[]; name?: string },
    }
  }
  const toBytes = (text: string) => new TextEncoder().encode(text)

  it('WIR-59 that are not UTF-8 are refused, because their letters would be lost', async () => {
    const latin1 = Uint8Array.from('{"text":"M\u00fcller"}', (letter) => letter.charCodeAt(0))
    const { status, body } = await postBytes(latin1)
    expect([status, body.errors?.map(({ type }) => type)]).toEqual([422, ['invalid_encoding']])
    expect((await postBytes(toBytes('{"text":"M\u00fcller"}'))).body.name).toBe('M\u00fcller')
  })

  it.each(['gzip', 'br', 'GZIP, identity'])(
    'WIR-60 that are compressed by %s are 415, with what is accepted',
    async (encoding) => {
      const { status, headers } = await postBytes(toBytes('{"text":"a"}'), { 'content-encoding': encoding })
      expect([status, headers.get('accept-encoding')]).toEqual([415, 'identity'])
      expect((await postBytes(toBytes('{"text":"a"}'), { 'content-encoding': 'identity' })).status).toBe(200)
    },
  )

  it('WIR-61 that end before their length are 422, not a failure of the service', async () => {
    const stream = new ReadableStream({ start: (controller) => controller.error(new Error('ECONNRESET')) })
    const headers = { 'content-type': 'application/json', 'content-length': '100' }
    const request = new Request('http://x/api/v1/notes', {
      method: 'POST',
      body: stream,
      headers,
      duplex: 'half',
    } as RequestInit)
    const response = await app.request(request)
    expect([response.status, ((await response.json()) as { detail: string }).detail]).toEqual([
      422,
      expect.stringContaining('complete'),
    ])
  })

  it.each([
    ['{"text":12345678901234567890}', '12345678901234567890'],
    ['{"text":-9007199254740993}', '-9007199254740993'],
    ['{"text":[1,{"a":3.14159265358979323846}]}', '3.14159265358979323846'],
    ['{"text":123456789012345678e3}', '123456789012345678e3'],
  ])('WIR-62 with a number whose digits would change are refused: %s', async (json, number) => {
    const { status, body } = await postBytes(toBytes(json))
    expect([status, body.errors]).toEqual([
      422,
      [expect.objectContaining({ type: 'inexact_number', msg: expect.stringContaining(number) })],
    ])
  })

  it.each([
    '9007199254740991',
    '0.10000000000000001',
    '1e400',
    '100000000000000000000',
    '"12345678901234567890"',
    '1764125000000000',
  ])('WIR-62 with %s are no such case', (value) =>
    expect(findInexactNumber(`{"a":${value}}`)).toBeUndefined(),
  )
})
