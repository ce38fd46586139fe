import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMemoryRealtime } from '#platform/node/streams-in-memory.ts'
import { sharedService } from '#test/support/app.ts'
import { useClock } from '#test/support/clock.ts'
import {
  createEvents,
  heartbeatMs,
  hubKinds,
  openDurableHub,
  openMemoryHub,
  openStream,
  publishEvents,
  type TestStream,
} from '#test/support/hubs.ts'
import { createAccount } from '#test/support/people.ts'

const pollOptions = { timeout: 30_000, interval: 5 }
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const expectNumbers = (stream: TestStream, numbers: number[]) =>
  expect.poll(() => stream.numbers(), pollOptions).toEqual(numbers)
const createAccountId = () => crypto.randomUUID()

describe.each(hubKinds)('the hub in $name', ({ open }) => {
  it('sends events in order to every stream of their account, with ids that grow by one', async () => {
    const [hub, account, otherAccount] = [await open(), createAccountId(), createAccountId()]
    const streams = [await openStream(hub, account), await openStream(hub, account)]
    const neighbour = await openStream(hub, otherAccount)
    await hub.publish(account, createEvents(3))
    await hub.publish(otherAccount, createEvents(1, 100))
    await hub.publish(account, createEvents(2, 4))
    for (const stream of streams) {
      await expectNumbers(stream, [1, 2, 3, 4, 5])
      const ids = stream.events().map(({ id }) => Number(id))
      expect(ids).toEqual(range(ids[0] as number, (ids[0] as number) + 4))
    }
    await expectNumbers(neighbour, [100])
    expect(streams[0]?.text()).toMatch(
      /^: connected\nretry: [2-5]\d{3}\nid: \d{1,15}\n\nid: \d{1,15}\nevent: handoff_created\ndata: \{"n":1\}\n\n/,
    )
  })

  it('sends a client that reconnects what it has missed, and then new events', async () => {
    const [hub, account] = [await open(), createAccountId()]
    const first = await openStream(hub, account)
    await publishEvents(hub, account, createEvents(3))
    await expectNumbers(first, [1, 2, 3])
    const [, secondEvent] = first.events()
    first.disconnect()
    await publishEvents(hub, account, createEvents(2, 4))
    const reconnected = await openStream(hub, account, { lastEventId: secondEvent?.id ?? '' })
    const fresh = await openStream(hub, account)
    await expectNumbers(reconnected, [3, 4, 5])
    await hub.publish(account, createEvents(1, 6))
    await expectNumbers(reconnected, [3, 4, 5, 6])
    await expectNumbers(fresh, [6])
    const upToDate = await openStream(hub, account, { lastEventId: fresh.lastId() })
    await hub.publish(account, createEvents(1, 7))
    await expectNumbers(upToDate, [7])
    expect(reconnected.events().filter(({ event }) => event === 'overflow')).toEqual([])
  })

  it.each(['', 'x', '-1', '1.5', '1'.repeat(16)])(
    'starts with new events after the malformed id "%s"',
    async (lastEventId) => {
      const [hub, account] = [await open(), createAccountId()]
      await hub.publish(account, createEvents(2))
      const stream = await openStream(hub, account, { lastEventId })
      await hub.publish(account, createEvents(1, 3))
      await expectNumbers(stream, [3])
    },
  )

  it('PRS-12 sends transient events to the open streams of their audience, without an id, and stores none', async () => {
    const [hub, account, [anna, ben]] = [
      await open(),
      createAccountId(),
      [crypto.randomUUID(), crypto.randomUUID()],
    ]
    const streams = [
      await openStream(hub, account, { userId: anna }),
      await openStream(hub, account, { userId: ben }),
    ] as const
    const neighbour = await openStream(hub, createAccountId())
    const transient = (n: number, audience: string[] | null) => ({
      event: 'presence' as const,
      data: { n },
      audience,
    })
    await hub.publish(account, createEvents(1))
    await expectNumbers(streams[0], [1])
    await expectNumbers(streams[1], [1])
    await hub.broadcast(account, [
      transient(2, null),
      transient(3, [anna]),
      transient(4, []),
      transient(5, [ben]),
    ])
    await hub.publish(account, createEvents(1, 6))
    const received = (stream: TestStream) =>
      stream
        .events()
        .map(({ data }) => data.n)
        .toSorted()
    await expect.poll(() => received(streams[0]), pollOptions).toEqual([1, 2, 3, 6])
    await expect.poll(() => received(streams[1]), pollOptions).toEqual([1, 2, 5, 6])
    expect(streams[0].events().map(({ event, id }) => [event, id !== undefined])).toContainEqual([
      'presence',
      false,
    ])
    const reconnected = await openStream(hub, account, {
      userId: anna,
      lastEventId: streams[0].events()[0]?.id ?? '',
    })
    await expectNumbers(reconnected, [6])
    expect([received(reconnected), neighbour.events()]).toEqual([[6], []])
  })

  it('sends all stored events after an id that it has never given', async () => {
    const [hub, account] = [await open(), createAccountId()]
    const early = await openStream(hub, account, { lastEventId: '999999999999999' })
    await hub.publish(account, createEvents(2))
    await expectNumbers(early, [1, 2])
    const unknown = await openStream(hub, account, { lastEventId: '999999999999999' })
    await expectNumbers(unknown, [1, 2])
    await hub.publish(account, createEvents(1, 3))
    await expectNumbers(unknown, [1, 2, 3])
    expect(unknown.events().map(({ event }) => event)).toEqual(Array(3).fill('handoff_created'))
  })

  it('forgets the events of an account, and closes the streams whose sign-in has ended', async () => {
    const service = await sharedService()
    const [hub, account] = [await open(), await createAccount(service)]
    const [gone, colleague] = [await account.addColleague(), await account.addColleague()]
    const open1 = ({ id: userId, signInId }: typeof gone, lastEventId: string | null = null) =>
      openStream(hub, account.id, { userId, signInId, lastEventId })
    const streams = [await open1(gone), await open1(colleague)] as const
    await hub.publish(account.id, createEvents(2))
    await expectNumbers(streams[1], [1, 2])
    const firstId = streams[1].events()[0]?.id ?? ''
    await service.sql('delete from sign_ins where id = $1', [gone.signInId])
    await hub.forget(account.id)
    await expect.poll(() => streams[0].isClosed(), pollOptions).toBe(true)
    const reconnected = await open1(colleague, firstId)
    await hub.publish(account.id, createEvents(1, 3))
    await expectNumbers(streams[1], [1, 2, 3])
    await expectNumbers(reconnected, [3])
  })

  it('stores the last 256 events, and says how many a client has lost', async () => {
    const [hub, account] = [await open(), createAccountId()]
    const stream = await openStream(hub, account)
    await publishEvents(hub, account, createEvents(300))
    await expectNumbers(stream, range(1, 300))
    const [, second] = stream.events()
    const late = await openStream(hub, account, { lastEventId: second?.id ?? '' })
    await expectNumbers(late, range(45, 300))
    expect(late.events()[0]).toEqual({ event: 'overflow', id: second?.id, data: { dropped: 42 } })
    const unknown = await openStream(hub, account, { lastEventId: '999999999999999' })
    await expectNumbers(unknown, range(45, 300))
    expect(unknown.events()[0]).toEqual({ event: 'overflow', id: '0', data: { dropped: 44 } })
  })

  it('ignores an event whose key is stored already', async () => {
    const [hub, account] = [await open(), createAccountId()]
    const stream = await openStream(hub, account)
    const [one, two, three] = createEvents(3) as [never, never, never]
    await hub.publish(account, [one, one])
    await hub.publish(account, [one, two])
    await hub.publish(account, [two, three, one])
    await expectNumbers(stream, [1, 2, 3])
    const all = await openStream(hub, account, { lastEventId: '999999999999999' })
    await expectNumbers(all, [1, 2, 3])
    const ids = all.events().map(({ id }) => Number(id))
    expect(ids).toEqual(range(ids[0] as number, (ids[0] as number) + 2))
  })

  it('SSE-27 ignores an event that is published again after 400 others, also when a client reconnects', async () => {
    const [hub, account] = [await open(), createAccountId()]
    const stream = await openStream(hub, account)
    const [early] = createEvents(1) as [never]
    await hub.publish(account, [early])
    await publishEvents(hub, account, createEvents(400, 2))
    await hub.publish(account, [early])
    await publishEvents(hub, account, createEvents(1, 402))
    await expectNumbers(stream, range(1, 402))
    const late = await openStream(hub, account, { lastEventId: '999999999999999' })
    await expectNumbers(late, range(147, 402))
  })

  it('drops the events that a slow client has no room for, says how many, and delays nobody else', async () => {
    const [hub, account] = [await open(), createAccountId()]
    const slow = await openStream(hub, account, { isReading: false })
    const healthy = await openStream(hub, account)
    await publishEvents(hub, account, createEvents(80))
    await expectNumbers(healthy, range(1, 80))
    expect(healthy.events().every(({ event }) => event === 'handoff_created')).toBe(true)
    slow.read()
    await expectNumbers(slow, range(1, 64))
    await expect
      .poll(() => slow.events().at(-1), pollOptions)
      .toMatchObject({ event: 'overflow', data: { dropped: 16 } })
    // The overflow event has the id of the last event before the gap.
    const reconnected = await openStream(hub, account, { lastEventId: slow.lastId() })
    await expectNumbers(reconnected, range(65, 80))
  })

  it('closes the oldest of six streams of a person, and no stream of anybody else', async () => {
    const [hub, account, userId] = [await open(), createAccountId(), crypto.randomUUID()]
    const neighbour = await openStream(hub, account)
    const streams: TestStream[] = []
    for (let n = 0; n < 6; n++) streams.push(await openStream(hub, account, { userId }))
    const [oldest, ...others] = streams as [TestStream, ...TestStream[]]
    await expect.poll(() => oldest.isClosed(), pollOptions).toBe(true)
    expect(oldest.text()).toMatch(/retry: 300000\nevent: replaced\ndata: \{\}\n\n$/)
    expect(await hub.countStreams(account)).toBe(6)
    await hub.publish(account, createEvents(1))
    for (const stream of [neighbour, ...others]) await expectNumbers(stream, [1])
  })

  it('forgets a client that disconnects, and one that has disconnected before its stream opens', async () => {
    const [hub, account] = [await open(), createAccountId()]
    const [stream, other] = [await openStream(hub, account), await openStream(hub, account)]
    stream.disconnect()
    await expect.poll(() => hub.countStreams(account), pollOptions).toBe(1)
    other.disconnect()
    await expect.poll(() => hub.countStreams(account), pollOptions).toBe(0)
    const listener = { userId: 'u', signInId: 's', lastEventId: null, signal: AbortSignal.abort() }
    await hub.subscribe(account, listener).catch(() => {})
    expect(await hub.countStreams(account)).toBe(0)
    await hub.publish(account, createEvents(1))
    const next = await openStream(hub, account, { lastEventId: '999999999999999' })
    await expectNumbers(next, [1])
  })

  it('sends heartbeats, and closes the stream of an ended sign-in at the next one', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const service = await sharedService()
    const [hub, account] = [await open(), await createAccount(service)]
    const [admin, colleague] = [account.admin, await account.addColleague()]
    const openFor = ({ id, signInId }: typeof admin) => openStream(hub, account.id, { userId: id, signInId })
    const [kept, ended] = [await openFor(admin), await openFor(colleague)]
    await expect.poll(() => kept.text() && ended.text(), pollOptions).toContain('connected')
    vi.advanceTimersByTime(heartbeatMs)
    await expect.poll(() => ended.text(), pollOptions).toContain(': heartbeat\n\n')
    await service.sql('update sign_ins set ended_at = app.now() where user_id = $1', [colleague.id])
    const closesAtNextHeartbeat = () => {
      vi.advanceTimersByTime(heartbeatMs)
      return ended.isClosed()
    }
    await expect.poll(closesAtNextHeartbeat, { timeout: 30_000, interval: 50 }).toBe(true)
    expect([kept.isClosed(), await hub.countStreams(account.id)]).toEqual([false, 1])
  })

  it('answers a ping, and accepts an empty list of events', async () => {
    const [hub, account] = [await open(), createAccountId()]
    await hub.ping()
    const stream = await openStream(hub, account)
    await hub.publish(account, [])
    await hub.publish(account, createEvents(1))
    await expectNumbers(stream, [1])
  })
})

