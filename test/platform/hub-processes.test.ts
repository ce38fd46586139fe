import { expect, it, onTestFinished } from 'vitest'
import { createMockStore } from '#local/vendors/redis/redis-store.ts'
import { startTcpRedis } from '#local/vendors/redis/redis-tcp.ts'
import { openRedis } from '#platform/node/redis.ts'
import { createRedisRealtime } from '#platform/node/streams-in-redis.ts'
import { streamKeyOf } from '#platform/node/streams-script.ts'
import {
  createEvents,
  heartbeatMs,
  openRedisHub,
  openStream,
  publishEvents,
  type TestStream,
} from '#test/support/hubs.ts'
import { night } from '#test/support/night.ts'
import { type RedisFault, startRedisProxy, startTestRedis } from '#test/support/redis.ts'

const pollOptions = { timeout: 30_000, interval: 10 }
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const expectNumbers = (stream: TestStream, numbers: number[]) =>
  expect.poll(() => stream.numbers(), pollOptions).toEqual(numbers)

/** Open two hubs as two processes. The first reaches Redis through a proxy. */
async function openTwoHubs(times?: { timeoutMs: number; blockMs: number }) {
  const url = await startTestRedis()
  const proxy = await startRedisProxy(url)
  return {
    url,
    proxy,
    hub: await openRedisHub(proxy.url, times),
    other: await openRedisHub(url),
    account: crypto.randomUUID(),
  }
}

/** Publish again until Redis accepts it, as the sweep does. */
async function publishUntilAccepted(publish: () => Promise<unknown>): Promise<void> {
  await expect.poll(() => publish().then(Boolean, () => 'failed'), pollOptions).not.toBe('failed')
}

it('two processes that publish at the same time send the same events with the same ids in the same order', async () => {
  const { hub, other, account } = await openTwoHubs()
  const streams = [await openStream(hub, account), await openStream(other, account)] as const
  const publishing = range(1, 40).map((n) => (n % 2 ? hub : other).publish(account, createEvents(2, n * 10)))
  await Promise.all(publishing)
  await expect.poll(() => streams.map((stream) => stream.numbers().length), pollOptions).toEqual([80, 80])
  const [received, receivedByOther] = streams.map((stream) => stream.events())
  expect(received).toEqual(receivedByOther)
  const ids = received?.map(({ id }) => Number(id)) ?? []
  expect(ids).toEqual(range(ids[0] as number, (ids[0] as number) + 79))
})

it('PRS-12 a transient event of one process reaches the streams of the other once, also after a minute without one', async () => {
  const { url, hub, other, account } = await openTwoHubs()
  const streams = [await openStream(hub, account), await openStream(other, account)] as const
  const transient = (n: number) => [{ event: 'presence' as const, data: { n }, audience: null }]
  const expectReceived = (numbers: number[]) =>
    expect
      .poll(() => streams.map((stream) => stream.events().map(({ data }) => data.n)), pollOptions)
      .toEqual([numbers, numbers])
  await hub.broadcast(account, transient(1))
  await other.broadcast(account, transient(2))
  await expectReceived([1, 2])
  const redis = openRedis({ url, timeoutMs: 10_000, log: () => {} })
  onTestFinished(() => redis.close())
  await redis.waitUntilReady()
  expect(await redis.call((client) => client.pttl(`live:{${account}}:now`))).toBeLessThanOrEqual(60_000)
  await redis.call((client) => client.del(`live:{${account}}:now`))
  await hub.broadcast(account, transient(3))
  await expectReceived([1, 2, 3])
})

it('an event that two processes publish is sent once', async () => {
  const { hub, other, account } = await openTwoHubs()
  const stream = await openStream(hub, account)
  const events = createEvents(5)
  await Promise.all([
    hub.publish(account, events),
    other.publish(account, events),
    hub.publish(account, events),
  ])
  await hub.publish(account, createEvents(1, 6))
  await expectNumbers(stream, range(1, 6))
})

