import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { resendMail } from '#vendors/mail/resend.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})

describe('an e-mail at the provider', () => {
  const mail = { deliveryId: 'd1', to: 'ada@example.com', subject: 's', html: 'h', text: 't', matter: null }
  const send = () =>
    resendMail({ key: 'k', baseUrl: vendor.origin, from: 'Flow <flow@example.com>' }).send(
      [mail, mail],
      'key-1',
    )

  it('is sent with the key, and the indexes of refused ones are returned', async () => {
    vendor.answer = () => ({ body: { data: [{ id: '1' }], errors: [{ index: 1, message: 'bad' }] } })
    expect(await send()).toEqual({
      ok: true,
      status: 200,
      failures: new Map([
        [1, { ok: false, status: 422, error: 'The mail provider refused the e-mail: bad', isRefused: true }],
      ]),
    })
    const [{ method = '', path = '', headers = {}, body = '[]' } = {}] = vendor.requests
    expect([method, path, headers['idempotency-key'], headers['x-batch-validation']]).toEqual([
      'POST',
      '/emails/batch',
      'key-1',
      'permissive',
    ])
    expect(JSON.parse(body)[0]).toMatchObject({
      from: 'Flow <flow@example.com>',
      to: ['ada@example.com'],
      subject: 's',
      html: 'h',
      text: 't',
    })
  })
  it.each([
    ['desk@example.com', {}, 'desk@example.com'],
    ['desk@example.com', { replyTo: 'lead@example.com' }, 'lead@example.com'],
    [undefined, {}, undefined],
  ])('NOT-93 with the setting %j and %j has its answers sent to %s', async (replyTo, fields, expected) => {
    vendor.answer = () => ({ body: { data: [{ id: '1' }] } })
    await resendMail({ key: 'k', baseUrl: vendor.origin, from: 'a@example.com', replyTo }).send(
      [{ ...mail, ...fields }],
      'key-1',
    )
    expect(JSON.parse(vendor.requests[0]?.body ?? '[]')[0].reply_to).toBe(expected)
  })
  it('is sent without refused ones when the provider lists none', async () => {
    vendor.answer = () => ({ body: { data: [{ id: '1' }] } })
    expect(await send()).toEqual({ ok: true, status: 200 })
  })
  const failed = (code: string | number) => ({
    ok: false,
    error: `The mail provider returned ${code}: It was refused`,
  })
  it.each([
    [409, 'invalid_idempotent_request', {}, { ok: true, status: 409 }],
    [
      409,
      'concurrent_idempotent_requests',
      {},
      { ...failed('concurrent_idempotent_requests'), status: 409, isUncertain: true },
    ],
    [422, 'validation_error', {}, { ...failed('validation_error'), status: 422, isUncertain: false }],
    [400, 'Not a code', {}, { ...failed(400), status: 400, isUncertain: false }],
    [499, 'ab', {}, { ...failed(499), status: 499, isUncertain: false }],
    [403, 7, {}, { ...failed(403), status: 403, isUncertain: false, isUnread: true }],
    [
      500,
      'internal_server_error',
      {},
      { ...failed('internal_server_error'), status: 500, isUncertain: true },
    ],
    [302, 'moved', {}, { ...failed('moved'), status: 302, isUncertain: true }],
    [
      503,
      'busy',
      { 'retry-after': '9' },
      { ...failed('busy'), status: 503, isUncertain: true, retryAfterSeconds: 9 },
    ],
    [
      429,
      'rate_limit_exceeded',
      { 'retry-after': '2' },
      {
        ...{
          ...failed('rate_limit_exceeded'),
          status: 429,
          retryAfterSeconds: 2,
          isPostponed: true,
          isUnread: true,
        },
      },
    ],
    [
      429,
      'daily_quota_exceeded',
      {},
      {
        ...failed('daily_quota_exceeded'),
        status: 429,
        retryAfterSeconds: 60,
        isPostponed: true,
        isUnread: true,
      },
    ],
  ])('that is answered with %i %s has the right result', async (status, name, headers, result) => {
    vendor.answer = () => ({
      status,
      headers: headers as Record<string, string>,
      body: { name, message: 'It was refused.' },
    })
    expect(await send()).toEqual(result)
  })
  it('may have been sent when the connection breaks', async () => {
    vendor.answer = () => null
    expect(await send()).toEqual({
      ok: false,
      status: null,
      error: 'The connection failed',
      isUncertain: true,
    })
  })
})
