import { randomUUID } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { createMockStore } from '#local/vendors/redis/redis-store.ts'
import { startTcpRedis } from '#local/vendors/redis/redis-tcp.ts'
import { createDelayedWriter } from '#local/vendors/relay.ts'

/**
 * Return the URL of a Redis for one test: `REDIS_URL`, whose keys the test must make unique, or an emulator
 * of its own.
 */
export async function startTestRedis(): Promise<string> {
  if (process.env.REDIS_URL) return process.env.REDIS_URL
  const store = createMockStore(randomUUID())
  const server = await startTcpRedis({ store })
  onTestFinished(async () => {
    await server.stop()
    await store.close()
  })
  return server.url
}

/**
 * How a proxy fails. `hang` answers nothing, `slow` answers after 2 s, and `error` answers every command with
 * an error.
 */
export type RedisFault = 'down' | 'hang' | 'slow' | 'garbage' | 'error'

export interface RedisProxy {
  url: string
  /** Fail from now on, or stop failing. */
  setFault(fault: RedisFault | undefined): void
  /** Count the packets that clients have sent. */
  countPackets(): number
  countConnections(): number
  /** The bytes that clients have sent, as text. */
  readSent(): string
}

/** Start a TCP proxy in front of a Redis, which fails on request. */
export async function startRedisProxy(targetUrl: string): Promise<RedisProxy> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  const sent: string[] = []
  let fault: RedisFault | undefined
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    if (fault === 'down') return void client.destroy()
    const upstream = connect(Number(target.port || 6379), target.hostname)
    track(client)
    track(upstream)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    const write = createDelayedWriter(upstream)
    client.on('data', (chunk) => {
      sent.push(chunk.toString())
      if (fault === 'hang') return
      if (fault === 'garbage') return void client.write('HTTP/1.1 400 Bad Request\r\n\r\n\u0000\u0001')
      if (fault === 'error')
        return void client.write('-ERR injected fault\r\n'.repeat(countCommands(chunk.toString())))
      write(chunk, fault === 'slow' ? 2000 : 0)
    })
    upstream.on('data', (chunk) => void (fault === 'hang' || client.write(chunk)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const destroySockets = () => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    server.close()
    destroySockets()
  })
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setFault(next) {
      // The end of `hang` also closes the connections, because parts of their data were dropped.
      if (next === 'down' || fault === 'hang') destroySockets()
      fault = next
    },
    countPackets: () => sent.length,
    countConnections: () => sockets.size / 2,
    readSent: () => sent.join(''),
  }
}

const countCommands = (text: string) => text.match(/^\*\d+\r$/gm)?.length ?? 0
