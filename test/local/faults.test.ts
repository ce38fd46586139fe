import { Client, Receiver } from '@upstash/qstash'
import { Redis } from '@upstash/redis'
import { Resend } from 'resend'
import { expect, test } from 'vitest'
import { expectStatus } from '#test/support/expect-status.ts'
import { secrets, startDestination, startTestServer } from './test-server.ts'

const mail = { from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't' }

async function startWithFault(fault: object) {
  const local = await startTestServer()
  expectStatus(await local.call('POST', '/desk/faults', fault), 201)
  const post = (signal?: AbortSignal) =>
    fetch(`${local.origin}/chat/1/x`, {
      method: 'POST',
      body: '{"text":"hello"}',
      redirect: 'manual',
      ...(signal ? { signal } : {}),
    })
  return { ...local, post }
}

test('the fault down closes the connection without a response and records nothing', async () => {
  const { post, call, read } = await startWithFault({ service: 'chat1', mode: 'down' })
  await expect(post()).rejects.toThrow('fetch failed')
  expect(await read('/desk/chat')).toEqual([])
  expectStatus(await call('POST', '/chat/2/x', {}), 400)
  expectStatus(await call('DELETE', '/desk/faults'), 204)
  expectStatus(await post(), 200)
})

test('the fault hang sends no response, and clearing it closes the connection', async () => {
  const { post, call, read } = await startWithFault({ service: 'chat1', mode: 'hang' })
  await expect(post(AbortSignal.timeout(150))).rejects.toThrow('timeout')
  const pending = post()
  pending.catch(() => undefined)
  await expect.poll(() => read('/desk/chat')).toHaveLength(2)
  await call('DELETE', '/desk/faults')
  await expect(pending).rejects.toThrow('fetch failed')
})

test.each([
  ['error', 503, 'rollup_error', null],
  ['client_error', 400, 'invalid_payload', null],
  ['rate_limit', 429, 'rate_limited', '120'],
])(
  'the fault %s returns %i, and the request is recorded as refused',
  async (mode, status, text, retryAfter) => {
    const { post, read } = await startWithFault({ service: 'chat1', mode })
    const response = await post()
    expect([response.status, await response.text(), response.headers.get('retry-after')]).toEqual([
      status,
      text,
      retryAfter,
    ])
    expect(await read('/desk/chat')).toMatchObject([{ body: { text: 'hello' }, accepted: false }])
  },
)

test('the fault garbage returns a 200 whose body is not JSON', async () => {
  const { post } = await startWithFault({ service: 'chat1', mode: 'garbage' })
  const response = await post()
  expectStatus(response, 200)
  await expect(response.json()).rejects.toThrow()
})

test('the fault slow delays a request, which is then handled', async () => {
  const { post, read } = await startWithFault({ service: 'chat1', mode: 'slow', delay_ms: 120 })
  const startedAt = performance.now()
  expectStatus(await post(), 200)
  expect(performance.now() - startedAt).toBeGreaterThan(115)
  expect(await read('/desk/chat')).toMatchObject([{ accepted: true }])
})

test('the fault redirect redirects to a path that records the requests it receives', async () => {
  const { post, read, origin } = await startWithFault({ service: 'chat1', mode: 'redirect' })
  const response = await post()
  expect([response.status, response.headers.get('location')]).toEqual([302, '/redirected/chat1'])
  expect(await read('/desk/redirect')).toEqual([])
  await fetch(`${origin}/chat/1/x`, { method: 'POST', body: '{}' })
  expect(await read('/desk/redirect')).toMatchObject([
    { service: 'chat1', method: 'GET', path: '/redirected/chat1' },
  ])
})

test('a fault with `times` applies to that many requests and is then removed', async () => {
  const { post, read } = await startWithFault({ service: 'chat1', mode: 'error', times: 2 })
  expect(await read('/desk/faults')).toEqual([{ service: 'chat1', mode: 'error', times: 2 }])
  expect([(await post()).status, (await post()).status, (await post()).status]).toEqual([503, 503, 200])
  expect(await read('/desk/faults')).toEqual([])
})

