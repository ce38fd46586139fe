import { connect, type Socket } from 'node:net'

export interface Load {
  requests: number
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Bytes of a body, the largest seen. */
  bytes: number
}

export interface Shot {
  method: string
  path: string
  token?: string
}

interface Plan {
  port: number
  connections: number
  /** The request that comes next. */
  next(): Shot
  /** Whether there is another to come. */
  more(): boolean
}

/** Requests for `seconds`, after an unmeasured warm-up of a fifth of it. */
export async function loadFor(port: number, connections: number, seconds: number, next: () => Shot): Promise<Load> {
  const until = (end: number) => () => performance.now() < end
  await loadWhile({ port, connections, next, more: until(performance.now() + seconds * 200) })
  return loadWhile({ port, connections, next, more: until(performance.now() + seconds * 1000) })
}

/** Keeps `connections` busy with one request each at a time; throws on an answer that is no 200. */
export async function loadWhile({ port, connections, next, more }: Plan): Promise<Load> {
  const times: number[] = []
  const started = performance.now()
  let bytes = 0
  const work = async () => {
    const line = await openLine(port)
    while (more()) {
      const sent = performance.now()
      const { status, length } = await line.ask(next())
      times.push(performance.now() - sent)
      if (status !== 200) throw new Error(`The bench met a ${status}`)
      bytes = Math.max(bytes, length)
    }
    line.close()
  }
  await Promise.all(Array.from({ length: connections }, work))
  const seconds = (performance.now() - started) / 1000
  const sorted = Float64Array.from(times).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { requests: times.length, perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), bytes }
}

interface Line {
  ask(shot: Shot): Promise<{ status: number; length: number }>
  close(): void
}

/** One connection that writes requests and reads answers with no more work than that takes. */
async function openLine(port: number): Promise<Line> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return {
    ask: ({ method, path, token }) => {
      const authorization = token ? `authorization: Bearer ${token}\r\n` : ''
      const length = method === 'GET' ? '' : 'content-length: 0\r\n'
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${authorization}${length}\r\n`)
      return readAnswer(socket)
    },
    close: () => socket.destroy(),
  }
}

function readAnswer(socket: Socket): Promise<{ status: number; length: number }> {
  return new Promise((resolve, reject) => {
    let seen = ''
    const onData = (chunk: Buffer) => {
      seen += chunk.toString('latin1')
      const length = completeLength(seen)
      if (length === undefined) return
      socket.off('data', onData).off('close', onClose)
      resolve({ status: Number(seen.slice(9, 12)), length })
    }
    const onClose = () => reject(new Error('The connection was closed under a request'))
    socket.on('data', onData).on('close', onClose)
  })
}

/** The body's length when the answer is all here. */
function completeLength(seen: string): number | undefined {
  const head = seen.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const length = seen.length - head - 4
  const declared = /\r\ncontent-length: (\d+)/i.exec(seen.slice(0, head + 2))?.[1]
  const complete = declared === undefined ? seen.endsWith('0\r\n\r\n') : length >= Number(declared)
  return complete ? length : undefined
}
