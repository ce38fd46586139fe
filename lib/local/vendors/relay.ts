import { connect, createServer, type Socket } from 'node:net'

/** `down` closes connections, `hang` drops data, `slow` delays it by `delayMs`. */
type RelayMode = 'open' | 'down' | 'hang' | 'slow'

export interface Relay {
  port: number
  setMode(mode: RelayMode, delayMs?: number): void
  close(): Promise<void>
}

/**
 * Start a TCP relay in front of PostgreSQL. It simulates a broken, silent or slow database while the server keeps running. `watchClient` is
 * called for each new connection, for example to read what the client sends.
 */
export async function startRelay(targetPort: number, watchClient: (client: Socket) => void = () => {}): Promise<Relay> {
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
      source.on('data', (chunk) => forward(state, chunk, target))
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

function forward(state: { mode: RelayMode; delayMs: number }, chunk: Buffer, target: Socket): void {
  if (state.mode === 'hang') return
  if (state.mode === 'slow') setTimeout(() => target.write(chunk), state.delayMs)
  else target.write(chunk)
}
