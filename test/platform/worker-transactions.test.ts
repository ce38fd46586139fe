// @module-tag mechanism
import { afterAll, expect, it } from 'vitest'
import { insertAiSession } from '#test/support/ai.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { night } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'

const service = await startOwnService({}, { platform: 'cloudflare', databaseFaults: true })
afterAll(() => service.close())

it('answers 503 within 4 s when the database hangs before a transaction, and works again afterwards', {
  ...night,
  retry: 2,
}, async () => {
  const { admin } = await createAccount(service)
  const park = async () => {
    const path = `/ai-sessions/${id}/handoff`
    return (await admin.call('POST', path, { intent: 'park' })).status
  }
  const id = await insertAiSession(service, admin)
  await dashboard(service).setFault({ service: 'postgres', mode: 'hang' })
  const startedAt = performance.now()
  expect(await park()).toBe(503)
  expect(performance.now() - startedAt).toBeLessThan(4000)
  await dashboard(service).clearFaults()
  await expect.poll(park, { timeout: 30_000 }).toBe(201)
})
