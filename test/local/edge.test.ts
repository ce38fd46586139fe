import { once } from 'node:events'
import { createServer, type RequestListener, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { startEdge } from '#local/edge.ts'
import { listen } from '#platform/node/server.ts'

const long = JSON.stringify(Array.from({ length: 100 }, (_, n) => ({ id: n, name: 'printer' })))

/** Start an edge in front of a server that answers with `listener`. */
async function startBehindEdge(listener: RequestListener) {
  const worker = createServer(listener)
  const edge = await startEdge({ port: 0, workerPort: await listen(worker, 0, '127.0.0.1') })
  onTestFinished(async () => {
    await edge.close()
    worker.closeAllConnections()
    worker.close()
  })
  /** Send a request and return the answer as it was sent, which `fetch` would decompress. */
  const ask = async (accepted: string, method = 'GET') => {
    const sent = request({ port: edge.port, method, headers: { 'accept-encoding': accepted } }).end()
    const [answer] = await once(sent, 'response')
    const body = Buffer.concat(await answer.toArray())
    return {
      body,
      coding: answer.headers['content-encoding'],
      etag: answer.headers.etag,
      vary: answer.headers.vary,
    }
  }
  return { worker, port: edge.port, ask }
}

it('INS-15 the local edge compresses an answer as Cloudflare does', async () => {
  const { ask } = await startBehindEdge((_, response) =>
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': long.length,
        etag: '"a"',
        vary: 'Origin',
      })
      .end(long),
  )
  const brotli = await ask('gzip, deflate, br')
  expect([brotli.coding, brotli.etag, brotli.vary]).toEqual(['br', 'W/"a"', 'Origin, Accept-Encoding'])
  expect(brotliDecompressSync(brotli.body).toString()).toBe(long)
  const gzip = await ask('gzip')
  expect([gzip.coding, gunzipSync(gzip.body).toString()]).toEqual(['gzip', long])
  expect(await ask('identity')).toMatchObject({ coding: undefined, etag: '"a"' })
  expect((await ask('gzip', 'HEAD')).coding).toBeUndefined()
})

it.each([
  ['a short text', 200, { 'content-type': 'application/json', 'content-length': 2 }, '{}'],
  ['another type', 200, { 'content-type': 'application/zip' }, long],
  ['another status', 422, { 'content-type': 'application/json' }, long],
  ['what is compressed', 200, { 'content-type': 'application/json', 'content-encoding': 'deflate' }, long],
])('INS-15 the local edge leaves %s as it is', async (_, status, headers, body) => {
  const { ask } = await startBehindEdge((_request, response) => response.writeHead(status, headers).end(body))
  const answer = await ask('br, gzip')
  expect([answer.coding, answer.body.toString()]).toEqual([
    (headers as Record<string, unknown>)['content-encoding'],
    body,
  ])
})

it('INS-15 the local edge sends events as they come, and tells the Worker that the client left', async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const { worker, port } = await startBehindEdge((_, response) => {
    response.on('close', leave)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    worker.on('test', (event: string) => response.write(event))
  })
  const abort = new AbortController()
  const { body } = await fetch(`http://127.0.0.1:${port}/`, { signal: abort.signal })
  const reader = body?.getReader()
  for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
    worker.emit('test', event)
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(event)
  }
  abort.abort()
  await left
})

it('INS-15 the local edge passes bodies, headers and WebSockets on', async () => {
  const { worker, port } = await startBehindEdge(async (incoming, response) => {
    const [first, second] = incoming.headers['x-name']?.toString().split(', ') ?? []
    response.writeHead(201, [...['set-cookie', 'a=1'], ...['set-cookie', 'b=2']])
    response.end(
      `${incoming.headers.host} ${incoming.method} ${incoming.url} ${first} ${second} ${(await text(incoming)).length}`,
    )
  })
  const answer = await fetch(`http://127.0.0.1:${port}/a?b=c`, {
    method: 'POST',
    body: 'x'.repeat(3_000_000),
    headers: { 'x-name': '1, 2' },
  })
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([201, ['a=1', 'b=2']])
  expect(await answer.text()).toBe(`127.0.0.1:${port} POST /a?b=c 1 2 3000000`)
  worker.on('upgrade', (incoming, socket, head) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n${incoming.headers['sec-websocket-key']} `,
    )
    socket.write(head)
    socket.pipe(socket)
  })
  const socket = connect(port, '127.0.0.1')
  socket.write(
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\nhello',
  )
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  await expect.poll(() => received).toContain('\r\n\r\nk hello')
  socket.destroy()
})

it.each([401, 413, 429])(
  'INS-15 the local edge answers %i of a service that has not read the body',
  async (status) => {
    const { port } = await startBehindEdge((incoming, response) => {
      response
        .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
        .end('{"detail":"no"}')
      incoming.socket.destroySoon()
    })
    for (let n = 0; n < 5; n++) {
      const sent = request({ port, method: 'POST', headers: { 'content-length': 8_000_000 } })
      sent.on('error', () => {})
      sent.end(Buffer.alloc(8_000_000))
      const [answer] = await once(sent, 'response')
      expect([answer.statusCode, await text(answer)]).toEqual([status, '{"detail":"no"}'])
    }
  },
)

it.each([1000, 8_000_000])(
  'INS-15 the local edge answers the request behind %i bytes that the service refused',
  async (size) => {
    const { port } = await startBehindEdge((incoming, response) =>
      response.writeHead(incoming.method === 'POST' ? 413 : 200, { 'content-length': 0 }).end(),
    )
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n${'a'.repeat(size)}`)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect
      .poll(() => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status))
      .toEqual(['413', '200'])
  },
)
