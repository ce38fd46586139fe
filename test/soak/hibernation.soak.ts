import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { insertStreamEvents, openEscalationStream } from '#test/support/escalations.ts'
import { createAccount } from '#test/support/people.ts'
import { openSocket } from '#test/support/sockets.ts'

// workerd removes an idle object from memory after 10 s, as in production:
// https://github.com/cloudflare/workerd/pull/1138
const idleMs = 12_000
const pollOptions = { timeout: 10_000, interval: 10 }

it('a hub with sockets leaves the memory when it is idle, although they ping, and one with a stream does not', async () => {
  // The hub remembers for one interval that it has checked the sign-ins. It checks them again only if it has
  // forgotten that.
  const service = await startOwnService({ STREAM_HEARTBEAT_MS: '60000' }, { platform: 'cloudflare' })
  onTestFinished(() => service.close())
  const countQueriesOfEvent = async (accountId: string, countReceived: () => number) => {
    const [queries, received] = [service.stack.countRoundTrips(), countReceived()]
    await insertStreamEvents(service, accountId, 1)
    await expect.poll(countReceived, pollOptions).toBe(received + 1)
    return service.stack.countRoundTrips() - queries
  }
  const measure = async (hasStream: boolean) => {
    const { id, admin } = await createAccount(service)
    const socket = await openSocket(service, admin)
    const stream = hasStream ? await openEscalationStream(service, admin) : undefined
    const countQueries = () => countQueriesOfEvent(id, () => socket.numbers().length)
    await countQueries()
    const whenActive = await countQueries()
    for (let waited = 0; waited < idleMs; waited += 2000) {
      socket.send('ping')
      await sleep(2000)
    }
    const whenIdle = await countQueries()
    stream?.disconnect()
    return whenIdle - whenActive
  }
  expect(await measure(false)).toBe(1)
  expect(await measure(true)).toBe(0)
})
