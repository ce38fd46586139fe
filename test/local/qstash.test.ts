import { Client, Receiver } from '@upstash/qstash'
import { decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import { expectStatus } from '#test/support/expect-status.ts'
import { secrets, startDestination, startTestServer } from './test-server.ts'

async function startQueue() {
  const local = await startTestServer()
  const client = new Client({
    baseUrl: `${local.origin}/qstash`,
    token: secrets.qstashToken,
    retry: false,
    enableTelemetry: false,
  })
  const advance = async (advance_seconds: number) =>
    expectStatus(await local.call('POST', '/desk/clock', { advance_seconds }), 200)
  return { ...local, client, advance }
}

const receiver = new Receiver({
  currentSigningKey: secrets.qstashCurrentSigningKey,
  nextSigningKey: secrets.qstashNextSigningKey,
})

test('the local queue delivers a published message at once, signed for its exact URL and body', async () => {
  const { client, qstash, read } = await startQueue()
  const { requests, url } = await startDestination()
  const { messageId } = await client.publishJSON({
    url,
    body: { hello: 'Žofie' },
    headers: { 'x-trace': 't1' },
  })
  await qstash.waitUntilIdle()
  const [request] = requests
  expect(request).toMatchObject({ method: 'POST', url: '/jobs/run?n=1', body: '{"hello":"Žofie"}' })
  expect(request?.headers).toMatchObject({
    'x-trace': 't1',
    'content-type': 'application/json',
    'upstash-message-id': messageId,
    'upstash-retried': '0',
  })
  const signature = String(request?.headers['upstash-signature'])
  expect(decodeProtectedHeader(signature).alg).toBe('HS256')
  expect(await receiver.verify({ signature, url, body: request?.body ?? '' })).toBe(true)
  await expect(receiver.verify({ signature, url: `${url}&m=2`, body: request?.body ?? '' })).rejects.toThrow(
    'subject',
  )
  await expect(receiver.verify({ signature, url, body: '{}' })).rejects.toThrow('body hash')
  expect(await read('/desk/queue')).toMatchObject([
    { id: messageId, state: 'delivered', url, attempts: 1, body: { hello: 'Žofie' } },
  ])
})

test('the local queue delivers a delayed message when it is due, and signs it with the real time even if the clock was moved', async () => {
  const { client, read, advance } = await startQueue()
  const { requests, url } = await startDestination()
  await client.publishJSON({ url, body: 1, delay: 120 })
  await client.publishJSON({ url, body: 2, notBefore: Math.floor(Date.now() / 1000) + 300 })
  await advance(110)
  expect(requests).toHaveLength(0)
  expect(await read('/desk/queue')).toMatchObject([
    { state: 'scheduled' },
    { state: 'scheduled', attempts: 0 },
  ])
  await advance(15)
  expect(requests.map(({ body }) => body)).toEqual(['1'])
  await advance(100_000)
  expect(requests.map(({ body }) => body)).toEqual(['1', '2'])
  const [, request] = requests
  expect(
    await receiver.verify({ signature: String(request?.headers['upstash-signature']), url, body: '2' }),
  ).toBe(true)
})

test('the local queue delivers one message per deduplication id within ten minutes', async () => {
  const { client, qstash, advance } = await startQueue()
  const { requests, url } = await startDestination()
  const first = await client.publishJSON({ url, body: 1, deduplicationId: 'd' })
  const repeated = await client.publishJSON({ url, body: 1, deduplicationId: 'd' })
  expect(repeated).toMatchObject({ messageId: first.messageId, deduplicated: true })
  await qstash.waitUntilIdle()
  expect(requests).toHaveLength(1)
  await advance(601)
  await client.publishJSON({ url, body: 1, deduplicationId: 'd' })
  await qstash.waitUntilIdle()
  expect(requests).toHaveLength(2)
})

test('the local queue retries after 12 s and 2 min 28 s, and then moves the message to the dead letter queue', async () => {
  const { client, qstash, read, advance } = await startQueue()
  const { requests, url } = await startDestination([500, 302, 404])
  const { messageId } = await client.publishJSON({ url, body: {}, retries: 2, failureCallback: url })
  await qstash.waitUntilIdle()
  expect(await read('/desk/queue')).toMatchObject([{ state: 'failed', attempts: 1, last_status: 500 }])
  await advance(11)
  expect(requests).toHaveLength(1)
  await advance(2)
  expect(requests).toHaveLength(2)
  await advance(149)
  expect(requests.map(({ headers }) => headers['upstash-retried'])).toEqual(['0', '1', '2', '0'])
  expect(JSON.parse(requests[3]?.body ?? '')).toMatchObject({
    sourceMessageId: messageId,
    status: 404,
    retried: 2,
  })
  expect(await read('/desk/queue')).toMatchObject([
    { state: 'delivered' },
    { id: messageId, state: 'dead', attempts: 3 },
  ])
  const { messages } = await client.dlq.listMessages()
  expect(messages).toMatchObject([{ messageId, responseStatus: 404, responseBody: 'answered', url }])
  await client.dlq.delete(messages[0]?.dlqId ?? '')
  expect((await client.dlq.listMessages()).messages).toEqual([])
})

test('a failed message without retries is dead at once, even if its destination is unreachable', async () => {
  const { client, qstash, read } = await startQueue()
  const { requests, url } = await startDestination([503])
  await client.publishJSON({ url, body: {}, retries: 0 })
  await client.publishJSON({ url: 'http://127.0.0.1:1/', body: {}, retries: 0 })
  await qstash.waitUntilIdle()
  expect(requests).toHaveLength(1)
  expect(await read('/desk/queue')).toMatchObject([
    { state: 'dead', last_status: null },
    { state: 'dead', last_status: 503 },
  ])
})

test('a pending message can be read and cancelled', async () => {
  const { client, advance } = await startQueue()
  const { requests, url } = await startDestination()
  const { messageId } = await client.publishJSON({ url, body: { n: 1 }, delay: '1h' })
  expect(await client.messages.get(messageId)).toMatchObject({
    messageId,
    url,
    body: '{"n":1}',
    maxRetries: 3,
  })
  await client.messages.delete(messageId)
  await expect(client.messages.get(messageId)).rejects.toThrow('not found')
  await advance(3700)
  expect(requests).toHaveLength(0)
})

test('a batch accepts all of its messages or none', async () => {
  const { client, qstash, read } = await startQueue()
  const { requests, url } = await startDestination()
  expect(await client.batchJSON([1, 2].map((body) => ({ url, body })))).toHaveLength(2)
  await qstash.waitUntilIdle()
  expect(requests.map(({ body }) => body).sort()).toEqual(['1', '2'])
  await expect(
    client.batchJSON([
      { url, body: 3 },
      { url: 'ftp://example.com', body: 4 },
    ]),
  ).rejects.toThrow('invalid scheme')
  expect(await read('/desk/queue')).toHaveLength(2)
})

test('a named queue delivers one message at a time, in order', async () => {
  const { client, qstash } = await startQueue()
  let openRequests = 0
  const { requests, url } = await startDestination([], async () => {
    expect(++openRequests).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
    openRequests--
  })
  for (const body of [1, 2, 3, 4]) await client.queue({ queueName: 'mails' }).enqueueJSON({ url, body })
  await qstash.waitUntilIdle()
  expect(requests.map(({ body }) => body)).toEqual(['1', '2', '3', '4'])
})

test('the local queue refuses a wrong token, an invalid delay, an invalid retry count, a large body and an invalid cron', async () => {
  const { client, origin } = await startQueue()
  const { url } = await startDestination()
  const otherClient = new Client({ baseUrl: `${origin}/qstash`, token: 'other', retry: false })
  await expect(otherClient.publishJSON({ url, body: 1 })).rejects.toMatchObject({ status: 401 })
  await expect(client.publish({ url, body: '', headers: { 'Upstash-Delay': 'soon' } })).rejects.toMatchObject(
    { status: 400 },
  )
  await expect(client.publish({ url, body: '', headers: { 'Upstash-Retries': '-1' } })).rejects.toMatchObject(
    { status: 400 },
  )
  await expect(client.publish({ url, body: 'x'.repeat(1024 * 1024 + 1) })).rejects.toMatchObject({
    status: 400,
  })
  for (const cron of ['@daily', '* * * * * *', '61 * * * *', 'CRON_TZ=Mars/Base * * * * *'])
    await expect(client.schedules.create({ destination: url, cron })).rejects.toMatchObject({ status: 400 })
})
