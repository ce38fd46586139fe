import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compressResponse } from '#platform/node/compress.ts'
import { serveHttp } from '#platform/node/server.ts'

const long = JSON.stringify(Array.from({ length: 100 }, (_, n) => ({ id: n, name: 'مكتب' })))
const answer = (type: string, body: BodyInit | null, headers = {}) =>
  new Response(body, { headers: { 'content-type': type, ...headers } })
const ask = (accepted: string | undefined, response: Response, method = 'GET') =>
  compressResponse(
    new Request('http://x/', {
      method,
      headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
    }),
    response,
  )

describe('INS-12 a response on Node', () => {
  it.each([
    'application/json; charset=utf-8',
    'application/problem+json',
    'text/csv; charset=utf-8',
    'image/svg+xml',
  ])('of the type %s is compressed', async (type) => {
    const response = await ask('gzip, deflate, br', answer(type, long, { etag: '"a"', vary: 'Origin' }))
    const names = ['content-encoding', 'content-type', 'etag', 'vary']
    expect(names.map((name) => response.headers.get(name))).toEqual([
      'gzip',
      type,
      'W/"a"',
      'Origin, Accept-Encoding',
    ])
    const body = Buffer.from(await response.arrayBuffer())
    expect(body.length).toBeLessThan(long.length / 3)
    expect(gunzipSync(body).toString()).toBe(long)
  })

  it.each(['gzip', 'GZIP', 'deflate, gzip;q=0.5', 'gzip;q=1.0, *;q=0', 'br , gzip ; q=0.05'])(
    'is compressed for %s',
    async (accepted) => {
      expect((await ask(accepted, answer('application/json', long))).headers.get('content-encoding')).toBe(
        'gzip',
      )
    },
  )
  it.each([undefined, '', 'br', 'identity', 'gzip;q=0', 'gzip;q=0.0', 'gzip;q=0.000, br', 'x-gzip'])(
    'is not compressed for %s',
    async (accepted) => {
      const response = await ask(accepted, answer('application/json', long))
      expect([response.headers.get('content-encoding'), await response.text()]).toEqual([null, long])
    },
  )

  it.each([
    ['a page', answer('text/html; charset=utf-8', long)],
    ['a short text', answer('application/json', long.slice(0, 500))],
    ['one that is compressed', answer('application/json', long, { 'content-encoding': 'br' })],
    ['an archive', answer('application/zip', long)],
    ['no body', new Response(null, { status: 304, headers: { 'content-type': 'application/json' } })],
  ])('is left as it is: %s', async (_, response) => {
    const before = [response.status, response.headers.get('content-encoding'), await response.clone().text()]
    const after = await ask('gzip', response)
    expect([after.status, after.headers.get('content-encoding'), await after.text()]).toEqual(before)
  })
  it('to HEAD is left as it is', async () => {
    expect(
      (await ask('gzip', answer('application/json', null), 'HEAD')).headers.get('content-encoding'),
    ).toBeNull()
  })

  it('of events is sent as it comes', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const server = await serveHttp(
      { fetch: () => answer('text/event-stream', readable) },
      { port: 0, host: '127.0.0.1' },
    )
    onTestFinished(() => server.close(1))
    const response = await fetch(`http://127.0.0.1:${server.port}/`)
    const reader = response.body?.getReader()
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      await writer.write(new TextEncoder().encode(event))
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(event)
    }
    await writer.close()
    expect((await reader?.read())?.done).toBe(true)
  })
  it('over HTTP has the length of what is sent', async () => {
    const server = await serveHttp(
      { fetch: () => answer('application/json', long) },
      { port: 0, host: '127.0.0.1' },
    )
    onTestFinished(() => server.close(1))
    const response = await fetch(`http://127.0.0.1:${server.port}/`)
    expect([response.headers.get('content-encoding'), await response.text()]).toEqual(['gzip', long])
    expect(Number(response.headers.get('content-length'))).toBeLessThan(long.length / 3)
  })
})
