import { connect, createServer, type Socket } from 'node:net'

/** `down` closes connections, `hang` drops data, `slow` delays it by `delayMs`. */
type RelayMode = 'open' | 'down' | 'hang' | 'slow'

export interface Relay {
  port: number
  setMode(mode: RelayMode, delayMs?: number): void
  close(): Promise<void>
}

/**
 * Start a TCP relay in front of PostgreSQL. It simulates a broken, silent or slow database while the server
 * keeps running. `watchClient` is called for each new connection, for example to read what the client sends.
 */
export async function startRelay(
  targetPort: number,
  watchClient: (client: Socket) => void = () => {},
): Promise<Relay> {
  const state = { mode: 'open' as RelayMode, delayMs: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (state.mode === 'down') return client.destroy()
    const upstream = connect(targetPort, '127.0.0.1')
    watchClient(client)
    for (const [source, target] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(source)
      source.setNoDelay(true)
      const write = createDelayedWriter(target)
      source.on(
        'data',
        (chunk) => void (state.mode === 'hang' || write(chunk, state.mode === 'slow' ? state.delayMs : 0)),
      )
      source.on('error', () => target.destroy())
      source.on('close', () => {
        sockets.delete(source)
        target.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: address && typeof address === 'object' ? address.port : 0,
    setMode(mode, delayMs = 1000) {
      // The end of `hang` also closes the connections, because parts of their data were dropped.
      if (mode === 'down' || state.mode === 'hang') for (const socket of sockets) socket.destroy()
      Object.assign(state, { mode, delayMs })
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/**
 * Create a function that writes after a delay, and keeps the order when a later delay is shorter, as TCP
 * does.
 */
export function createDelayedWriter(target: Socket): (chunk: Buffer, delayMs: number) => void {
  let waiting = 0
  let written = Promise.resolve()
  return (chunk, delayMs) => {
    if (waiting === 0 && delayMs === 0) return void target.write(chunk)
    waiting++
    const delay = new Promise((resolve) => setTimeout(resolve, delayMs))
    written = Promise.all([written, delay]).then(() => {
      waiting--
      target.write(chunk)
    })
  }
}
