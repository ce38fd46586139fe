import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { createMockStore } from '#local/vendors/redis/redis-store.ts'
import { startTcpRedis } from '#local/vendors/redis/redis-tcp.ts'
import { useClock } from '#test/support/clock.ts'

/** Start the emulator, and open two clients that do not reconnect. */
async function startTestTcpRedis(password?: string) {
  const store = createMockStore(randomUUID())
  const server = await startTcpRedis({ store, ...(password ? { password } : {}) })
  const clients = [
    new Redis(server.url, { retryStrategy: null }),
    new Redis(server.url, { retryStrategy: null }),
  ] as const
  for (const client of clients) client.on('error', () => {})
  onTestFinished(async () => {
    for (const client of clients) client.disconnect()
    await server.stop()
    await store.close()
  })
  return { server, store, redis: clients[0], other: clients[1] }
}

/** Send bytes and return what the emulator answers until it closes the connection or is silent. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let answer = ''
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      answer += chunk
      resolve()
    })
    socket.on('close', () => resolve())
  })
  socket.write(text)
  await answered
  return answer
}

it('clients of Redis over TCP share values, expiry and scripts', async () => {
  const { redis, other } = await startTestTcpRedis()
  expect(await redis.set('k', 'Žofie\r\n✓', 'EX', 60)).toBe('OK')
  expect([await other.get('k'), await other.get('absent'), await other.ttl('k')]).toEqual([
    'Žofie\r\n✓',
    null,
    60,
  ])
  expect(
    await redis.eval(
      "return {redis.call('INCRBY', KEYS[1], ARGV[1]), 'a', {2}, false}",
      1,
      'n',
      '4000000000',
    ),
  ).toEqual([4_000_000_000, 'a', [2], null])
  const hash = (await redis.script('LOAD', "return redis.call('DEL', KEYS[1])")) as string
  expect([await other.evalsha(hash, 1, 'k'), await redis.exists('k')]).toEqual([1, 0])
  await expect(redis.evalsha('0000', 0)).rejects.toThrow('NOSCRIPT')
  await expect(redis.lpush('n', 'x')).rejects.toThrow('WRONGTYPE')
})

it('a script writes a number of milliseconds as Redis does', async () => {
  const { redis } = await startTestTcpRedis()
  const script =
    "redis.call('HSET', KEYS[1], 'at', tonumber(ARGV[1]) + 1) return redis.call('HMGET', KEYS[1], 'at', 'absent')"
  expect(await redis.eval(script, 1, 'h', '1763711412345')).toEqual(['1763711412346', null])
})

it('a script with a flag that only Upstash knows is refused', async () => {
  const { redis } = await startTestTcpRedis()
  const refusal = 'ERR Unexpected flag in script shebang: allow-key-locking'
  await expect(redis.eval('#!lua flags=allow-key-locking\nreturn 1', 0)).rejects.toThrow(refusal)
  expect(await redis.eval('#!lua flags=no-writes\nreturn 1', 0)).toBe(1)
})

it('a stream stores its last entries in the order of their ids', async () => {
  const { redis, other } = await startTestTcpRedis()
  for (const id of [1, 2, 4]) expect(await redis.xadd('s', 'MAXLEN', 2, `${id}-0`, 'n', id)).toBe(`${id}-0`)
  const two = ['2-0', ['n', '2']]
  const four = ['4-0', ['n', '4']]
  expect([await other.xlen('s'), await other.xrange('s', '-', '+')]).toEqual([2, [two, four]])
  expect([await other.xrange('s', '3-0', '+'), await other.xrange('s', '(2-0', '4')]).toEqual([
    [four],
    [four],
  ])
  expect(await other.xrevrange('s', '+', '-', 'COUNT', 1)).toEqual([four])
  expect(await other.xread('COUNT', 1, 'STREAMS', 's', 'absent', '0-0', '0-0')).toEqual([['s', [two]]])
  expect(await other.xread('STREAMS', 's', '4-0')).toBeNull()
  await expect(redis.xadd('s', '4-0', 'n', 4)).rejects.toThrow(
    'ERR The ID specified in XADD is equal or smaller',
  )
  await expect(redis.xadd('s', '*', 'n')).rejects.toThrow('wrong number of arguments')
  await redis.set('text', 'x')
  await expect(redis.xadd('text', '*', 'n', 1)).rejects.toThrow('WRONGTYPE')
})

it('a stream keeps its expiry when an entry is added, and can be deleted', async () => {
  const clock = useClock(Date.parse('2026-11-21T09:30:00Z'))
  const { redis } = await startTestTcpRedis()
  await redis.xadd('s', '*', 'n', 1)
  await redis.pexpire('s', 60_000)
  await redis.xadd('s', '*', 'n', 2)
  expect(await redis.pttl('s')).toBe(60_000)
  clock.now += 60_001
  expect(await redis.xlen('s')).toBe(0)
  await redis.xadd('s', '*', 'n', 3)
  expect([await redis.del('s'), await redis.xrange('s', '-', '+')]).toEqual([1, []])
})

it('a blocking XREAD returns as soon as another client or a script adds an entry, and null after its time', async () => {
  const { redis, other } = await startTestTcpRedis()
  const read = redis.xread('BLOCK', 20_000, 'STREAMS', 'a', 'b', '0-0', '0-0')
  await other.set('unrelated', 'x')
  await other.xadd('c', '1-0', 'n', 0)
  await other.xadd('b', '1-0', 'n', 1)
  expect(await read).toEqual([['b', [['1-0', ['n', '1']]]]])
  const nextRead = redis.xread('BLOCK', 20_000, 'STREAMS', 'a', 'b', '0-0', '1-0')
  await other.eval("redis.call('XADD', KEYS[1], '5-0', 'n', 2)", 1, 'a')
  expect(await nextRead).toEqual([['a', [['5-0', ['n', '2']]]]])
  expect(await redis.xread('BLOCK', 1, 'STREAMS', 'a', '5-0')).toBeNull()
})

it('commands behind a password need it', async () => {
  const { redis, server } = await startTestTcpRedis('secret')
  expect(await redis.ping()).toBe('PONG')
  expect(await exchange(server.port, '*1\r\n$4\r\nPING\r\n')).toBe('-NOAUTH Authentication required.\r\n')
  expect(await exchange(server.port, '*2\r\n$4\r\nAUTH\r\n$5\r\nwrong\r\n')).toMatch(/^-WRONGPASS /)
  const greeting = await exchange(
    server.port,
    '*5\r\n$5\r\nHELLO\r\n$1\r\n2\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n$6\r\nsecret\r\n',
  )
  expect(greeting).toContain('redis')
})

it('a store keeps its data while no server runs', async () => {
  const { server, store, redis } = await startTestTcpRedis()
  await redis.set('k', 'v')
  await server.stop()
  const next = await startTcpRedis({ store, port: server.port })
  onTestFinished(() => next.stop())
  const client = new Redis(next.url)
  onTestFinished(() => client.disconnect())
  expect([await client.get('k'), next.port]).toEqual(['v', server.port])
})

it.each([
  ['a command that is not a list', 'PING\r\n'],
  ['too many arguments', '*99999999\r\n'],
  ['too long an argument', '*1\r\n$9999999\r\n'],
  ['no number', '*x\r\n'],
  ['no end of a number', `*${'1'.repeat(40)}`],
])('%s ends the connection with a protocol error', async (_, text) => {
  const { server } = await startTestTcpRedis()
  expect(await exchange(server.port, text)).toMatch(/^-ERR Protocol error/)
  await expect.poll(() => server.countConnections()).toBe(2)
})

it('transactions and RESP3 are refused', async () => {
  const { redis, server } = await startTestTcpRedis()
  await expect(redis.call('MULTI')).rejects.toThrow('ERR MULTI is not emulated')
  expect(await exchange(server.port, '*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n')).toBe(
    '-NOPROTO unsupported protocol version\r\n',
  )
})
