import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createClient, type ServerEvent } from '#client/client.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { insertStreamEvents, openEscalationStream } from '#test/support/escalations.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { openSocket, type TestSocket } from '#test/support/sockets.ts'
import { startStreamProxy } from '#test/support/stream-proxy.ts'

// The sign-ins are checked 12 intervals after a socket opens, and again while events are sent.
const heartbeatMs = 100
const service = await startOwnService(
  { STREAM_HEARTBEAT_MS: String(heartbeatMs) },
  { platform: 'cloudflare', databaseFaults: true },
)
afterAll(() => service.close())

const pollOptions = { timeout: 30_000, interval: 10 }
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const expectNumbers = (socket: TestSocket, numbers: number[]) =>
  expect.poll(() => socket.numbers(), pollOptions).toEqual(numbers)
const expectClosed = (socket: TestSocket, code: number) =>
  expect.poll(() => socket.closeCode(), pollOptions).toBe(code)
const countConnections = (accountId: string) => service.stack.countSubscribers(accountId)
const hibernateHub = async (accountId: string) => service.stack.hibernateHub?.(accountId)

async function createPeople() {
  const account = await createAccount(service)
  return { account, listener: await account.addColleague() }
}

const publish = (accountId: string, count: number) => insertStreamEvents(service, accountId, count)

it('SSE-14 opens a WebSocket for engineers and admins with an Authorization header, and refuses everybody else', async () => {
  const { account, listener } = await createPeople()
  for (const [person, status] of [
    [listener, 101],
    [account.admin, 101],
    [await account.addColleague({ role: 'viewer' }), 403],
    [{ token: 'no.such.token' }, 401],
  ] as const)
    expect((await openSocket(service, person)).status).toBe(status)
  const { headers } = await openSocket(service, listener)
  expect(headers).toMatchObject({
    'x-request-id': expect.any(String),
    'x-content-type-options': 'nosniff',
    'ratelimit-limit': '60',
  })
  expect(headers).not.toHaveProperty('sec-websocket-protocol')
})

it('SSE-14 takes the token of a browser as a protocol, and selects the other one', async () => {
  const { listener } = await createPeople()
  const open = (protocols: string[]) => openSocket(service, listener, { protocols, headers: {} })
  const socket = await open(['support-flow', `bearer.${listener.token}`])
  expect([socket.status, socket.protocol]).toEqual([101, 'support-flow'])
  expect((await open(['support-flow', 'bearer.no.such.token'])).status).toBe(401)
  expect((await open(['support-flow'])).status).toBe(401)
})

it('SSE-14 ignores a token in the protocols of a request that asks for no WebSocket, and of any other operation', async () => {
  const { listener } = await createPeople()
  const headers = { 'sec-websocket-protocol': `support-flow, bearer.${listener.token}` }
  for (const path of ['/ai-sessions/escalations/stream', '/auth/me'])
    expect((await fetch(`${service.api}/api/v1${path}`, { headers })).status).toBe(401)
})

it('SSE-21 SSE-22 SSE-23 opens and reopens a stream with a ticket, and no WebSocket', async () => {
  const { account, listener } = await createPeople()
  const { body } = await listener.call('POST', '/auth/stream-ticket')
  const query = `?ticket=${body.ticket}`
  expect((await openSocket(service, listener, { headers: {}, query })).status).toBe(401)
  const stream = await openEscalationStream(service, { token: '' }, {}, query)
  await publish(account.id, 1)
  await expect.poll(() => stream.events().length, pollOptions).toBe(1)
  stream.disconnect()
  await publish(account.id, 2)
  expect((await openEscalationStream(service, { token: '' }, {}, query)).status).toBe(401)
  const reconnected = await openEscalationStream(
    service,
    { token: '' },
    { 'last-event-id': stream.events()[0]?.id ?? '' },
    query,
  )
  await expect.poll(() => reconnected.events().length, pollOptions).toBe(2)
  expect(service.log.join('\n')).not.toContain(body.ticket)
  reconnected.disconnect()
})

