import { connect, createServer, type Socket } from 'node:net'

type RelayMode = 'open' | 'down' | 'hang' | 'slow'

export interface Relay {
  port: number
  set(mode: RelayMode, delayMs?: number): void
  close(): Promise<void>
}

/** A TCP relay in front of PostgreSQL, so that a broken, silent or slow database can be played without touching the real one. */
export async function startRelay(targetPort: number): Promise<Relay> {
  const state = { mode: 'open' as RelayMode, delayMs: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (state.mode === 'down') return client.destroy()
    const upstream = connect(targetPort, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('data', (chunk) => forward(state, chunk, to))
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: address && typeof address === 'object' ? address.port : 0,
    set(mode, delayMs = 1000) {
      // Lifting a fault drops what it left half said, as a restarted network would.
      if (mode === 'down' || state.mode === 'hang') for (const socket of sockets) socket.destroy()
      Object.assign(state, { mode, delayMs })
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function forward(state: { mode: RelayMode; delayMs: number }, chunk: Buffer, to: Socket): void {
  if (state.mode === 'hang') return
  if (state.mode === 'slow') setTimeout(() => to.write(chunk), state.delayMs)
  else to.write(chunk)
}
