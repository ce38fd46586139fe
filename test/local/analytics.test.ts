import { expect, test } from 'vitest'
import { expectStatus } from '#test/support/expect-status.ts'
import { posthogAnalytics } from '#vendors/analytics/posthog.ts'
import { secrets, startTestServer } from './test-server.ts'

const capturedEvent = {
  event: 'sales_lead_created',
  subject: 'lead-1',
  properties: { source: 'referral', seats: null },
}

test('capture records the event on the dashboard', async () => {
  const { origin, read } = await startTestServer()
  await posthogAnalytics({ url: `${origin}/analytics`, key: secrets.analyticsKey }).capture(capturedEvent)
  const request = { event: capturedEvent.event, distinct_id: 'lead-1', properties: capturedEvent.properties }
  expect(await read('/desk/analytics')).toMatchObject([
    { method: 'POST', path: '/analytics/capture/', status: 200, request },
  ])
})

test('capture rejects for a wrong key and during every fault, and follows no redirect', async () => {
  const { origin, call, read } = await startTestServer()
  await expect(
    posthogAnalytics({ url: `${origin}/analytics`, key: 'wrong' }).capture(capturedEvent),
  ).rejects.toThrow('401')
  for (const mode of ['down', 'error', 'client_error', 'rate_limit', 'redirect']) {
    expectStatus(await call('POST', '/desk/faults', { service: 'analytics', mode }), 201)
    await expect(
      posthogAnalytics({ url: `${origin}/analytics`, key: secrets.analyticsKey }).capture(capturedEvent),
    ).rejects.toThrow()
  }
  expect(await read('/desk/redirect')).toEqual([])
})
