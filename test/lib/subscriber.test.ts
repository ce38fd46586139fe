import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openSubscriber, maxQueuedEvents } from '../../lib/realtime/subscriber.ts'
import { parseEvents } from '../support/ai.ts'

const event = (id: number) => ({ id, event: 'handoff_created', data: JSON.stringify({ n: id }) })
const decoder = new TextDecoder()

function open(missed: ReturnType<typeof event>[] = [], gap = { after: 0, forgotten: 0 }) {
  let left = 0
  const subscriber = openSubscriber(missed, gap, () => left++)
  const reader = subscriber.body.getReader()
  const read = async () => decoder.decode((await reader.read()).value)
  return { subscriber, reader, read, left: () => left }
}

it('SSE-07 SSE-10 holds 64 events for who does not read, and says in their place how many more there were', async () => {
  const { subscriber, read } = open()
  await read()
  for (let n = 1; n <= maxQueuedEvents + 9; n++) subscriber.send(event(n))
  const heard = parseEvents(await read())
  expect(heard).toHaveLength(maxQueuedEvents + 1)
  expect(heard.slice(0, -1).map(({ data }) => data.n)).toEqual(Array.from({ length: maxQueuedEvents }, (_, n) => n + 1))
  // Whose id is the last before the gap: a reconnect asks for what was dropped.
  expect(heard.at(-1)).toEqual({ event: 'overflow', id: '64', data: { dropped: 9 } })
  const next = read()
  subscriber.send(event(100))
  expect(parseEvents(await next)).toEqual([{ event: 'handoff_created', id: '100', data: { n: 100 } }])
})

it('hands an event on at once to who waits for it', async () => {
  const { subscriber, read } = open([event(3), event(4)], { after: 0, forgotten: 2 })
  const first = parseEvents(await read())
  expect(first.map(({ event: name, id }) => [name, id])).toEqual([
    ['overflow', '0'],
    ['handoff_created', '3'],
    ['handoff_created', '4'],
  ])
  const waiting = read()
  await Promise.resolve()
  subscriber.send(event(5))
  expect(await waiting).toBe('id: 5\nevent: handoff_created\ndata: {"n":5}\n\n')
})

it('beats for who reads, and counts the beats of who does not', async () => {
  const { subscriber, read } = open()
  await read()
  const waiting = read()
  await Promise.resolve()
  expect(subscriber.sendHeartbeat()).toBe(0)
  expect(await waiting).toBe(': heartbeat\n\n')
  subscriber.send(event(1))
  expect([subscriber.sendHeartbeat(), subscriber.sendHeartbeat(), subscriber.sendHeartbeat()]).toEqual([1, 2, 3])
  await read()
  const again = read()
  await Promise.resolve()
  expect(subscriber.sendHeartbeat()).toBe(0)
  await again
})

it('ends once, and hears that its client left', async () => {
  const { subscriber, reader, read, left } = open()
  await read()
  subscriber.close()
  subscriber.close()
  subscriber.send(event(1))
  expect((await reader.read()).done).toBe(true)
  const gone = open()
  await gone.reader.cancel()
  gone.subscriber.send(event(1))
  gone.subscriber.close()
  expect([left(), gone.left()]).toEqual([0, 1])
})

it('accounts for every event, whenever its client reads', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.integer({ min: 1, max: 90 }), fc.constant('read' as const)), { maxLength: 40 }),
      async (steps) => {
        const { subscriber, read } = open()
        let text = await read()
        let sent = 0
        for (const step of steps) {
          if (step === 'read') {
            // Something is always there to be read.
            subscriber.send(event(++sent))
            text += await read()
          } else for (let n = 0; n < step; n++) subscriber.send(event(++sent))
        }
        subscriber.send(event(++sent))
        text += await read()
        const heard = parseEvents(text)
        const dropped = heard.filter(({ event: name }) => name === 'overflow').reduce((sum, { data }) => sum + data.dropped, 0)
        const numbers = heard.filter(({ event: name }) => name !== 'overflow').map(({ id }) => Number(id))
        expect(numbers.length + dropped).toBe(sent)
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
      },
    ),
  )
})
