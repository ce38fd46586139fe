import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { chatWebhooks } from '../../lib/chat/webhooks.ts'
import { resendMail } from '../../lib/mail/resend.ts'
import { createLinkChecker } from '../../lib/net/link-checker.ts'
import { qstashQueue } from '../../lib/queue/qstash.ts'
import { recordSpans, runInTrace } from '../../lib/trace.ts'
import { httpWebhooks } from '../../lib/webhooks/http-webhooks.ts'
import { createWebhookSecret } from '../../lib/webhooks/sign.ts'
import { startVendorServer } from '../support/vendor-server.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})
const gone = 'http://127.0.0.1:1'

describe('a message to a chat tool', () => {
  const chat = chatWebhooks()
  const message = { title: 'Title', body: 'Body', url: null }
  const refused = 'The chat tool did not accept the message'
  it.each([
    [1, 200, 'ok', { ok: true, status: 200 }],
    [1, 200, ' ok\n', { ok: true, status: 200 }],
    [1, 200, 'invalid_blocks', { ok: false, status: 200, error: refused, gone: false }],
    [1, 202, 'ok', { ok: false, status: 202, error: refused, gone: false }],
    [2, 202, '', { ok: true, status: 202 }],
    [2, 200, '1', { ok: true, status: 200 }],
    [2, 200, 'Webhook message delivery failed: it returned HTTP error 429', { ok: false, status: 200, error: refused, gone: false }],
    [2, 302, '', { ok: false, status: 302, error: 'The chat tool returned 302', gone: false }],
    [2, 400, '', { ok: false, status: 400, error: 'The chat tool returned 400', gone: false }],
    [1, 404, 'no_service', { ok: false, status: 404, error: 'The chat tool returned 404', gone: true }],
    [2, 410, '', { ok: false, status: 410, error: 'The chat tool returned 410', gone: true }],
    [1, 503, 'ok', { ok: false, status: 503, error: 'The chat tool returned 503', gone: false }],
  ] as const)('of type %i that is answered with %i %j has the right result', async (tool, status, body, result) => {
    vendor.answer = () => ({ status, body })
    expect(await chat.send(tool, vendor.origin, message)).toEqual(result)
  })
  it.each([
    [429, '7', 7],
    [429, 'soon', undefined],
    [503, '7', undefined],
  ])('waits after %i as long as the tool asks: %s', async (status, retryAfter, seconds) => {
    vendor.answer = () => ({ status, headers: { 'retry-after': retryAfter } })
    expect(await chat.send(1, vendor.origin, message)).toEqual({
      ...{ ok: false, status, error: `The chat tool returned ${status}`, gone: false },
      ...(seconds ? { retryAfterSeconds: seconds } : {}),
    })
  })
  it.each([
    [1, 'blocks'],
    [2, 'attachments'],
  ] as const)('of type %i is JSON in the form of the tool', async (tool, key) => {
    vendor.answer = () => ({ body: 'ok' })
    await chat.send(tool, `${vendor.origin}/hook`, message)
    const [{ method = '', path = '', headers = {}, body = '' } = {}] = vendor.requests
    expect([method, path, headers['content-type']]).toEqual(['POST', '/hook', 'application/json'])
    expect(JSON.parse(body)).toHaveProperty(key)
  })
  it('fails without a connection', async () => {
    expect(await chat.send(1, gone, message)).toEqual({ ok: false, status: null, error: 'The connection failed' })
  })
})

