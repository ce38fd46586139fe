// @module-tag mechanism
import { expect, it, onTestFinished, vi } from 'vitest'
import { createAccountSockets, type HubSocket, type SocketState } from '#platform/cloudflare/hub-sockets.ts'
import type { StreamEvent, StreamStart } from '#vendors/realtime/subscriber.ts'

const heartbeatMs = 1000
const startAt = Date.parse('2026-11-21T09:00:00Z')
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const toEvent = (id: number): StreamEvent => ({ id, event: 'handoff_created', data: `{"n":${id}}` })

/** A socket whose client pings when the test says so. */
class FakeSocket implements HubSocket {
  sent: { id: number; event: string; data: unknown }[] = []
  closed: [number, string | undefined] | undefined
  pingedAt: number | null = null
  isBroken = false
  #attachment: unknown = null
  send(text: string) {
    if (this.isBroken) throw new Error('The socket is broken')
    this.sent.push(JSON.parse(text))
  }
  close(code: number, reason?: string) {
    this.closed = [code, reason]
  }
  serializeAttachment(value: unknown) {
    this.#attachment = structuredClone(value)
  }
  deserializeAttachment() {
    return structuredClone(this.#attachment) as ReturnType<HubSocket['deserializeAttachment']>
  }
  ids() {
    return this.sent.map(({ id }) => id)
  }
}

/** Create the sockets of an account whose sign-ins, stored events and time the test sets. */
function createTestSockets() {
  vi.useFakeTimers({ toFake: ['Date'], now: startAt })
  const pairs: unknown[] = []
  vi.stubGlobal(
    'WebSocketRequestResponsePair',
    class {
      constructor(...texts: string[]) {
        pairs.push(texts)
      }
    },
  )
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const world = {
    alarm: null as number | null,
    stored: [] as StreamEvent[],
    /** Null while the database does not answer. */
    active: new Set<string>() as Set<string> | null,
    checks: [] as string[][],
    others: [] as { openedAt: number; replace(): void }[],
    pairs,
  }
  const accepted: FakeSocket[] = []
  const state: SocketState = {
    acceptWebSocket: (socket) => void accepted.push(socket as FakeSocket),
    getWebSockets: () => accepted,
    setWebSocketAutoResponse: () => {},
    getWebSocketAutoResponseTimestamp: (socket) => {
      const { pingedAt } = socket as FakeSocket
      return pingedAt === null ? null : new Date(pingedAt)
    },
    storage: {
      getAlarm: async () => world.alarm,
      setAlarm: async (at) => {
        world.alarm = at
      },
    },
  }
  const createSockets = () =>
    createAccountSockets(state, {
      heartbeatMs,
      listOtherConnections: () => world.others,
      selectActiveSignIns: async (owners) => {
        world.checks.push(owners.map(({ signInId }) => signInId))
        if (!world.active) throw new Error('The database is away')
        return world.active
      },
      readEventsAfter: (after): StreamStart => ({
        after,
        missed: world.stored.filter(({ id }) => id > after),
        lostCount: 0,
      }),
    })
  const sockets = createSockets()
  const open = async (
    signInId: string,
    { userId = signInId, start = { after: 0, missed: [], lostCount: 0 } as StreamStart } = {},
  ) => {
    world.active?.add(signInId)
    const socket = new FakeSocket()
    await sockets.open(socket, { accountId: 'a', userId, signInId }, start)
    return socket
  }
  return { world, sockets, open, createSockets, advance: (ms: number) => vi.setSystemTime(Date.now() + ms) }
}

it('a socket starts with the id after which it continues, the number of lost events, and what it has missed', async () => {
  const { world, sockets, open } = createTestSockets()
  const socket = await open('one', { start: { after: 3, missed: [toEvent(5), toEvent(6)], lostCount: 1 } })
  expect(socket.sent).toEqual([
    { id: 3, event: 'connected', data: {} },
    { id: 3, event: 'overflow', data: { dropped: 1 } },
    { id: 5, event: 'handoff_created', data: { n: 5 } },
    { id: 6, event: 'handoff_created', data: { n: 6 } },
  ])
  expect(world.pairs).toEqual([['ping', 'pong']])
  world.stored = range(1, 7).map(toEvent)
  await sockets.sendNewEvents()
  expect(socket.ids().slice(4)).toEqual([7])
})

it('a socket that has missed nothing continues after the newest event', async () => {
  const { world, sockets, open } = createTestSockets()
  const socket = await open('one', { start: { after: 4, missed: [], lostCount: 0 } })
  world.stored = range(1, 5).map(toEvent)
  await sockets.sendNewEvents()
  expect(socket.ids()).toEqual([4, 5])
})

it('the first socket sets the alarm to 12 heartbeat intervals, and a later one leaves it', async () => {
  const { world, open, advance } = createTestSockets()
  await open('one')
  expect(world.alarm).toBe(startAt + 12 * heartbeatMs)
  advance(500)
  await open('two')
  expect(world.alarm).toBe(startAt + 12 * heartbeatMs)
})

it('the sign-ins are checked before events are sent, at most once per heartbeat interval', async () => {
  const { world, sockets, open, advance } = createTestSockets()
  await open('one')
  for (const [ms, checks] of [
    [0, 1],
    [heartbeatMs - 1, 1],
    [1, 2],
  ] as const) {
    advance(ms)
    await sockets.sendNewEvents()
    await sockets.broadcast([])
    expect([ms, world.checks.length]).toEqual([ms, checks])
  }
})

it('a failed check is repeated before the next events', async () => {
  const { world, sockets, open } = createTestSockets()
  await open('one')
  world.active = null
  await sockets.sendNewEvents()
  await sockets.broadcast([])
  expect(world.checks).toEqual([['one'], ['one']])
})

it('nothing is checked and no alarm is set without an open socket', async () => {
  const { world, sockets } = createTestSockets()
  await sockets.checkSignIns()
  expect([world.checks, world.alarm]).toEqual([[], null])
})

it('the alarm closes the sockets of ended sign-ins, sends the others what is new, and is set again', async () => {
  const { world, sockets, open, advance } = createTestSockets()
  const [ended, active] = [await open('one'), await open('two')]
  world.active?.delete('one')
  world.stored = [toEvent(1)]
  advance(12 * heartbeatMs)
  await sockets.checkSignIns()
  expect([ended.closed, ended.ids()]).toEqual([[4401, 'the sign-in has ended'], [0]])
  expect([active.closed, active.ids(), sockets.count()]).toEqual([undefined, [0, 1], 1])
  expect(world.alarm).toBe(startAt + 24 * heartbeatMs)
})

it('a check that fails is repeated after one interval, and closes sockets that could not be checked for 16', async () => {
  const { world, sockets, open, advance } = createTestSockets()
  const socket = await open('one')
  advance(heartbeatMs)
  await sockets.checkSignIns()
  const checkedAt = Date.now()
  world.active = null
  advance(16 * heartbeatMs - 1)
  await sockets.checkSignIns()
  expect([socket.closed, world.alarm]).toEqual([undefined, Date.now() + heartbeatMs])
  advance(1)
  await sockets.checkSignIns()
  expect(socket.closed).toEqual([1013, 'the sign-in cannot be checked; connect again later'])
  expect([Date.now() - checkedAt, sockets.count()]).toEqual([16 * heartbeatMs, 0])
})

it('a socket is closed before the 65th event without a ping, and a ping starts the count again', async () => {
  const { world, sockets, open } = createTestSockets()
  const [silent, pinging] = [await open('one'), await open('two')]
  world.stored = range(1, 64).map(toEvent)
  await sockets.sendNewEvents()
  expect([silent.closed, pinging.closed]).toEqual([undefined, undefined])
  pinging.pingedAt = startAt + 5
  world.stored.push(toEvent(65))
  await sockets.sendNewEvents()
  expect([silent.closed, silent.ids().at(-1)]).toEqual([
    [4408, 'too many events without a ping; connect again'],
    64,
  ])
  world.stored.push(...range(66, 129).map(toEvent))
  await sockets.sendNewEvents()
  expect([pinging.closed?.[0], pinging.ids().at(-1)]).toEqual([4408, 128])
})

it('a socket that fails is closed, and the others receive the event', async () => {
  const { world, sockets, open } = createTestSockets()
  const [broken, other] = [await open('one'), await open('two')]
  broken.isBroken = true
  world.stored = [toEvent(1)]
  await sockets.sendNewEvents()
  expect([broken.closed, other.ids()]).toEqual([
    [1011, 'sending has failed; connect again'],
    [0, 1],
  ])
})

it('transient events reach their audience with the id of the last stored event, and count like stored ones', async () => {
  const { world, sockets, open } = createTestSockets()
  const [one, two] = [await open('one'), await open('two')]
  world.stored = [toEvent(1)]
  await sockets.sendNewEvents()
  await sockets.broadcast([
    { event: 'presence', data: { n: 1 }, audience: null },
    { event: 'presence', data: { n: 2 }, audience: ['one'] },
  ])
  expect(one.sent.slice(2)).toEqual([1, 2].map((n) => ({ id: 1, event: 'presence', data: { n } })))
  expect(two.sent.slice(2)).toEqual([{ id: 1, event: 'presence', data: { n: 1 } }])
  world.stored = range(1, 62).map(toEvent)
  await sockets.sendNewEvents()
  expect([one.closed, two.closed]).toEqual([undefined, undefined])
  world.stored.push(toEvent(63))
  await sockets.sendNewEvents()
  expect([one.closed?.[0], two.closed]).toEqual([4408, undefined])
})

it('transient events are dropped after 32 events without a ping', async () => {
  const { sockets, open } = createTestSockets()
  const socket = await open('one')
  const events = range(1, 40).map((n) => ({ event: 'presence' as const, data: { n }, audience: null }))
  await sockets.broadcast(events)
  await sockets.broadcast(events)
  expect(socket.sent).toHaveLength(33)
  socket.pingedAt = startAt + 5
  await sockets.broadcast(events)
  expect([socket.sent.length, socket.closed]).toEqual([65, undefined])
})

it('no transient event is sent after more than 32 stored ones', async () => {
  const { world, sockets, open } = createTestSockets()
  const socket = await open('one')
  world.stored = range(1, 40).map(toEvent)
  await sockets.sendNewEvents()
  const event = { event: 'presence', data: {}, audience: null } as const
  await sockets.broadcast([event, event])
  expect(socket.sent).toHaveLength(41)
})

it('a socket that fails at a transient event is closed', async () => {
  const { sockets, open } = createTestSockets()
  const socket = await open('one')
  socket.isBroken = true
  await sockets.broadcast([{ event: 'presence', data: {}, audience: ['two'] }])
  expect(socket.closed).toBeUndefined()
  await sockets.broadcast([{ event: 'presence', data: {}, audience: null }])
  expect([socket.closed?.[0], sockets.count()]).toEqual([1011, 0])
})

it('the sixth connection of a person replaces the oldest, of whichever kind it is', async () => {
  const { world, sockets, open, advance } = createTestSockets()
  const replaced: string[] = []
  world.others = [{ openedAt: startAt + 5, replace: () => replaced.push('stream') }]
  const own: FakeSocket[] = []
  for (let n = 0; n < 4; n++) {
    own.push(await open(`one ${n}`, { userId: 'one' }))
    advance(10)
  }
  await open('two')
  expect([replaced, own.map(({ closed }) => closed)]).toEqual([
    [],
    [undefined, undefined, undefined, undefined],
  ])
  await open('one 4', { userId: 'one' })
  expect([replaced, own.map(({ closed }) => closed?.[0])]).toEqual([
    [],
    [4409, undefined, undefined, undefined],
  ])
  await open('one 5', { userId: 'one' })
  expect(replaced).toEqual(['stream'])
  expect([sockets.count(), sockets.listConnections('one').map(({ openedAt }) => openedAt - startAt)]).toEqual(
    [5 + 1, [10, 20, 30, 40, 40]],
  )
})

it('a socket that sends a message is closed', async () => {
  const { sockets, open } = createTestSockets()
  const socket = await open('one')
  sockets.refuseMessage(socket)
  expect([socket.closed, sockets.count()]).toEqual([[1008, 'only the message "ping" is accepted'], 0])
})

it('the sockets are known again after hibernation, and their sign-ins are checked before the next event', async () => {
  const { world, sockets, open, createSockets } = createTestSockets()
  const socket = await open('one')
  world.stored = [toEvent(1)]
  await sockets.sendNewEvents()
  const awake = createSockets()
  world.stored.push(toEvent(2))
  await awake.sendNewEvents()
  expect([awake.count(), socket.ids(), world.checks.length]).toEqual([1, [0, 1, 2], 2])
})