it('SSE-14 sends the same events as the stream, in order, to every socket of the account only', async () => {
  const [{ account, listener }, other] = [await createPeople(), await createPeople()]
  const sockets = [await openSocket(service, listener), await openSocket(service, account.admin)]
  const stream = await openEscalationStream(service, listener)
  const neighbour = await openSocket(service, other.listener)
  await publish(account.id, 3)
  await publish(other.account.id, 1)
  await expect.poll(() => stream.events().length, pollOptions).toBe(3)
  for (const socket of sockets) {
    await expectNumbers(socket, [1, 2, 3])
    expect(socket.events().map(({ id, ...event }) => ({ id: String(id), ...event }))).toEqual(stream.events())
  }
  await expectNumbers(neighbour, [1])
  stream.disconnect()
})

it('PRS-12 sends transient events to the sockets of their audience, also after hibernation, and stores none', async () => {
  const { account, listener } = await createPeople()
  const [socket, adminSocket] = [
    await openSocket(service, listener),
    await openSocket(service, account.admin),
  ]
  await publish(account.id, 1)
  await expectNumbers(socket, [1])
  await expectNumbers(adminSocket, [1])
  await hibernateHub(account.id)
  const flow = async (visibility: string) => (await createFlow(listener, { visibility })).id
  const [shared, hidden] = [await flow('account'), await flow('private')]
  for (const id of [hidden, shared]) await listener.client.presence.put({ type: 'flow', id, mode: 'viewing' })
  const received = (at: TestSocket) =>
    at.events().flatMap(({ id, event, data }) => (event === 'presence' ? [[id, data.id]] : []))
  // Each is published after its answer, so the second one may be first.
  const both = [hidden, shared].map((id) => [1, id]).toSorted()
  await expect.poll(() => received(socket).toSorted(), pollOptions).toEqual(both)
  await expect.poll(() => received(adminSocket), pollOptions).toEqual([[1, shared]])
  const reconnected = await openSocket(service, account.admin, { lastEventId: 0 })
  await expectNumbers(reconnected, [1])
  expect(received(reconnected)).toEqual([])
})

it('SSE-15 sends what a client has missed since the id that it names, beginning with that of its first message', async () => {
  const { account, listener } = await createPeople()
  const first = await openSocket(service, listener)
  await expect.poll(() => first.connected(), pollOptions).toEqual({ id: 0, event: 'connected', data: {} })
  first.close()
  await expect.poll(() => countConnections(account.id), pollOptions).toBe(0)
  await publish(account.id, 3)
  const all = await openSocket(service, listener, { lastEventId: 0 })
  await expectNumbers(all, [1, 2, 3])
  const later = await openSocket(service, listener, { lastEventId: 2 })
  await expectNumbers(later, [3])
  const fresh = await openSocket(service, listener)
  await publish(account.id, 1)
  await expectNumbers(all, [1, 2, 3, 1])
  await expectNumbers(later, [3, 1])
  await expectNumbers(fresh, [1])
  expect(fresh.connected()?.id).toBe(3)
  expect((await openSocket(service, listener, { lastEventId: 'x' })).status).toBe(422)
})

it('SSE-15 reports how many events a client has lost', async () => {
  const { account, listener } = await createPeople()
  for (let n = 0; n < 3; n++) await publish(account.id, 100)
  const socket = await openSocket(service, listener, { lastEventId: 2 })
  await expect.poll(() => socket.numbers().length, pollOptions).toBe(256)
  expect(socket.events()[0]).toEqual({ id: 2, event: 'overflow', data: { dropped: 42 } })
  expect(
    socket
      .events()
      .slice(1)
      .map(({ id }) => id),
  ).toEqual(range(45, 300))
})

it('SSE-16 keeps sockets open while the hub hibernates, answers pings, and wakes it for the next event', async () => {
  const { account, listener } = await createPeople()
  const socket = await openSocket(service, listener)
  await publish(account.id, 1)
  await expectNumbers(socket, [1])
  await hibernateHub(account.id)
  socket.send('ping')
  await expect.poll(() => socket.countPongs(), pollOptions).toBe(1)
  await publish(account.id, 2)
  await expectNumbers(socket, [1, 1, 2])
  expect(socket.events().map(({ id }) => id)).toEqual([1, 2, 3])
})

