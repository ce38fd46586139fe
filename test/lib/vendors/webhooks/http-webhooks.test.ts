import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { releaseParts } from '#rules/audience.ts'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { recordSpans, runInTrace } from '#trace.ts'
import { httpWebhooks } from '#vendors/webhooks/http-webhooks.ts'
import { createWebhookSecret } from '#vendors/webhooks/sign.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})
const gone = 'http://127.0.0.1:1'

describe('a message to a webhook', () => {
  const secrets = [createWebhookSecret(), createWebhookSecret()]
  let time = 1_790_000_000_900
  const webhooks = httpWebhooks({ now: () => time++ })
  const send = (url = vendor.origin) =>
    webhooks.send(url, { id: 'msg_1', payload: releaseParts('{"a":1}'), secrets })

  it('has its id, the time in seconds, and a signature per secret', async () => {
    vendor.answer = () => ({ status: 204 })
    time = 1_790_000_000_900
    expect(await send()).toEqual({
      ...{ ok: true, status: 204, error: null, isGone: false, body: '', durationMs: 1 },
    })
    const [{ method = '', headers = {}, body = '' } = {}] = vendor.requests
    expect([method, headers['webhook-id'], headers['webhook-timestamp'], body]).toEqual([
      'POST',
      'msg_1',
      '1790000000',
      '{"a":1}',
    ])
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/=]{44} v1,[\w+/=]{44}$/)
  })
  it.each([
    [410, 'The receiver returned 410: it wants no more messages', true],
    [299, null, false],
    [300, 'The receiver redirected (300); redirects are not followed', false],
    [399, 'The receiver redirected (399); redirects are not followed', false],
    [400, 'The receiver returned 400', false],
    [500, 'The receiver returned 500', false],
  ])('that is answered with %i has the error %j', async (status, error, isGone) => {
    vendor.answer = () => ({ status, headers: { 'retry-after': '5' }, body: 'answer' })
    const retryAfterSeconds = error === null ? undefined : 5
    expect(await send()).toMatchObject({
      ok: error === null,
      status,
      error,
      isGone,
      retryAfterSeconds,
      body: 'answer',
    })
  })
  it('keeps 2,048 bytes of the answer, without NUL characters', async () => {
    vendor.answer = () => ({ body: `\0a\0${'b'.repeat(5000)}` })
    expect((await send()).body).toBe(`a${'b'.repeat(2045)}`)
  })
  it('fails without a connection', async () => {
    expect(await send(gone)).toMatchObject({
      ok: false,
      status: null,
      error: 'The connection failed',
      isGone: false,
      body: null,
      durationMs: 1,
    })
  })
})

it('a call carries the headers of the caller and the trace, but no trace outside of one', async () => {
  vendor.answer = () => ({ status: 204 })
  const send = () => httpWebhooks().send(vendor.origin, { id: 'm', payload: releaseParts('{}'), secrets: [] })
  await send()
  await runInTrace(undefined, () => recordSpans(undefined, send))
  expect(
    vendor.requests.map(({ headers }) => [headers['webhook-id'], headers.traceparent !== undefined]),
  ).toEqual([
    ['m', false],
    ['m', true],
  ])
})
