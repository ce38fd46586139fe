import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { parseEvents } from '#test/support/ai.ts'
import { chooseRetryMs, maxQueuedEvents, openSubscriber } from '#vendors/realtime/subscriber.ts'

const buildEvent = (id: number) => ({ id, event: 'handoff_created', data: JSON.stringify({ n: id }) })
const decoder = new TextDecoder()

/** Open a subscriber. `countDisconnects` returns how often its client has disconnected. */
function openTestSubscriber(missed: ReturnType<typeof buildEvent>[] = [], gap = { after: 0, lostCount: 0 }) {
  let disconnects = 0
  const subscriber = openSubscriber({ missed, ...gap }, () => disconnects++)
  const reader = subscriber.body.getReader()
  const read = async () => decoder.decode((await reader.read()).value)
  return { subscriber, reader, read, countDisconnects: () => disconnects }
}

it('SSE-07 SSE-10 queues 64 events for a slow client, and reports how many more were dropped', async () => {
  const { subscriber, read } = openTestSubscriber()
  await read()
  for (let n = 1; n <= maxQueuedEvents + 9; n++) subscriber.send(buildEvent(n))
  const received = parseEvents(await read())
  expect(received).toHaveLength(maxQueuedEvents + 1)
  expect(received.slice(0, -1).map(({ data }) => data.n)).toEqual(
    Array.from({ length: maxQueuedEvents }, (_, n) => n + 1),
  )
  // The overflow event has the id of the last event before the gap, so that a reconnect requests the dropped
  // events.
  expect(received.at(-1)).toEqual({ event: 'overflow', id: '64', data: { dropped: 9 } })
  const next = read()
  subscriber.send(buildEvent(100))
  expect(parseEvents(await next)).toEqual([{ event: 'handoff_created', id: '100', data: { n: 100 } }])
})

it('PRS-12 drops transient events for a client that does not read, before they push out other events', async () => {
  const { subscriber, read } = openTestSubscriber()
  await read()
  for (let n = 1; n <= maxQueuedEvents; n++) subscriber.sendTransient('presence', JSON.stringify({ n }))
  for (let n = 1; n <= maxQueuedEvents / 2; n++) subscriber.send(buildEvent(n))
  const names = parseEvents(await read()).map(({ event }) => event)
  expect(names).toEqual([
    ...Array(maxQueuedEvents / 2).fill('presence'),
    ...Array(maxQueuedEvents / 2).fill('handoff_created'),
  ])
  const next = read()
  await Promise.resolve()
  subscriber.sendTransient('presence', '{}')
  expect(await next).toBe('event: presence\ndata: {}\n\n')
})

it('sends an overflow event and the missed events first, and then each event immediately to a waiting client', async () => {
  const { subscriber, read } = openTestSubscriber([buildEvent(3), buildEvent(4)], { after: 0, lostCount: 2 })
  const first = parseEvents(await read())
  expect(first.map(({ event: name, id }) => [name, id])).toEqual([
    ['overflow', '0'],
    ['handoff_created', '3'],
    ['handoff_created', '4'],
  ])
  const waiting = read()
  await Promise.resolve()
  subscriber.send(buildEvent(5))
  expect(await waiting).toBe('id: 5\nevent: handoff_created\ndata: {"n":5}\n\n')
})

it('sends a heartbeat to a reading client, and returns the number of heartbeats that a slow client has not read', async () => {
  const { subscriber, read } = openTestSubscriber()
  await read()
  const waiting = read()
  await Promise.resolve()
  expect(subscriber.sendHeartbeat()).toBe(0)
  expect(await waiting).toBe(': heartbeat\n\n')
  subscriber.send(buildEvent(1))
  expect([subscriber.sendHeartbeat(), subscriber.sendHeartbeat(), subscriber.sendHeartbeat()]).toEqual([
    1, 2, 3,
  ])
  await read()
  const nextRead = read()
  await Promise.resolve()
  expect(subscriber.sendHeartbeat()).toBe(0)
  await nextRead
})

it('closes only once, ignores later events, and reports when its client disconnects', async () => {
  const { subscriber, reader, read, countDisconnects } = openTestSubscriber()
  await read()
  subscriber.close()
  subscriber.close()
  subscriber.send(buildEvent(1))
  expect((await reader.read()).done).toBe(true)
  const disconnected = openTestSubscriber()
  await disconnected.reader.cancel()
  disconnected.subscriber.send(buildEvent(1))
  disconnected.subscriber.close()
  expect([countDisconnects(), disconnected.countDisconnects()]).toEqual([0, 1])
})

it('delivers every event or counts it as dropped, whenever its client reads', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.integer({ min: 1, max: 90 }), fc.constant('read' as const)), { maxLength: 40 }),
      async (steps) => {
        const { subscriber, read } = openTestSubscriber()
        let text = await read()
        let sent = 0
        for (const step of steps) {
          if (step === 'read') {
            // One more event, so that read() always has something to return.
            subscriber.send(buildEvent(++sent))
            text += await read()
          } else for (let n = 0; n < step; n++) subscriber.send(buildEvent(++sent))
        }
        subscriber.send(buildEvent(++sent))
        text += await read()
        const received = parseEvents(text)
        const dropped = received
          .filter(({ event: name }) => name === 'overflow')
          .reduce((sum, { data }) => sum + data.dropped, 0)
        const numbers = received.filter(({ event: name }) => name !== 'overflow').map(({ id }) => Number(id))
        expect(numbers.length + dropped).toBe(sent)
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
      },
    ),
  )
})