it.each(['2', '57', `${Date.parse('2026-01-01')}`])(
  'a client that comes from another platform or an earlier process with the id %s receives all stored events of this process',
  async (lastEventId) => {
    const [hub, account] = [await openMemoryHub(), createAccountId()]
    await hub.publish(account, createEvents(3))
    const stream = await openStream(hub, account, { lastEventId })
    await expectNumbers(stream, [1, 2, 3])
    expect(stream.events()).toHaveLength(3)
  },
)

it('ERA-13 the Durable Object of an erased account stores nothing once its connections are closed, and starts again', async () => {
  const service = await sharedService()
  const [hub, account] = [await openDurableHub(), await createAccount(service)]
  const { id: userId, signInId } = account.admin
  const stream = await openStream(hub, account.id, { userId, signInId })
  await hub.publish(account.id, createEvents(2))
  await expectNumbers(stream, [1, 2])
  await expect(hub.forget(account.id, { isErased: true })).rejects.toThrow('The hub returned 409')
  await service.sql('delete from sign_ins where id = $1', [signInId])
  await hub.forget(account.id, { isErased: true })
  expect([stream.isClosed(), hub.countTables(account.id)]).toEqual([true, 0])
  await hub.publish(account.id, createEvents(1))
  expect(hub.countTables(account.id)).toBe(1)
})