it('a client continues at another process', async () => {
  const { hub, other, account } = await openTwoHubs()
  const first = await openStream(hub, account)
  await hub.publish(account, createEvents(3))
  await expectNumbers(first, [1, 2, 3])
  await hub.close()
  await expect.poll(() => first.isClosed(), pollOptions).toBe(true)
  await other.publish(account, createEvents(2, 4))
  const next = await openStream(other, account, { lastEventId: first.lastId() })
  await expectNumbers(next, [4, 5])
})

it('a stream of another account that opens while the process waits for events receives them immediately', {
  retry: 2,
}, async () => {
  const { hub, other, account } = await openTwoHubs()
  const quiet = await openStream(hub, account)
  for (let n = 1; n <= 5; n++) {
    const nextAccount = crypto.randomUUID()
    const stream = await openStream(hub, nextAccount)
    const startedAt = performance.now()
    await other.publish(nextAccount, createEvents(1, n))
    await expectNumbers(stream, [n])
    // Far less than the 5 s for which the process would wait for the accounts before.
    expect(performance.now() - startedAt).toBeLessThan(2000)
  }
  expect(quiet.numbers()).toEqual([])
})

it('a stream that opens while events arrive misses none and receives none twice', async () => {
  const { hub, other, account } = await openTwoHubs()
  const first = await openStream(hub, account)
  const streams: Promise<TestStream>[] = []
  for (let n = 1; n <= 60; n++) {
    const published = (n % 2 ? hub : other).publish(account, createEvents(1, n))
    if (n % 6 === 0) streams.push(openStream(hub, account, { lastEventId: '1' }))
    await published
  }
  for (const stream of [first, ...(await Promise.all(streams))]) await expectNumbers(stream, range(1, 60))
})

it('a process that lost Redis sends what was published meanwhile, in order, and the streams stay open', async () => {
  const { hub, other, proxy, account } = await openTwoHubs()
  const stream = await openStream(hub, account)
  await hub.publish(account, createEvents(2))
  await expectNumbers(stream, [1, 2])
  proxy.setFault('down')
  await expect(hub.publish(account, createEvents(1, 99))).rejects.toThrow()
  await expect(hub.ping()).rejects.toThrow()
  await publishEvents(other, account, createEvents(100, 3))
  proxy.setFault(undefined)
  await expectNumbers(stream, range(1, 102))
  expect(stream.events().every(({ event }) => event === 'handoff_created')).toBe(true)
  await publishUntilAccepted(() => hub.publish(account, createEvents(1, 103)))
  await expect.poll(() => stream.numbers().at(-1), pollOptions).toBe(103)
})

it('a process that lost Redis for more events than are stored says how many its clients have lost', async () => {
  const { hub, other, proxy, account } = await openTwoHubs()
  const stream = await openStream(hub, account)
  await hub.publish(account, createEvents(1))
  await expectNumbers(stream, [1])
  proxy.setFault('down')
  await publishEvents(other, account, createEvents(300, 2))
  proxy.setFault(undefined)
  await expectNumbers(stream, [1, ...range(46, 301)])
  expect(stream.events()[1]).toMatchObject({ event: 'overflow', data: { dropped: 44 } })
})

it.each(['hang', 'garbage', 'error'] as RedisFault[])(
  'a process continues where it stopped after the fault %s',
  async (fault) => {
    const { hub, other, proxy, account } = await openTwoHubs({ timeoutMs: 500, blockMs: 300 })
    const stream = await openStream(hub, account)
    await hub.publish(account, createEvents(1))
    await expectNumbers(stream, [1])
    proxy.setFault(fault)
    // Another account ends the waiting XREAD, so that the reader meets the fault.
    await openStream(hub, crypto.randomUUID()).catch(() => {})
    await other.publish(account, createEvents(3, 2))
    proxy.setFault(undefined)
    await expectNumbers(stream, [1, 2, 3, 4])
  },
)

