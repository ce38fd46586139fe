import { createServer } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { listen } from '#platform/node/server.ts'
import { runInTrace } from '#trace.ts'
import { AnswerTooLongError, createBoundedFetch } from '#vendors/net/bounded-fetch.ts'

// Answers with as many bytes as the path says, in one part with their number or, for `/chunked/…`, in parts
// without it.
const server = createServer((request, response) => {
  const [, first = '', second] = (request.url ?? '').split('/')
  const size = Number(second ?? first)
  if (second === undefined) response.writeHead(200, { 'content-length': size })
  for (let sent = 0; sent < size; sent += 4) response.write('x'.repeat(Math.min(4, size - sent)))
  response.end()
})
const origin = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const fetchBounded = createBoundedFetch('link', { timeoutMs: 5000, maxBytes: 10 })

describe.each(['', 'chunked/'])('an answer of /%s', (path) => {
  it.each([0, 1, 10])('of %i bytes is read', async (size) => {
    expect(await (await fetchBounded(`${origin}/${path}${size}`)).text()).toBe('x'.repeat(size))
  })
  it.each([11, 1000])('of %i bytes is refused', async (size) => {
    const read = async () => (await fetchBounded(`${origin}/${path}${size}`)).text()
    await expect(read()).rejects.toThrow(AnswerTooLongError)
  })
})

it('a call ends with the signal of its caller', async () => {
  await expect(fetchBounded(`${origin}/1`, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow(
    'gone',
  )
})

it.each([
  ['a request', {}, () => new Request(`${origin}/1`, { headers: { 'x-a': 'request' } }), 'request'],
  ['an address', { headers: { 'x-a': 'init' } }, () => `${origin}/1`, 'init'],
  [
    'both',
    { headers: { 'x-a': 'init' } },
    () => new Request(`${origin}/1`, { headers: { 'x-a': 'request' } }),
    'init',
  ],
])(
  'a call keeps the headers of %s, and carries the trace of its work',
  async (_, init, createInput, value) => {
    let received: Record<string, unknown> = {}
    server.once('request', ({ headers }) => {
      received = headers
    })
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    await runInTrace(`00-${traceId}-00f067aa0ba902b7-01`, () => fetchBounded(createInput(), init))
    expect(received).toMatchObject({ 'x-a': value, traceparent: expect.stringContaining(traceId) })
  },
)