describe('the hub in one process', () => {
  const settings = { heartbeatMs, selectActiveSignIns: async () => new Set<string>() }
  const countStored = async (hub: ReturnType<typeof createMemoryRealtime>, account: string) => {
    const stream = await openStream(hub, account, { lastEventId: '999999999999999' })
    await expect.poll(() => stream.text(), pollOptions).toContain('connected')
    stream.disconnect()
    return stream.numbers().length
  }

  it('forgets the events of an account without streams after a day', async () => {
    const clock = useClock(Date.parse('2026-11-21T09:30:00Z'))
    const hub = createMemoryRealtime(settings)
    const [idle, active] = [createAccountId(), createAccountId()]
    await hub.publish(idle, createEvents(1))
    clock.now += 86_399_000
    await hub.publish(active, createEvents(1))
    expect(await countStored(hub, idle)).toBe(1)
    clock.now += 1001
    await hub.publish(active, createEvents(1))
    expect([await countStored(hub, idle), await countStored(hub, active)]).toEqual([0, 2])
  })

  it('forgets the events of the accounts that were idle the longest when it stores too much, and open streams notice nothing', async () => {
    const hub = createMemoryRealtime(settings, 13_000)
    const [first, second, third] = [createAccountId(), createAccountId(), createAccountId()]
    const stream = await openStream(hub, first)
    for (const account of [first, second, third]) await publishEvents(hub, account, createEvents(20))
    await expectNumbers(stream, range(1, 20))
    expect([
      await countStored(hub, first),
      await countStored(hub, second),
      await countStored(hub, third),
    ]).toEqual([0, 20, 20])
    const behind = await openStream(hub, first, { lastEventId: stream.events()[0]?.id ?? '' })
    await hub.publish(first, createEvents(1, 21))
    await expectNumbers(stream, range(1, 21))
    await expectNumbers(behind, [21])
    expect(behind.events()[0]).toMatchObject({ event: 'overflow', data: { dropped: 19 } })
    const reconnected = await openStream(hub, first, { lastEventId: stream.events()[0]?.id ?? '' })
    await expectNumbers(reconnected, [21])
    expect(reconnected.events()[0]).toMatchObject({ event: 'overflow', data: { dropped: 19 } })
  })
})

it.each(hubKinds.slice(1))(
  'the hub in $name ends all streams when it closes, and new ones immediately',
  async ({ open }) => {
    const [hub, account] = [await open(), createAccountId()]
    const stream = await openStream(hub, account)
    await expect.poll(() => stream.text(), pollOptions).toContain('connected')
    await (hub as unknown as { close(): Promise<void> }).close()
    await expect.poll(() => stream.isClosed(), pollOptions).toBe(true)
    expect(stream.text()).toMatch(/retry: [2-5]\d{3}\nid: \d+\n\nretry: [2-5]\d{3}\n\n$/)
    const late = await openStream(hub, account)
    await expect.poll(() => late.isClosed(), pollOptions).toBe(true)
    expect([late.text(), await hub.countStreams(account)]).toEqual([
      expect.stringMatching(/^: connected\nretry: [2-5]\d{3}\nid: \d+\n\n$/),
      0,
    ])
  },
)
