import { Agent, createServer, type IncomingMessage, request as sendRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import { listen } from '#platform/node/server.ts'

// What Cloudflare compresses of the service's types, from 50 bytes on, and only with these statuses:
// https://developers.cloudflare.com/speed/optimization/content/compression/
const compressible =
  /^(?:application\/(?:javascript|json|manifest\+json|wasm)|font\/[ot]tf|image\/svg\+xml|text\/(?:css|html|javascript|plain))(?:;|$)/
const statuses = [200, 403, 404]
const leastBytes = 50

export interface Edge {
  port: number
  close(): Promise<void>
}

/**
 * Forward requests to the Worker, and compress its answers as Cloudflare does in front of it, so that local
 * sizes are real ones.
 */
export async function startEdge({ port, workerPort }: { port: number; workerPort: number }): Promise<Edge> {
  const agent = new Agent({ keepAlive: true })
  agent.createConnection = () => ignoreRefusedWrites(connect(workerPort, '127.0.0.1'))
  const target = { host: '127.0.0.1', port: workerPort, agent }
  const sockets = new Set<Duplex>()
  const server = createServer((request, response) => {
    const { method, url, rawHeaders } = request
    const forwarded = sendRequest(
      { ...target, method, path: url, headers: rawHeaders, setDefaultHeaders: false },
      (answer) => {
        const coding = chooseCoding(request, answer)
        response.writeHead(
          answer.statusCode ?? 502,
          coding ? toCompressedHeaders(answer.rawHeaders, coding) : answer.rawHeaders,
        )
        // Headers of a stream must arrive before its first event.
        response.flushHeaders()
        const done = () => {}
        if (coding) pipeline(answer, createCompressor(coding), response, done)
        else pipeline(answer, response, done)
      },
    )
    forwarded.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
    // A client that leaves must leave the Worker too, which reads the request's signal.
    response.on('close', () => response.writableFinished || forwarded.destroy())
    // What the service does not read is read here, because the next request of the connection is behind it.
    response.on('finish', () => {
      if (request.readableEnded) return
      request.unpipe(forwarded).resume()
      forwarded.destroy()
    })
    request.pipe(forwarded)
  })
  server.on('upgrade', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    const upstream = connect(workerPort, '127.0.0.1', () => {
      upstream.write(`${request.method} ${request.url} HTTP/1.1\r\n${toLines(request.rawHeaders)}\r\n`)
      upstream.write(head)
      upstream.pipe(client).pipe(upstream)
    })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
    }
  })
  return {
    port: await listen(server, port, '127.0.0.1'),
    close() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      agent.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

const refusals = ['EPIPE', 'ECONNRESET']
type WriteCallback = (error?: NodeJS.ErrnoException | null) => void

/**
 * Let a connection read on after a write was refused. The service may answer before it has read the body, and
 * close: its answer is on the way then. Node would destroy the connection, and lose it.
 */
function ignoreRefusedWrites(socket: Socket): Socket {
  const ignore =
    (callback: WriteCallback): WriteCallback =>
    (error) =>
      callback(error?.code && refusals.includes(error.code) ? null : error)
  const [write, writeMany] = [socket._write.bind(socket), socket._writev?.bind(socket)]
  socket._write = (chunk, encoding, callback) => write(chunk, encoding, ignore(callback))
  if (writeMany) socket._writev = (chunks, callback) => writeMany(chunks, ignore(callback))
  return socket
}

type Coding = 'br' | 'gzip'

function chooseCoding(
  { method, headers: { 'accept-encoding': accepted = '' } }: IncomingMessage,
  answer: IncomingMessage,
): Coding | null {
  const { statusCode = 0, headers } = answer
  const isCompressible =
    compressible.test(headers['content-type'] ?? '') &&
    !headers['content-encoding'] &&
    statuses.includes(statusCode)
  if (!isCompressible || method === 'HEAD' || Number(headers['content-length'] ?? leastBytes) < leastBytes)
    return null
  return (
    (['br', 'gzip'] as const).find((coding) =>
      String(accepted)
        .split(/[\s,;]+/)
        .includes(coding),
    ) ?? null
  )
}

const createCompressor = (coding: Coding) =>
  coding === 'br' ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }) : createGzip()

/** Return the headers of a compressed answer. A strong ETag becomes a weak one, because the bytes differ. */
function toCompressedHeaders(rawHeaders: readonly string[], coding: Coding): string[] {
  const kept = toPairs(rawHeaders).flatMap(([name, value]) => {
    if (/^(?:content-length|transfer-encoding)$/i.test(name)) return []
    return [name, /^etag$/i.test(name) && value.startsWith('"') ? `W/${value}` : value]
  })
  return [...kept, 'Content-Encoding', coding, 'Vary', 'Accept-Encoding']
}

function toPairs(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, n) =>
    n % 2 === 0 ? [[name, rawHeaders[n + 1] ?? ''] as [string, string]] : [],
  )
}

function toLines(rawHeaders: readonly string[]): string {
  return toPairs(rawHeaders)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