it('SSE-12 starts a stream with a random reconnection time of 2 to 5 seconds', async () => {
  const { read } = openTestSubscriber()
  const [, retry] = /^: connected\nretry: (\d+)\nid: 0\n\n$/.exec(await read()) ?? []
  const times = [Number(retry), ...Array.from({ length: 200 }, chooseRetryMs)]
  expect([Math.min(...times) >= 2000, Math.max(...times) <= 5000]).toEqual([true, true])
  expect(new Set(times).size).toBeGreaterThan(100)
})

it('SSE-13 sends a waiting client a `replaced` event with a long reconnection time, and ends its stream', async () => {
  const { subscriber, reader, read } = openTestSubscriber()
  await read()
  const waiting = read()
  await Promise.resolve()
  subscriber.replace()
  expect(await waiting).toBe('retry: 300000\nevent: replaced\ndata: {}\n\n')
  expect((await reader.read()).done).toBe(true)
})

it('ignores an event that the client already has', async () => {
  const { subscriber, read } = openTestSubscriber([buildEvent(3), buildEvent(4)], { after: 2, lostCount: 0 })
  await read()
  for (const id of [3, 4, 5]) subscriber.send(buildEvent(id), 1)
  expect(parseEvents(await read()).map(({ id }) => id)).toEqual(['5'])
})

it('reports events that are missing before one, but not those of an earlier store', async () => {
  const { subscriber, read } = openTestSubscriber([], { after: 10, lostCount: 0 })
  await read()
  subscriber.send(buildEvent(11), 1)
  subscriber.send(buildEvent(15), 1)
  subscriber.send(buildEvent(100), 100)
  expect(parseEvents(await read())).toEqual([
    { event: 'handoff_created', id: '11', data: { n: 11 } },
    { event: 'overflow', id: '11', data: { dropped: 3 } },
    { event: 'handoff_created', id: '15', data: { n: 15 } },
    { event: 'handoff_created', id: '100', data: { n: 100 } },
  ])
})

it('counts missing events once when the queue is full', async () => {
  const { subscriber, read } = openTestSubscriber()
  await read()
  for (let n = 1; n <= maxQueuedEvents; n++) subscriber.send(buildEvent(n), 1)
  subscriber.send(buildEvent(maxQueuedEvents + 4), 1)
  expect(parseEvents(await read()).at(-1)).toEqual({ event: 'overflow', id: '64', data: { dropped: 4 } })
  const next = read()
  await Promise.resolve()
  subscriber.send(buildEvent(maxQueuedEvents + 5), 1)
  expect(parseEvents(await next).map(({ event: name }) => name)).toEqual(['handoff_created'])
})

it.each(['replace', 'end'] as const)(
  '%s tells a client that waits when to come back, and closes the stream',
  async (name) => {
    const { subscriber, reader, read } = openTestSubscriber()
    await read()
    const next = read()
    subscriber[name]()
    expect(await next).toMatch(
      name === 'replace' ? /^retry: \d+\nevent: replaced\ndata: \{\}\n\n$/ : /^retry: \d+\n\n$/,
    )
    expect((await reader.read()).done).toBe(true)
  },
)

it.each(['replace', 'end'] as const)(
  '%s writes nothing for a client that does not read, or whose stream is closed',
  async (name) => {
    const slow = openTestSubscriber()
    await slow.read()
    slow.subscriber[name]()
    expect((await slow.reader.read()).done).toBe(true)
    const closed = openTestSubscriber()
    await closed.read()
    const next = closed.reader.read()
    closed.subscriber.close()
    closed.subscriber[name]()
    expect((await next).done).toBe(true)
  },
)

it('counts the heartbeats that a client has not read, also after its stream was closed', async () => {
  const { subscriber, read } = openTestSubscriber()
  await read()
  expect([subscriber.sendHeartbeat(), subscriber.sendHeartbeat()]).toEqual([1, 2])
  const next = read()
  expect(subscriber.sendHeartbeat()).toBe(0)
  expect(await next).toBe(': heartbeat\n\n')
  const last = read()
  subscriber.close()
  expect(subscriber.sendHeartbeat()).toBe(1)
  expect(await last).toBe('')
})

it('starts after the id that the client has received, without any missed event', async () => {
  const { subscriber, read } = openTestSubscriber([], { after: 10, lostCount: 0 })
  expect(await read()).toContain('\nid: 10\n')
  for (const id of [9, 10, 13]) subscriber.send(buildEvent(id), 1)
  expect(parseEvents(await read())).toEqual([
    { event: 'overflow', id: '10', data: { dropped: 2 } },
    { event: 'handoff_created', id: '13', data: { n: 13 } },
  ])
})

it.each([
  [0, 2000],
  [0.999_999, 5000],
])('SSE-12 chooses a reconnection time for the random number %d: %i ms', (random, ms) => {
  vi.spyOn(Math, 'random').mockReturnValue(random)
  onTestFinished(() => void vi.restoreAllMocks())
  expect(chooseRetryMs()).toBe(ms)
})
