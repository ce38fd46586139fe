import { afterAll, expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { insertStreamEvents, openEscalationStream } from '#test/support/escalations.ts'
import { createAccount } from '#test/support/people.ts'

// The heartbeat is the one of production: no heartbeat finds the closed streams during the test.
const service = await startOwnService({}, { platform: 'cloudflare' })
afterAll(() => service.close())

it('SSE-26 streams that a page has closed push out no living stream of the same person', async () => {
  const account = await createAccount(service)
  const living = await openEscalationStream(service, account.admin)
  for (let reload = 0; reload < 4; reload++) {
    const page = await openEscalationStream(service, account.admin)
    await expect.poll(() => page.text()).toContain('connected')
    page.disconnect()
    await page.closed
  }
  const last = await openEscalationStream(service, account.admin)
  await insertStreamEvents(service, account.id, 1)
  for (const stream of [living, last])
    await expect.poll(() => stream.events('handoff_created').length, { timeout: 60_000 }).toBe(1)
  expect([living.events('replaced'), await service.stack.countSubscribers(account.id)]).toEqual([[], 2])
  for (const stream of [living, last]) stream.disconnect()
})