it('SSE-16 ends the socket of an ended sign-in before the hub sends the next event, also after it hibernated', async () => {
  const { account, listener } = await createPeople()
  const [socket, neighbour] = [await openSocket(service, listener), await openSocket(service, account.admin)]
  await service.sql('update sign_ins set ended_at = app.now() where user_id = $1', [listener.id])
  await hibernateHub(account.id)
  await publish(account.id, 1)
  await expectNumbers(neighbour, [1])
  await expectClosed(socket, 4401)
  expect(socket.events()).toEqual([])
})

it('SSE-16 ends the sockets of users who sign out, are deactivated or become viewers although no event is sent', async () => {
  const { account, listener } = await createPeople()
  const people = [listener, await account.addColleague(), await account.addColleague()]
  const neighbour = await openSocket(service, account.admin)
  const sockets = await Promise.all(people.map((person) => openSocket(service, person)))
  const statements = [
    `update sign_ins set ended_at = app.now() where user_id = $1`,
    `update users set is_active = false where id = $1`,
    `update users set role = 'viewer' where id = $1`,
  ]
  for (const [n, statement] of statements.entries()) await service.sql(statement, [people[n]?.id])
  for (const socket of sockets) await expectClosed(socket, 4401)
  expect([neighbour.closeCode(), await countConnections(account.id)]).toEqual([undefined, 1])
})

it('SSE-16 keeps sockets open through a short outage of the database, and ends them when sign-ins cannot be checked for long', async () => {
  const { listener } = await createPeople()
  const socket = await openSocket(service, listener)
  await dashboard(service).setFault({ service: 'postgres', mode: 'error' })
  const startedAt = Date.now()
  await expectClosed(socket, 1013)
  expect(Date.now() - startedAt).toBeGreaterThan(14 * heartbeatMs)
})

it('SSE-17 replaces the oldest of the sockets and streams of a person who opens a sixth, and nobody else’s', async () => {
  const { account, listener } = await createPeople()
  const neighbour = await openSocket(service, account.admin)
  const oldest = await openSocket(service, listener)
  const stream = await openEscalationStream(service, listener)
  const others = [
    await openSocket(service, listener),
    await openSocket(service, listener),
    await openSocket(service, listener),
  ]
  const secondStream = await openEscalationStream(service, listener)
  await expectClosed(oldest, 4409)
  others.push(await openSocket(service, listener))
  await stream.closed
  expect(stream.events().map(({ event }) => event)).toEqual(['replaced'])
  expect(await countConnections(account.id)).toBe(6)
  await publish(account.id, 1)
  for (const socket of [neighbour, ...others]) await expectNumbers(socket, [1])
  expect(oldest.numbers()).toEqual([])
  secondStream.disconnect()
})

it('SSE-18 closes a socket that has received 64 events without a ping, and keeps one that pings', async () => {
  const { account, listener } = await createPeople()
  const [silent, pinging] = [await openSocket(service, listener), await openSocket(service, account.admin)]
  await publish(account.id, 60)
  await expect.poll(() => pinging.numbers().length, pollOptions).toBe(60)
  pinging.send('ping')
  await expect.poll(() => pinging.countPongs(), pollOptions).toBe(1)
  await publish(account.id, 10)
  await expectClosed(silent, 4408)
  await expect.poll(() => pinging.numbers().length, pollOptions).toBe(70)
  expect([silent.numbers().length, pinging.closeCode()]).toEqual([64, undefined])
  const next = await openSocket(service, listener, { lastEventId: silent.events().at(-1)?.id ?? 0 })
  await expectNumbers(next, range(5, 10))
})

