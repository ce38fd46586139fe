import { afterAll, expect, it } from 'vitest'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { posthogAnalytics } from '#vendors/analytics/posthog.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
const capture = () =>
  posthogAnalytics({ url: vendor.origin, key: 'phc' }).capture({
    event: 'lead',
    subject: 'l',
    properties: { plan: 'pro', seats: 5 },
  })

it('an event is sent with the key and its time', async () => {
  vendor.answer = () => ({ body: { status: 1 } })
  await capture()
  expect(
    vendor.requests.map(({ method, path, headers, body }) => [
      method,
      path,
      headers['content-type'],
      JSON.parse(body),
    ]),
  ).toEqual([
    [
      'POST',
      '/capture/',
      'application/json',
      {
        api_key: 'phc',
        event: 'lead',
        distinct_id: 'l',
        properties: { plan: 'pro', seats: 5 },
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ],
  ])
})

it.each([302, 400, 500])('an event that is answered with %i has failed', async (status) => {
  vendor.answer = () => ({ status })
  await expect(capture()).rejects.toThrow(`The analytics service returned ${status}`)
})