test("the vendors' own clients report the fault responses as errors", async () => {
  const { origin, call } = await startTestServer()
  const redis = new Redis({ url: `${origin}/redis`, token: secrets.redisToken, retry: false })
  const qstash = new Client({ baseUrl: `${origin}/qstash`, token: secrets.qstashToken, retry: false })
  const resend = new Resend(secrets.resendKey, { baseUrl: `${origin}/resend` })
  for (const service of ['redis', 'qstash', 'resend'])
    await call('POST', '/desk/faults', { service, mode: 'error' })
  await expect(redis.get('k')).rejects.toThrow('unavailable')
  await expect(qstash.publishJSON({ url: `${origin}/chat/1/x`, body: {} })).rejects.toMatchObject({
    status: 503,
  })
  expect((await resend.emails.send(mail)).error).toMatchObject({
    statusCode: 503,
    name: 'internal_server_error',
  })
  for (const service of ['redis', 'qstash', 'resend'])
    await call('POST', '/desk/faults', { service, mode: 'down' })
  await expect(redis.get('k')).rejects.toThrow('fetch failed')
  await expect(qstash.publishJSON({ url: `${origin}/chat/1/x`, body: {} })).rejects.toThrow('fetch failed')
  expect((await resend.emails.send(mail)).error).toMatchObject({ statusCode: null })
})

test('the fault duplicate delivers a message twice, and the fault forge adds a delivery with an invalid signature', async () => {
  const { origin, call, qstash, read } = await startTestServer()
  const client = new Client({ baseUrl: `${origin}/qstash`, token: secrets.qstashToken })
  const receiver = new Receiver({
    currentSigningKey: secrets.qstashCurrentSigningKey,
    nextSigningKey: secrets.qstashNextSigningKey,
  })
  const { requests, url } = await startDestination([200, 200, 200])
  for (const mode of ['duplicate', 'forge'])
    await call('POST', '/desk/faults', { service: 'qstash', mode, times: 1 })
  await client.publishJSON({ url, body: { n: 1 } })
  await qstash.waitUntilIdle()
  const verified = await Promise.all(
    requests.map(({ headers, body }) =>
      receiver.verify({ signature: String(headers['upstash-signature']), body, url }).catch(() => false),
    ),
  )
  expect(verified.sort()).toEqual([false, true, true])
  expect(new Set(requests.map(({ headers }) => headers['upstash-message-id'])).size).toBe(1)
  expect(await read('/desk/queue')).toMatchObject([
    { state: 'delivered', attempts: 1, forged_statuses: [200] },
  ])
  expect(await read('/desk/faults')).toEqual([])
})

test('the queue delivers due messages while its API is down', async () => {
  const { origin, call, qstash } = await startTestServer()
  const client = new Client({ baseUrl: `${origin}/qstash`, token: secrets.qstashToken, retry: false })
  const { requests, url } = await startDestination()
  await client.publishJSON({ url, body: 1, delay: 60 })
  await call('POST', '/desk/faults', { service: 'qstash', mode: 'down' })
  await expect(client.publishJSON({ url, body: 2 })).rejects.toThrow('fetch failed')
  await call('POST', '/desk/clock', { advance_seconds: 61 })
  await qstash.waitUntilIdle()
  expect(requests).toHaveLength(1)
})

test.each([
  { service: 'fax', mode: 'down' },
  { service: 'chat1', mode: 'explode' },
  { service: 'chat1', mode: 'down', extra: 1 },
  { service: 'chat1', mode: 'duplicate' },
  { service: 'chat1', mode: 'down', times: 0 },
  { service: 'chat1' },
  [],
  'no json',
])('refuses the fault %j with 422', async (body) => {
  const { call, read } = await startTestServer()
  expectStatus(await call('POST', '/desk/faults', body), 422)
  expect(await read('/desk/faults')).toEqual([])
})