describe('an e-mail at the provider', () => {
  const mail = { to: 'ada@example.com', subject: 's', html: 'h', text: 't' }
  const send = () => resendMail({ key: 'k', baseUrl: vendor.origin, from: 'Flow <flow@example.com>' }).send([mail, mail], 'key-1')

  it('is sent with the key, and the indexes of refused ones are returned', async () => {
    vendor.answer = () => ({ body: { data: [{ id: '1' }], errors: [{ index: 1, message: 'bad' }] } })
    expect(await send()).toEqual({ ok: true, status: 200, refused: [1] })
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
  it('is sent without refused ones when the provider lists none', async () => {
    vendor.answer = () => ({ body: { data: [{ id: '1' }] } })
    expect(await send()).toEqual({ ok: true, status: 200 })
  })
  const failed = (code: string | number) => ({ ok: false, error: `The mail provider returned ${code}` })
  it.each([
    [409, 'invalid_idempotent_request', {}, { ok: true, status: 409 }],
    [409, 'concurrent_idempotent_requests', {}, { ...failed('concurrent_idempotent_requests'), status: 409, isUncertain: true }],
    [422, 'validation_error', {}, { ...failed('validation_error'), status: 422, isUncertain: false }],
    [400, 'Not a code', {}, { ...failed(400), status: 400, isUncertain: false }],
    [499, 'ab', {}, { ...failed(499), status: 499, isUncertain: false }],
    [403, 7, {}, { ...failed(403), status: 403, isUncertain: false }],
    [500, 'internal_server_error', {}, { ...failed('internal_server_error'), status: 500, isUncertain: true }],
    [302, 'moved', {}, { ...failed('moved'), status: 302, isUncertain: true }],
    [503, 'busy', { 'retry-after': '9' }, { ...failed('busy'), status: 503, isUncertain: true, retryAfterSeconds: 9 }],
    [
      429,
      'rate_limit_exceeded',
      { 'retry-after': '2' },
      {
        ...{ ...failed('rate_limit_exceeded'), status: 429, retryAfterSeconds: 2, isPostponed: true },
      },
    ],
    [429, 'daily_quota_exceeded', {}, { ...failed('daily_quota_exceeded'), status: 429, retryAfterSeconds: 60, isPostponed: true }],
  ])('that is answered with %i %s has the right result', async (status, name, headers, result) => {
    vendor.answer = () => ({ status, headers: headers as Record<string, string>, body: { name, message: 'private text' } })
    expect(await send()).toEqual(result)
  })
  it('may have been sent when the connection breaks', async () => {
    vendor.answer = () => null
    expect(await send()).toEqual({ ok: false, status: null, error: 'The connection failed', isUncertain: true })
  })
})

describe('a message to a webhook', () => {
  const secrets = [createWebhookSecret(), createWebhookSecret()]
  let time = 1_790_000_000_900
  const webhooks = httpWebhooks({ now: () => time++ })
  const send = (url = vendor.origin) => webhooks.send(url, { id: 'msg_1', payload: '{"a":1}', secrets })

  it('has its id, the time in seconds, and a signature per secret', async () => {
    vendor.answer = () => ({ status: 204 })
    time = 1_790_000_000_900
    expect(await send()).toEqual({ ...{ ok: true, status: 204, error: null, isGone: false, body: '', durationMs: 1 } })
    const [{ method = '', headers = {}, body = '' } = {}] = vendor.requests
    expect([method, headers['webhook-id'], headers['webhook-timestamp'], body]).toEqual(['POST', 'msg_1', '1790000000', '{"a":1}'])
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
    expect(await send()).toMatchObject({ ok: error === null, status, error, isGone, retryAfterSeconds, body: 'answer' })
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
    const messages = JSON.parse(body) as { destination: string; body: string; headers: Record<string, string> }[]
    expect(messages.map(({ destination, body: text }) => [destination, text])).toEqual([
      ['https://api.example/jobs/a/run', '{"id":1}'],
      ['https://api.example/jobs/b/run', '{}'],
    ])
    expect(
      messages.map(({ headers }) => Object.fromEntries(Object.entries(headers).filter(([name]) => /delay|retries|dedup/i.test(name)))),
    ).toEqual([{ 'upstash-retries': '0', 'upstash-delay': '30s', 'upstash-deduplication-id': 'd' }, { 'upstash-retries': '0' }])
  })
  it('gets no call without messages', async () => {
    await queue.publish([])
    expect(vendor.requests).toEqual([])
  })
  it('forwards the trace of the work to the job', async () => {
    vendor.answer = () => ({ body: [] })
    const traceId = 'a'.repeat(32)
    await runInTrace(`00-${traceId}-${'b'.repeat(16)}-01`, () => queue.publish([{ path: '/jobs/a/run', body: {} }]))
    expect(vendor.requests[0]?.body).toContain(`00-${traceId}-`)
  })
  it.each([200, 500])('rejects what the queue does not accept: %i', async (status) => {
    vendor.answer = () => ({ status, body: [] })
    const published = queue.publish([{ path: '/jobs/a/run', body: {} }])
    await (status === 200 ? expect(published).resolves.toBeUndefined() : expect(published).rejects.toThrow('The queue returned 500'))
  })
})

describe('a link of a flow', () => {
  const check = createLinkChecker({
    findRefusal: async (url) =>
      url.includes('internal') ? 'must not' : url.includes('nowhere') ? 'has a name that cannot be resolved' : null,
  })
  const redirect = (location: string | undefined, status = 302) => ({ status, headers: location === undefined ? {} : { location } })

  it.each([
    [200, 'ok'],
    [299, 'ok'],
    [304, 'ok'],
    [400, 'broken'],
    [401, 'ok'],
    [403, 'ok'],
    [404, 'broken'],
    [405, 'ok'],
    [406, 'ok'],
    [408, 'broken'],
    [410, 'broken'],
    [429, 'ok'],
    [451, 'ok'],
    [500, 'broken'],
  ])('that answers %i is %s', async (status, state) => {
    vendor.answer = () => ({ status })
    expect(await check(vendor.origin)).toEqual({ state, status })
  })
  it.each([
    [0, 'ok', 200, 1],
    [3, 'ok', 200, 4],
    [4, 'broken', null, 4],
  ])('with %i redirects is %s', async (redirects, state, status, calls) => {
    vendor.answer = ({ path }) => (Number(path.slice(1)) < redirects ? redirect(`/${Number(path.slice(1)) + 1}`, 301) : {})
    expect(await check(`${vendor.origin}/0`)).toEqual({ state, status })
    expect(vendor.requests).toHaveLength(calls)
  })
  it.each([
    [redirect('http://internal.example/'), { state: 'not_checked', status: null }],
    [redirect('http://nowhere.example/'), { state: 'broken', status: null }],
    [redirect('http://['), { state: 'broken', status: 302 }],
    [redirect(undefined, 300), { state: 'ok', status: 300 }],
    [
      { status: 201, headers: { location: '/internal' } },
      { state: 'ok', status: 201 },
    ],
    [
      { status: 400, headers: { location: '/internal' } },
      { state: 'broken', status: 400 },
    ],
    [null, { state: 'broken', status: null }],
  ])('that answers %j has the right result', async (answer, result) => {
    vendor.answer = () => answer
    expect(await check(vendor.origin)).toEqual(result)
  })
  it('is not called when the guard refuses it', async () => {
    expect(await check(`${vendor.origin}/internal`)).toEqual({ state: 'not_checked', status: null })
    expect(vendor.requests).toEqual([])
  })
})

it('a call carries the headers of the caller and the trace, but no trace outside of one', async () => {
  vendor.answer = () => ({ status: 204 })
  const send = () => httpWebhooks().send(vendor.origin, { id: 'm', payload: '{}', secrets: [] })
  await send()
  await runInTrace(undefined, () => recordSpans(undefined, send))
  expect(vendor.requests.map(({ headers }) => [headers['webhook-id'], headers.traceparent !== undefined])).toEqual([
    ['m', false],
    ['m', true],
  ])
})