it('RES-04 a stream opens while Redis hangs, without its start, and gets what comes after that', async () => {
  const { hub, other, proxy, account } = await openTwoHubs({ timeoutMs: 200, blockMs: 300 })
  const first = await openStream(hub, account)
  await hub.publish(account, createEvents(2))
  await expectNumbers(first, [1, 2])
  proxy.setFault('hang')
  const [fresh, returning, ofOther] = await Promise.all([
    openStream(hub, account),
    openStream(hub, account, { lastEventId: first.events()[0]?.id }),
    openStream(hub, crypto.randomUUID()),
  ])
  proxy.setFault(undefined)
  await publishUntilAccepted(() => hub.publish(account, createEvents(1, 3)))
  await expectNumbers(returning, [2, 3])
  await expectNumbers(fresh, [3])
  await other.publish(account, createEvents(1, 4))
  await expectNumbers(fresh, [3, 4])
  expect(
    [fresh, returning].flatMap((stream) => stream.events()).filter(({ event }) => event === 'overflow'),
  ).toEqual([])
  expect(ofOther.isClosed()).toBe(false)
})

it('RES-04 a new stream of an account without others opens while Redis hangs', async () => {
  const { hub, other, proxy, account } = await openTwoHubs({ timeoutMs: 200, blockMs: 300 })
  await other.publish(account, createEvents(2))
  proxy.setFault('hang')
  const stream = await openStream(hub, account)
  proxy.setFault(undefined)
  await expect
    .poll(
      () =>
        hub.ping().then(
          () => true,
          () => false,
        ),
      pollOptions,
    )
    .toBe(true)
  // Until the process has found the newest event, others count as old.
  await new Promise((resolve) => setTimeout(resolve, 300))
  await other.publish(account, createEvents(2, 3))
  await expectNumbers(stream, [3, 4])
})

it('a publish to a Redis that hangs rejects within its time-out', { retry: 2 }, async () => {
  const proxy = await startRedisProxy(await startTestRedis())
  const hub = await openRedisHub(proxy.url, { timeoutMs: 200 })
  proxy.setFault('hang')
  const startedAt = performance.now()
  await expect(hub.publish(crypto.randomUUID(), createEvents(1))).rejects.toThrow()
  expect(performance.now() - startedAt).toBeLessThan(1000)
})

/** Start an emulator that the test can stop and start again with the same data. */
async function startRestartableRedis() {
  const store = createMockStore(crypto.randomUUID())
  let server = await startTcpRedis({ store })
  onTestFinished(() => server.stop())
  return {
    url: server.url,
    stop: () => server.stop(),
    async start() {
      server = await startTcpRedis({ store, port: server.port })
    },
  }
}

it('a restart of Redis loses no stored event and closes no stream', async () => {
  const redis = await startRestartableRedis()
  const [hub, other, account] = [
    await openRedisHub(redis.url),
    await openRedisHub(redis.url),
    crypto.randomUUID(),
  ]
  const streams = [await openStream(hub, account), await openStream(other, account)]
  await hub.publish(account, createEvents(3))
  await redis.stop()
  await expect(hub.publish(account, createEvents(1, 4))).rejects.toThrow()
  await redis.start()
  await publishUntilAccepted(() => other.publish(account, createEvents(1, 4)))
  for (const stream of streams) await expectNumbers(stream, [1, 2, 3, 4])
  const late = await openStream(hub, account, { lastEventId: '1' })
  await expectNumbers(late, [1, 2, 3, 4])
})

