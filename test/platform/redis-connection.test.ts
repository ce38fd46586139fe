import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createMockStore } from '#local/vendors/redis/redis-store.ts'
import { startTcpRedis } from '#local/vendors/redis/redis-tcp.ts'
import { openRedis, type RedisConnectionOptions } from '#platform/node/redis.ts'
import { startRedisProxy, startTestRedis } from '#test/support/redis.ts'

const pollOptions = { timeout: 30_000, interval: 5 }

/** Start to open a connection that records its log lines and is closed when the test ends. */
function startToOpen(options: Omit<RedisConnectionOptions, 'log'>) {
  const lines: Record<string, unknown>[] = []
  const redis = openRedis({ ...options, log: (line) => lines.push(line) })
  onTestFinished(() => redis.close())
  return { redis, lines }
}

async function openTestRedis(options: Omit<RedisConnectionOptions, 'log'>) {
  const opened = startToOpen(options)
  await opened.redis.waitUntilReady()
  return opened
}

async function startServer(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    onConnection(socket)
    onTestFinished(() => void socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

it('commands of the same moment are sent in one packet', async () => {
  const proxy = await startRedisProxy(await startTestRedis())
  const { redis } = await openTestRedis({ url: proxy.url, timeoutMs: 10_000 })
  const packetsBefore = proxy.countPackets()
  const key = crypto.randomUUID()
  await Promise.all(Array.from({ length: 20 }, (_, n) => redis.set(`${key}:${n}`, `${n}`, 60)))
  expect(proxy.countPackets()).toBe(packetsBefore + 1)
  expect(await redis.get(`${key}:7`)).toBe('7')
})

it('a lost connection is opened again, and commands reject immediately in between', {
  retry: 2,
}, async () => {
  const proxy = await startRedisProxy(await startTestRedis())
  const { redis, lines } = await openTestRedis({ url: proxy.url, timeoutMs: 10_000 })
  proxy.setFault('down')
  await expect.poll(() => redis.client.status, pollOptions).not.toBe('ready')
  const startedAt = performance.now()
  await expect(redis.set('ready', '1', 60)).rejects.toThrow()
  expect(performance.now() - startedAt).toBeLessThan(200)
  proxy.setFault(undefined)
  await expect.poll(() => redis.set('ready', '1', 60).catch(() => 'away'), pollOptions).toBe('OK')
  expect(lines.map((line) => line.redis)).toEqual(['lost', 'connected'])
})

it('RES-03 who waits for a lost connection is told once when it is back', async () => {
  const proxy = await startRedisProxy(await startTestRedis())
  const told: string[] = []
  const { redis } = await openTestRedis({
    url: proxy.url,
    timeoutMs: 10_000,
    onReturn: () => told.push('back'),
  })
  expect(told).toEqual([])
  proxy.setFault('down')
  await expect.poll(() => redis.client.status, pollOptions).not.toBe('ready')
  proxy.setFault(undefined)
  await expect.poll(() => told, pollOptions).toEqual(['back'])
})

it('a command whose connection is lost rejects, and is not sent again', async () => {
  const proxy = await startRedisProxy(await startTestRedis())
  const { redis } = await openTestRedis({ url: proxy.url, timeoutMs: 10_000 })
  proxy.setFault('hang')
  const sent = redis.set('once', 'x', 60)
  await expect.poll(() => proxy.readSent().includes('once'), pollOptions).toBe(true)
  proxy.setFault('down')
  await expect(sent).rejects.toThrow()
  proxy.setFault(undefined)
  await expect.poll(() => redis.set('ready', '1', 60).catch(() => 'away'), pollOptions).toBe('OK')
  expect(proxy.readSent().match(/once/g)).toHaveLength(1)
})

it('a connection on which nothing is received is replaced after one time-out', async () => {
  const proxy = await startRedisProxy(await startTestRedis())
  const { redis } = await openTestRedis({ url: proxy.url, timeoutMs: 100 })
  proxy.setFault('hang')
  await expect(redis.set('ready', '1', 60)).rejects.toThrow('Command timed out')
  await expect.poll(() => redis.client.status, pollOptions).not.toBe('ready')
  proxy.setFault(undefined)
  await expect.poll(() => redis.set('ready', '1', 60).catch(() => 'away'), pollOptions).toBe('OK')
})

it('a Redis that accepts connections and says nothing is tried again, and does not delay the start for more than 2 s', {
  retry: 2,
}, async () => {
  let connections = 0
  const port = await startServer(() => connections++)
  const startedAt = performance.now()
  const { redis, lines } = await openTestRedis({ url: `redis://127.0.0.1:${port}`, timeoutMs: 50 })
  expect(performance.now() - startedAt).toBeLessThan(3000)
  await expect.poll(() => connections, pollOptions).toBeGreaterThan(1)
  await expect(redis.set('ready', '1', 60)).rejects.toThrow()
  expect(lines).toHaveLength(1)
})

it('many callers may wait for a lost connection', async () => {
  const proxy = await startRedisProxy(await startTestRedis())
  const { redis } = await openTestRedis({ url: proxy.url, timeoutMs: 10_000 })
  proxy.setFault('down')
  await expect.poll(() => redis.client.status, pollOptions).not.toBe('ready')
  const waiting = Array.from({ length: 50 }, () => redis.waitUntilReady())
  expect(redis.client.listenerCount('ready')).toBeLessThan(5)
  proxy.setFault(undefined)
  await Promise.all(waiting)
  expect(await redis.set('ready', '1', 60)).toBe('OK')
})

it('a wrong password is logged as its code only, and neither the log nor an error contains it', async () => {
  const store = createMockStore(crypto.randomUUID())
  const server = await startTcpRedis({ store, password: 'right' })
  onTestFinished(() => server.stop())
  const { redis, lines } = startToOpen({ url: `redis://:sesame-83@127.0.0.1:${server.port}` })
  await expect.poll(() => lines.length, pollOptions).toBe(1)
  const error = await redis.set('ready', '1', 60).catch((reason: unknown) => reason)
  expect(lines).toEqual([{ at: expect.any(String), level: 'error', redis: 'lost', reason: 'WRONGPASS' }])
  expect(`${error} ${JSON.stringify(error)} ${JSON.stringify(lines)}`).not.toContain('sesame-83')
  const allowed = await openTestRedis({ url: server.url })
  expect([await allowed.redis.set('ready', '1', 60), allowed.lines]).toEqual(['OK', []])
})

it.each(['127.0.0.1:6379', 'http://:sesame-83@redis', 'redis://:sesame-83@[', 'unix:///tmp/redis'])(
  'the address %s is refused without quoting it',
  (url) => {
    const open = () => openRedis({ url, log: () => {} })
    expect(open).toThrow('must be a redis:// or rediss:// URL')
    expect(open).not.toThrow('sesame-83')
  },
)

it('a rediss:// address starts with a TLS handshake', async () => {
  const received: Buffer[] = []
  const port = await startServer((socket) => socket.on('data', (chunk) => received.push(chunk)))
  startToOpen({ url: `rediss://:sesame-83@127.0.0.1:${port}` })
  await expect.poll(() => received.length, pollOptions).toBeGreaterThan(0)
  // A handshake record of TLS, https://datatracker.ietf.org/doc/html/rfc8446#section-5.1
  expect(received[0]?.[0]).toBe(0x16)
  expect(Buffer.concat(received).includes('sesame-83')).toBe(false)
})

it('a script for Upstash runs without its first line, again after Redis has forgotten it', async () => {
  const { redis } = await openTestRedis({ url: await startTestRedis(), timeoutMs: 10_000 })
  const script = "#!lua flags=allow-key-locking\nreturn {redis.call('INCR', KEYS[1]), ARGV[1]}"
  const key = crypto.randomUUID()
  await expect(redis.evalsha('0'.repeat(40), [key], [])).rejects.toThrow('NOSCRIPT')
  expect(await redis.eval(script, [key], ['a'])).toEqual([1, 'a'])
  const hash = Buffer.from(await crypto.subtle.digest('SHA-1', Buffer.from(script))).toString('hex')
  expect(await redis.evalsha(hash, [key], [7])).toEqual([2, '7'])
  await redis.client.script('FLUSH')
  await expect(redis.evalsha(hash, [key], [])).rejects.toThrow('NOSCRIPT')
  expect(await redis.eval(script, [key], ['b'])).toEqual([3, 'b'])
})
