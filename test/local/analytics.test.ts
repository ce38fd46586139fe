import { expect, test } from 'vitest'
import { posthogAnalytics } from '../../lib/analytics/posthog.ts'
import { expectStatus } from '../support/answers.ts'
import { secrets, stand } from './stand.ts'

const capture = { event: 'sales_lead_created', subject: 'lead-1', properties: { source: 'referral', seats: null } }

test('what is captured lies on the desk', async () => {
  const { origin, read } = await stand()
  await posthogAnalytics({ url: `${origin}/analytics`, key: secrets.analyticsKey }).capture(capture)
  const request = { event: capture.event, distinct_id: 'lead-1', properties: capture.properties }
  expect(await read('/desk/analytics')).toMatchObject([{ method: 'POST', path: '/analytics/capture/', status: 200, request }])
})

test('a wrong key and every fault are told to the caller, and a redirect is not followed', async () => {
  const { origin, call, read } = await stand()
  await expect(posthogAnalytics({ url: `${origin}/analytics`, key: 'wrong' }).capture(capture)).rejects.toThrow('401')
  for (const mode of ['down', 'error', 'client_error', 'rate_limit', 'redirect']) {
    expectStatus(await call('POST', '/desk/faults', { service: 'analytics', mode }), 201)
    await expect(posthogAnalytics({ url: `${origin}/analytics`, key: secrets.analyticsKey }).capture(capture)).rejects.toThrow()
  }
  expect(await read('/desk/redirect')).toEqual([])
})