it('a Redis that has lost its data continues with higher ids, so that clients receive the new events', async () => {
  const { url, hub, account } = await openTwoHubs()
  const stream = await openStream(hub, account)
  await publishEvents(hub, account, createEvents(3))
  await expectNumbers(stream, [1, 2, 3])
  const redis = openRedis({ url, log: () => {} })
  onTestFinished(() => redis.close())
  await redis.waitUntilReady()
  await redis.client.del(`live:{${account}}`, `live:{${account}}:keys`)
  await hub.publish(account, createEvents(2, 4))
  await expectNumbers(stream, [1, 2, 3, 4, 5])
  expect(stream.events().every(({ event }) => event === 'handoff_created')).toBe(true)
  const reconnected = await openStream(hub, account, { lastEventId: stream.events()[2]?.id ?? '' })
  await expectNumbers(reconnected, [4, 5])
  expect(reconnected.events()).toHaveLength(2)
})

it(
  'the events of an account expire seven days after the last one, and a process stores at most 4,096 keys of them',
  night,
  async () => {
    const { url, hub, account } = await openTwoHubs()
    for (let n = 0; n < 42; n++) await hub.publish(account, createEvents(100))
    const redis = openRedis({ url, log: () => {} })
    onTestFinished(() => redis.close())
    await redis.waitUntilReady()
    const [stream, keys] = [`live:{${account}}`, `live:{${account}}:keys`]
    expect([await redis.client.xlen(stream), await redis.client.zcard(keys)]).toEqual([256, 4096])
    for (const key of [stream, keys]) {
      const ttlMs = await redis.client.pttl(key)
      expect(ttlMs).toBeGreaterThan(7 * 86_400_000 - 60_000)
      expect(ttlMs).toBeLessThanOrEqual(7 * 86_400_000)
    }
  },
)

it('an entry that no process wrote is skipped', async () => {
  const { url, hub, account } = await openTwoHubs()
  const stream = await openStream(hub, account)
  const redis = openRedis({ url, log: () => {} })
  onTestFinished(() => redis.close())
  await redis.waitUntilReady()
  await redis.client.xadd(`live:{${account}}`, '1-0', 'unexpected', '1')
  await redis.client.del(`live:{${account}}`)
  await hub.publish(account, createEvents(1))
  await expectNumbers(stream, [1])
})

it('a process reads only the accounts that have open streams in it', async () => {
  const { hub, other, proxy, account } = await openTwoHubs()
  const next = crypto.randomUUID()
  const stream = await openStream(hub, account)
  stream.disconnect()
  await expect.poll(() => hub.countStreams(account), pollOptions).toBe(0)
  const sentBefore = proxy.readSent().length
  const nextStream = await openStream(hub, next)
  await other.publish(account, createEvents(1))
  await other.publish(next, createEvents(1))
  await expectNumbers(nextStream, [1])
  await expect.poll(() => proxy.readSent().slice(sentBefore), pollOptions).toContain('xread')
  expect(proxy.readSent().slice(sentBefore)).not.toContain(account)
})

it('a hub whose process cannot read the streams of Redis fails its ping, and continues when it can', async () => {
  const { url, hub, other, account } = await openTwoHubs()
  const stream = await openStream(hub, account)
  await hub.ping()
  const redis = openRedis({ url, log: () => {} })
  onTestFinished(() => redis.close())
  await redis.waitUntilReady()
  await redis.client.set(`live:{${account}}`, 'no stream', 'EX', 60)
  // Another account ends the waiting XREAD.
  await openStream(hub, crypto.randomUUID())
  await expect.poll(() => hub.ping().then(String, String), pollOptions).toContain('cannot be read')
  await redis.client.del(`live:{${account}}`)
  await other.publish(account, createEvents(1))
  await expectNumbers(stream, [1])
  await hub.ping()
})

