import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { runInTrace } from '#trace.ts'
import { qstashQueue } from '#vendors/queue/qstash.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})

describe('the queue', () => {
  const queue = qstashQueue({ url: vendor.origin, token: 'token', target: 'https://api.example' })
  it('gets one call for all messages, with the delay and the deduplication id of each', async () => {
    vendor.answer = () => ({ body: [] })
    await queue.publish([
      { path: '/jobs/a/run', body: { id: 1 }, delaySeconds: 30, deduplicationId: 'd' },
      { path: '/jobs/b/run', body: {}, delaySeconds: 0 },
    ])
    const [{ path = '', headers = {}, body = '[]' } = {}] = vendor.requests
    expect([vendor.requests.length, path, headers.authorization]).toEqual([1, '/v2/batch', 'Bearer token'])
    expect(`${body}${JSON.stringify(headers)}`.toLowerCase()).not.toContain('telemetry')
    const messages = JSON.parse(body) as {
      destination: string
      body: string
      headers: Record<string, string>
    }[]
    expect(messages.map(({ destination, body: text }) => [destination, text])).toEqual([
      ['https://api.example/jobs/a/run', '{"id":1}'],
      ['https://api.example/jobs/b/run', '{}'],
    ])
    expect(
      messages.map(({ headers }) =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => /delay|retries|dedup/i.test(name))),
      ),
    ).toEqual([
      { 'upstash-retries': '0', 'upstash-delay': '30s', 'upstash-deduplication-id': 'd' },
      { 'upstash-retries': '0' },
    ])
  })
  it('gets one call also when it fails', async () => {
    vendor.answer = () => ({ status: 500 })
    await expect(queue.publish([{ path: '/jobs/a/run', body: {} }])).rejects.toThrow('The queue returned 500')
    expect(vendor.requests).toHaveLength(1)
  })
  it('gets no call without messages', async () => {
    await queue.publish([])
    expect(vendor.requests).toEqual([])
  })
  it('forwards the trace of the work to the job', async () => {
    vendor.answer = () => ({ body: [] })
    const traceId = 'a'.repeat(32)
    await runInTrace(`00-${traceId}-${'b'.repeat(16)}-01`, () =>
      queue.publish([{ path: '/jobs/a/run', body: {} }]),
    )
    expect(vendor.requests[0]?.body).toContain(`00-${traceId}-`)
  })
  it.each([200, 500])('rejects what the queue does not accept: %i', async (status) => {
    vendor.answer = () => ({ status, body: [] })
    const published = queue.publish([{ path: '/jobs/a/run', body: {} }])
    await (status === 200
      ? expect(published).resolves.toBeUndefined()
      : expect(published).rejects.toThrow('The queue returned 500'))
  })
})
