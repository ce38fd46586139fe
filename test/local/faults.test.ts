import { Client, Receiver } from '@upstash/qstash'
import { Redis } from '@upstash/redis'
import { Resend } from 'resend'
import { expect, test } from 'vitest'
import { expectStatus } from '../support/answers.ts'
import { destination, secrets, stand } from './stand.ts'

const mail = { from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't' }

async function faulted(fault: object) {
  const local = await stand()
  expectStatus(await local.call('POST', '/desk/faults', fault), 201)
  const post = (signal?: AbortSignal) =>
    fetch(`${local.origin}/chat/1/x`, { method: 'POST', body: '{"text":"hello"}', redirect: 'manual', ...(signal ? { signal } : {}) })
  return { ...local, post }
}

test('down drops the connection without a word, and the hit never arrived', async () => {
  const { post, call, read } = await faulted({ service: 'chat1', mode: 'down' })
  await expect(post()).rejects.toThrow('fetch failed')
  expect(await read('/desk/chat')).toEqual([])
  expectStatus(await call('POST', '/chat/2/x', {}), 400)
  expectStatus(await call('DELETE', '/desk/faults'), 204)
  expectStatus(await post(), 200)
})

test('hang never answers until the fault is lifted, and lets a client leave', async () => {
  const { post, call, read } = await faulted({ service: 'chat1', mode: 'hang' })
  await expect(post(AbortSignal.timeout(150))).rejects.toThrow('timeout')
  const held = post()
  held.catch(() => undefined)
  await expect.poll(() => read('/desk/chat')).toHaveLength(2)
  await call('DELETE', '/desk/faults')
  await expect(held).rejects.toThrow('fetch failed')
})

test.each([
  ['error', 503, 'rollup_error', null],
  ['client_error', 400, 'invalid_payload', null],
  ['rate_limit', 429, 'rate_limited', '120'],
])('%s answers %i and is recorded as refused', async (mode, status, text, retryAfter) => {
  const { post, read } = await faulted({ service: 'chat1', mode })
  const answer = await post()
  expect([answer.status, await answer.text(), answer.headers.get('retry-after')]).toEqual([status, text, retryAfter])
  expect(await read('/desk/chat')).toMatchObject([{ body: { text: 'hello' }, accepted: false }])
})

test('garbage is a 200 that no JSON parser takes', async () => {
  const { post } = await faulted({ service: 'chat1', mode: 'garbage' })
  const answer = await post()
  expectStatus(answer, 200)
  await expect(answer.json()).rejects.toThrow()
})

test('slow waits and then proceeds', async () => {
  const { post, read } = await faulted({ service: 'chat1', mode: 'slow', delay_ms: 120 })
  const before = performance.now()
  expectStatus(await post(), 200)
  expect(performance.now() - before).toBeGreaterThan(115)
  expect(await read('/desk/chat')).toMatchObject([{ accepted: true }])
})

test('redirect leads to a path whose hits are recorded', async () => {
  const { post, read, origin } = await faulted({ service: 'chat1', mode: 'redirect' })
  const answer = await post()
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/redirected/chat1'])
  expect(await read('/desk/redirect')).toEqual([])
  await fetch(`${origin}/chat/1/x`, { method: 'POST', body: '{}' })
  expect(await read('/desk/redirect')).toMatchObject([{ service: 'chat1', method: 'GET', path: '/redirected/chat1' }])
})

test('a fault with times is gone after so many requests, and each is met once', async () => {
  const { post, read } = await faulted({ service: 'chat1', mode: 'error', times: 2 })
  expect(await read('/desk/faults')).toEqual([{ service: 'chat1', mode: 'error', times: 2 }])
  expect([(await post()).status, (await post()).status, (await post()).status]).toEqual([503, 503, 200])
  expect(await read('/desk/faults')).toEqual([])
})

test("the vendors' own clients understand the spoilt answers", async () => {
  const { origin, call } = await stand()
  const redis = new Redis({ url: `${origin}/redis`, token: secrets.redisToken, retry: false })
  const qstash = new Client({ baseUrl: `${origin}/qstash`, token: secrets.qstashToken, retry: false })
  const resend = new Resend(secrets.resendKey, { baseUrl: `${origin}/resend` })
  for (const service of ['redis', 'qstash', 'resend']) await call('POST', '/desk/faults', { service, mode: 'error' })
  await expect(redis.get('k')).rejects.toThrow('unavailable')
  await expect(qstash.publishJSON({ url: `${origin}/chat/1/x`, body: {} })).rejects.toMatchObject({ status: 503 })
  expect((await resend.emails.send(mail)).error).toMatchObject({ statusCode: 503, name: 'internal_server_error' })
  for (const service of ['redis', 'qstash', 'resend']) await call('POST', '/desk/faults', { service, mode: 'down' })
  await expect(redis.get('k')).rejects.toThrow('fetch failed')
  await expect(qstash.publishJSON({ url: `${origin}/chat/1/x`, body: {} })).rejects.toThrow('fetch failed')
  expect((await resend.emails.send(mail)).error).toMatchObject({ statusCode: null })
})

test('duplicate delivers twice what was published once, forge adds a delivery that does not verify', async () => {
  const { origin, call, qstash, read } = await stand()
  const client = new Client({ baseUrl: `${origin}/qstash`, token: secrets.qstashToken })
  const receiver = new Receiver({ currentSigningKey: secrets.qstashCurrentSigningKey, nextSigningKey: secrets.qstashNextSigningKey })
  const { hits, url } = await destination([200, 200, 200])
  for (const mode of ['duplicate', 'forge']) await call('POST', '/desk/faults', { service: 'qstash', mode, times: 1 })
  await client.publishJSON({ url, body: { n: 1 } })
  await qstash.idle()
  const verified = await Promise.all(
    hits.map(({ headers, body }) => receiver.verify({ signature: String(headers['upstash-signature']), body, url }).catch(() => false)),
  )
  expect(verified.sort()).toEqual([false, true, true])
  expect(new Set(hits.map(({ headers }) => headers['upstash-message-id'])).size).toBe(1)
  expect(await read('/desk/queue')).toMatchObject([{ state: 'delivered', attempts: 1, forged_statuses: [200] }])
  expect(await read('/desk/faults')).toEqual([])
})

test('while the queue is down its due deliveries keep running', async () => {
  const { origin, call, qstash } = await stand()
  const client = new Client({ baseUrl: `${origin}/qstash`, token: secrets.qstashToken, retry: false })
  const { hits, url } = await destination()
  await client.publishJSON({ url, body: 1, delay: 60 })
  await call('POST', '/desk/faults', { service: 'qstash', mode: 'down' })
  await expect(client.publishJSON({ url, body: 2 })).rejects.toThrow('fetch failed')
  await call('POST', '/desk/clock', { advance_seconds: 61 })
  await qstash.idle()
  expect(hits).toHaveLength(1)
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
])('%j is no fault and answered with 422', async (body) => {
  const { call, read } = await stand()
  expectStatus(await call('POST', '/desk/faults', body), 422)
  expect(await read('/desk/faults')).toEqual([])
})
