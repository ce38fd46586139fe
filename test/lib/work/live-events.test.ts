import { expect, it } from 'vitest'
import { createStubDatabase } from '#test/support/stub-database.ts'
import type { LiveEvent } from '#vendors/realtime/realtime.ts'
import { publishLiveEvents } from '#work/live-events.ts'

it.each([
  [0, []],
  [1, [1]],
  [16, [16]],
  [17, [16, 1]],
  [32, [16, 16]],
])('%i live events are published in batches of %j, and each batch is deleted', async (count, sizes) => {
  const { db, findStatements } = createStubDatabase(() => [])
  const published: LiveEvent[][] = []
  const realtime = { publish: async (_: string, events: LiveEvent[]) => void published.push(events) }
  const events = Array.from(
    { length: count },
    (_, n) => ({ key: `k${n}`, event: 'ticket_changed', data: {} }) as unknown as LiveEvent,
  )
  await publishLiveEvents({ platform: db, realtime: realtime as never }, 'a', events)
  expect(published.map(({ length }) => length)).toEqual(sizes)
  expect(published.flat()).toEqual(events)
  expect(findStatements('delete from stream_events')).toEqual(
    published.map((batch) => ['a', `{${batch.map(({ key }) => key).join(',')}}`]),
  )
})
