import { createServer, connect as openConnection, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A TCP proxy whose connections a test can drop. */
export interface StreamProxy {
  /** Origin of the proxy. */
  origin: string
  /** Break every open connection, as a lost network does. */
  dropConnections(): void
}

/**
 * Start a proxy of the service. It shortens the reconnection time of streams to 20 ms, so that tests do not
 * wait for seconds.
 */
export async function startStreamProxy(api: string): Promise<StreamProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = openConnection(Number(new URL(api).port), '127.0.0.1')
    client.pipe(upstream)
    // The same length, because the chunk states its size.
    upstream.on('data', (chunk) =>
      client.write(
        Buffer.from(chunk.toString('latin1').replace(/retry: [2-5]\d{3}\n/, 'retry: 0020\n'), 'latin1'),
      ),
    )
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      socket.on('error', () => {}).on('close', () => other.destroy())
    sockets.add(client)
    client.on('close', () => sockets.delete(client))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const dropConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    dropConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as { port: number }).port}`, dropConnections }
}