it('a stream receives the events that arrive while its stored events are read', async () => {
  const { url, other, account } = await openTwoHubs()
  const redis = openRedis({ url, timeoutMs: 10_000, log: () => {} })
  onTestFinished(() => redis.close())
  await redis.waitUntilReady()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let isHeld = false
  let heldReplies = 0
  const call: typeof redis.call = async (send) => {
    const reply = await redis.call(send)
    if (isHeld && ++heldReplies > 0) await released
    return reply
  }
  const hub = createRedisRealtime(
    { ...redis, call },
    { heartbeatMs, selectActiveSignIns: async () => new Set() },
  )
  onTestFinished(() => hub.close())
  const first = await openStream(hub, account)
  await other.publish(account, createEvents(1))
  await expectNumbers(first, [1])
  isHeld = true
  const opening = [openStream(hub, account), openStream(hub, account, { lastEventId: first.lastId() })]
  await expect.poll(() => heldReplies, pollOptions).toBe(3)
  await other.publish(account, createEvents(3, 2))
  await expectNumbers(first, [1, 2, 3, 4])
  release()
  for (const stream of await Promise.all(opening)) await expectNumbers(stream, [2, 3, 4])
  await other.publish(account, createEvents(1, 5))
  await expectNumbers(first, [1, 2, 3, 4, 5])
})

it('a client that is back before Redis gets its stream with Redis', async () => {
  const { proxy, hub, other, account } = await openTwoHubs()
  proxy.setFault('down')
  const pingFails = () =>
    hub.ping().then(
      () => false,
      () => true,
    )
  await expect.poll(pingFails, pollOptions).toBe(true)
  const opening = openStream(hub, account)
  proxy.setFault(undefined)
  const stream = await opening
  await other.publish(account, createEvents(1))
  await expectNumbers(stream, [1])
})

it('no stream is read for a client that has left', async () => {
  const redis = openRedis({ url: await startTestRedis(), timeoutMs: 10_000, log: () => {} })
  onTestFinished(() => redis.close())
  await redis.waitUntilReady()
  const readKeys = new Set<unknown>()
  const openBlocking: typeof redis.openBlocking = (blockMs) => {
    const connection = redis.openBlocking(blockMs)
    const xread = (client: typeof redis.client, args: Parameters<typeof redis.client.xread>) => {
      for (const arg of args) readKeys.add(arg)
      return client.xread(...args)
    }
    const call: typeof connection.call = (send) =>
      connection.call((client) =>
        send({ xread: (...args: Parameters<typeof client.xread>) => xread(client, args) } as never),
      )
    return { ...connection, call }
  }
  const hub = createRedisRealtime(
    { ...redis, openBlocking },
    { heartbeatMs, selectActiveSignIns: async () => new Set() },
  )
  onTestFinished(() => hub.close())
  const [left, other] = [crypto.randomUUID(), crypto.randomUUID()]
  await hub.subscribe(left, {
    userId: 'u',
    signInId: 's',
    lastEventId: null,
    signal: AbortSignal.abort(),
  } as never)
  await openStream(hub, other)
  await expect.poll(() => readKeys.has(streamKeyOf(other)), pollOptions).toBe(true)
  expect(readKeys.has(streamKeyOf(left))).toBe(false)
})

it.each([
  ['another type', (key: string) => ['set', key, 'x']],
  ['entries of something else', (key: string) => ['xadd', key, '99999999999999999-1', 'a', 'b']],
] as const)(
  'RES-04 a stream key with %s does not stop the events of other accounts',
  async (_, createCommand) => {
    const { url, hub, other, account } = await openTwoHubs()
    const broken = crypto.randomUUID()
    const streams = [await openStream(hub, account), await openStream(hub, broken)] as const
    const redis = openRedis({ url, timeoutMs: 10_000, log: () => {} })
    onTestFinished(() => redis.close())
    await redis.waitUntilReady()
    const [command, ...args] = createCommand(`live:{${broken}}`)
    await redis.call((client) => client.call(command as string, ...args))
    await publishUntilAccepted(() => other.publish(account, createEvents(1)))
    await expectNumbers(streams[0], [1])
    await publishUntilAccepted(() => other.publish(broken, createEvents(1)))
    await expectNumbers(streams[1], [1])
    await hub.ping()
  },
)