it.each(['hello', 'x'.repeat(100_000), ''])(
  'SSE-19 closes a socket whose client sends something else than a ping',
  async (text) => {
    const { account, listener } = await createPeople()
    const [socket, neighbour] = [
      await openSocket(service, listener),
      await openSocket(service, account.admin),
    ]
    socket.send(text)
    await expectClosed(socket, 1008)
    expect([neighbour.closeCode(), await countConnections(account.id)]).toEqual([undefined, 1])
  },
)

it('answers the close of a client, and forgets a client that closed', async () => {
  const { account, listener } = await createPeople()
  const socket = await openSocket(service, listener, { closeTimeoutMs: 1000 })
  socket.close(4000)
  await expectClosed(socket, 1000)
  expect(await countConnections(account.id)).toBe(0)
})

/** Replace Node's WebSocket, which waits for the end of a connection that a local workerd leaves open. */
function useImpatientSockets(): void {
  const options = { headers: {}, closeTimeout: 20 }
  class ImpatientSocket extends WebSocket {
    constructor(url: URL, protocols: string[]) {
      super(url, protocols, options)
    }
  }
  vi.stubGlobal('WebSocket', ImpatientSocket)
  onTestFinished(() => void vi.unstubAllGlobals())
}

/** Record the messages that the sockets of this process receive. */
function recordMessages(): string[] {
  const messages: string[] = []
  class RecordingSocket extends WebSocket {
    constructor(url: URL, protocols: string[]) {
      super(url, protocols)
      this.addEventListener('message', ({ data }) => messages.push(String(data)))
    }
  }
  vi.stubGlobal('WebSocket', RecordingSocket)
  onTestFinished(() => void vi.unstubAllGlobals())
  return messages
}

/** Follow the escalations of a person with a typed client that can send no other request. */
function followThroughSocket({ token }: Pick<Person, 'token'>, baseUrl = service.api) {
  const fetch = () => Promise.reject(new Error('Only the socket may be used'))
  const client = createClient({
    baseUrl,
    fetch,
    tokens: { access_token: token, refresh_token: 'unused' },
    wait: async () => {},
  })
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const received: ServerEvent[] = []
  const collect = async () => {
    for await (const event of client.ai.escalations.stream({}, { signal: leaving.signal, webSocket: true }))
      received.push(event)
  }
  const ended = collect()
  ended.catch(() => {})
  return { received, ended }
}

it('SSE-14 SSE-15 sends a typed client its events through a WebSocket, and continues after the connection was lost', async () => {
  const { account, listener } = await createPeople()
  const proxy = await startStreamProxy(service.api)
  const messages = recordMessages()
  const { received } = followThroughSocket(listener, proxy.origin)
  // With the first message the client knows where to continue.
  await expect.poll(() => messages, pollOptions).toEqual([expect.stringContaining('"connected"')])
  // The first loss is before any event, the second after one.
  for (const count of [2, 3]) {
    proxy.dropConnections()
    await publish(account.id, 1)
    await expect.poll(() => received.length, pollOptions).toBe(count - 1)
  }
  expect(received).toMatchObject(
    [1, 2].map((n) => ({ id: String(n), event: 'handoff_created', data: { n: 1 } })),
  )
})

it('SSE-16 ends the events of a typed client with 401 when the sign-in has ended', async () => {
  const { account, listener } = await createPeople()
  useImpatientSockets()
  const { ended } = followThroughSocket(listener)
  await expect.poll(() => countConnections(account.id), pollOptions).toBe(1)
  await service.sql('update sign_ins set ended_at = app.now() where id = $1', [listener.signInId])
  await publish(account.id, 1)
  await expect(ended).rejects.toMatchObject({ status: 401 })
})

it('SSE-17 ends the events of a typed client whose socket is replaced', async () => {
  useImpatientSockets()
  const { account, listener } = await createPeople()
  const { received, ended } = followThroughSocket(listener)
  await expect.poll(() => countConnections(account.id), pollOptions).toBe(1)
  for (let n = 0; n < 5; n++) await openSocket(service, listener)
  await ended
  expect(received.map(({ event }) => event)).toEqual(['replaced'])
})
