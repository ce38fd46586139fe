import { connect, type Socket } from 'node:net'

/** The result of a load. Durations are in milliseconds. */
export interface LoadResult {
  requests: number
  perSecond: number
  p50: number
  p99: number
  /** Size of the largest body, in bytes. */
  bytes: number
}

export interface LoadRequest {
  method: string
  path: string
  token?: string
  /** The client's address, as a trusted proxy would report it. */
  address?: string
  /** JSON text. */
  body?: string
}

interface LoadOptions {
  port: number
  connections: number
  /** Return the next request. */
  next(): LoadRequest
  /** Return whether there are more requests. */
  hasMore(): boolean
}

/** Send requests for `seconds`, after an unmeasured warm-up of a fifth of that time. */
export async function runLoadFor(
  port: number,
  connections: number,
  seconds: number,
  next: () => LoadRequest,
): Promise<LoadResult> {
  const until = (end: number) => () => performance.now() < end
  await runLoadWhile({ port, connections, next, hasMore: until(performance.now() + seconds * 200) })
  return runLoadWhile({ port, connections, next, hasMore: until(performance.now() + seconds * 1000) })
}

/** Send requests over `connections`, one at a time on each. Throw if a request fails. */
export async function runLoadWhile({ port, connections, next, hasMore }: LoadOptions): Promise<LoadResult> {
  const durations: number[] = []
  const started = performance.now()
  let bytes = 0
  const sendRequests = async () => {
    const connection = await openConnection(port)
    while (hasMore()) {
      const sentAt = performance.now()
      const request = next()
      const { status, length } = await connection.send(request)
      durations.push(performance.now() - sentAt)
      if (status < 200 || status > 299)
        throw new Error(`${request.method} ${request.path} on port ${port} received status ${status}`)
      bytes = Math.max(bytes, length)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, sendRequests))
  const seconds = (performance.now() - started) / 1000
  const sorted = Float64Array.from(durations).sort()
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return {
    requests: durations.length,
    perSecond: durations.length / seconds,
    p50: quantile(0.5),
    p99: quantile(0.99),
    bytes,
  }
}

interface Connection {
  send(request: LoadRequest): Promise<{ status: number; length: number }>
  close(): void
}

/**
 * Open a connection that sends requests with as little work as possible, so that the bench itself uses little
 * processor time.
 */
async function openConnection(port: number): Promise<Connection> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return {
    send: ({ method, path, token, address, body = '' }) => {
      const authorization = token ? `authorization: Bearer ${token}\r\n` : ''
      const client = address ? `cf-connecting-ip: ${address}\r\n` : ''
      const type = body ? 'content-type: application/json\r\n' : ''
      const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
      socket.write(
        `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${authorization}${client}${type}${length}\r\n${body}`,
      )
      return readResponse(socket)
    },
    close: () => socket.destroy(),
  }
}

function readResponse(socket: Socket): Promise<{ status: number; length: number }> {
  return new Promise((resolve, reject) => {
    let received = ''
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      const length = readCompleteLength(received)
      if (length === undefined) return
      socket.off('data', onData).off('close', onClose)
      resolve({ status: Number(received.slice(9, 12)), length })
    }
    const onClose = () => reject(new Error('The connection was closed during a request'))
    socket.on('data', onData).on('close', onClose)
  })
}

/** Return the length of the body, or undefined if the response is not complete. */
function readCompleteLength(received: string): number | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const length = received.length - headEnd - 4
  const declaredLength = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd + 2))?.[1]
  // Without a content-length the body is chunked and ends with an empty chunk.
  const isComplete =
    declaredLength === undefined ? received.endsWith('0\r\n\r\n') : length >= Number(declaredLength)
  return isComplete ? length : undefined
}
