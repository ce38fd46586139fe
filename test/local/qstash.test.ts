import { Client, Receiver } from '@upstash/qstash'
import { decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import { expectStatus } from '../support/answers.ts'
import { destination, secrets, stand } from './stand.ts'

async function queue() {
  const local = await stand()
  const client = new Client({ baseUrl: `${local.origin}/qstash`, token: secrets.qstashToken, retry: false, enableTelemetry: false })
  const advance = async (advance_seconds: number) => expectStatus(await local.call('POST', '/desk/clock', { advance_seconds }), 200)
  return { ...local, client, advance }
}

const receiver = new Receiver({ currentSigningKey: secrets.qstashCurrentSigningKey, nextSigningKey: secrets.qstashNextSigningKey })

test('a published message arrives at once, signed for its exact url and body', async () => {
  const { client, qstash, read } = await queue()
  const { hits, url } = await destination()
  const { messageId } = await client.publishJSON({ url, body: { hello: 'Žofie' }, headers: { 'x-trace': 't1' } })
  await qstash.idle()
  const [hit] = hits
  expect(hit).toMatchObject({ method: 'POST', url: '/jobs/run?n=1', body: '{"hello":"Žofie"}' })
  expect(hit?.headers).toMatchObject({
    'x-trace': 't1',
    'content-type': 'application/json',
    'upstash-message-id': messageId,
    'upstash-retried': '0',
  })
  const signature = String(hit?.headers['upstash-signature'])
  expect(decodeProtectedHeader(signature).alg).toBe('HS256')
  expect(await receiver.verify({ signature, url, body: hit?.body ?? '' })).toBe(true)
  await expect(receiver.verify({ signature, url: `${url}&m=2`, body: hit?.body ?? '' })).rejects.toThrow('subject')
  await expect(receiver.verify({ signature, url, body: '{}' })).rejects.toThrow('body hash')
  expect(await read('/desk/queue')).toMatchObject([{ id: messageId, state: 'delivered', url, attempts: 1, body: { hello: 'Žofie' } }])
})

test('a delayed message waits for its time, and the signature is of real time after a leap', async () => {
  const { client, read, advance } = await queue()
  const { hits, url } = await destination()
  await client.publishJSON({ url, body: 1, delay: 120 })
  await client.publishJSON({ url, body: 2, notBefore: Math.floor(Date.now() / 1000) + 300 })
  await advance(110)
  expect(hits).toHaveLength(0)
  expect(await read('/desk/queue')).toMatchObject([{ state: 'scheduled' }, { state: 'scheduled', attempts: 0 }])
  await advance(15)
  expect(hits.map(({ body }) => body)).toEqual(['1'])
  await advance(100_000)
  expect(hits.map(({ body }) => body)).toEqual(['1', '2'])
  const [, hit] = hits
  expect(await receiver.verify({ signature: String(hit?.headers['upstash-signature']), url, body: '2' })).toBe(true)
})

test('a deduplication id is taken once in ten minutes', async () => {
  const { client, qstash, advance } = await queue()
  const { hits, url } = await destination()
  const first = await client.publishJSON({ url, body: 1, deduplicationId: 'd' })
  const again = await client.publishJSON({ url, body: 1, deduplicationId: 'd' })
  expect(again).toMatchObject({ messageId: first.messageId, deduplicated: true })
  await qstash.idle()
  expect(hits).toHaveLength(1)
  await advance(601)
  await client.publishJSON({ url, body: 1, deduplicationId: 'd' })
  await qstash.idle()
  expect(hits).toHaveLength(2)
})

test('a failing destination is tried again after 12 s and 2 min 28 s, then lies in the dead letters', async () => {
  const { client, qstash, read, advance } = await queue()
  const { hits, url } = await destination([500, 302, 404])
  const { messageId } = await client.publishJSON({ url, body: {}, retries: 2, failureCallback: url })
  await qstash.idle()
  expect(await read('/desk/queue')).toMatchObject([{ state: 'failed', attempts: 1, last_status: 500 }])
  await advance(11)
  expect(hits).toHaveLength(1)
  await advance(2)
  expect(hits).toHaveLength(2)
  await advance(149)
  expect(hits.map(({ headers }) => headers['upstash-retried'])).toEqual(['0', '1', '2', '0'])
  expect(JSON.parse(hits[3]?.body ?? '')).toMatchObject({ sourceMessageId: messageId, status: 404, retried: 2 })
  expect(await read('/desk/queue')).toMatchObject([{ state: 'delivered' }, { id: messageId, state: 'dead', attempts: 3 }])
  const { messages } = await client.dlq.listMessages()
  expect(messages).toMatchObject([{ messageId, responseStatus: 404, responseBody: 'answered', url }])
  await client.dlq.delete(messages[0]?.dlqId ?? '')
  expect((await client.dlq.listMessages()).messages).toEqual([])
})

test('with no retries a failed message dies at once, an unreachable destination likewise', async () => {
  const { client, qstash, read } = await queue()
  const { hits, url } = await destination([503])
  await client.publishJSON({ url, body: {}, retries: 0 })
  await client.publishJSON({ url: 'http://127.0.0.1:1/', body: {}, retries: 0 })
  await qstash.idle()
  expect(hits).toHaveLength(1)
  expect(await read('/desk/queue')).toMatchObject([
    { state: 'dead', last_status: null },
    { state: 'dead', last_status: 503 },
  ])
})

test('a pending message can be seen and cancelled', async () => {
  const { client, advance } = await queue()
  const { hits, url } = await destination()
  const { messageId } = await client.publishJSON({ url, body: { n: 1 }, delay: '1h' })
  expect(await client.messages.get(messageId)).toMatchObject({ messageId, url, body: '{"n":1}', maxRetries: 3 })
  await client.messages.delete(messageId)
  await expect(client.messages.get(messageId)).rejects.toThrow('not found')
  await advance(3700)
  expect(hits).toHaveLength(0)
})

test('a batch takes all of its messages or none', async () => {
  const { client, qstash, read } = await queue()
  const { hits, url } = await destination()
  expect(await client.batchJSON([1, 2].map((body) => ({ url, body })))).toHaveLength(2)
  await qstash.idle()
  expect(hits.map(({ body }) => body).sort()).toEqual(['1', '2'])
  await expect(
    client.batchJSON([
      { url, body: 3 },
      { url: 'ftp://example.com', body: 4 },
    ]),
  ).rejects.toThrow('invalid scheme')
  expect(await read('/desk/queue')).toHaveLength(2)
})

test('a named queue delivers one message at a time, in order', async () => {
  const { client, qstash } = await queue()
  let open = 0
  const { hits, url } = await destination([], async () => {
    expect(++open).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
    open--
  })
  for (const body of [1, 2, 3, 4]) await client.queue({ queueName: 'mails' }).enqueueJSON({ url, body })
  await qstash.idle()
  expect(hits.map(({ body }) => body)).toEqual(['1', '2', '3', '4'])
})

test('a wrong token, a wrong delay and a wrong cron are refused', async () => {
  const { client, origin } = await queue()
  const { url } = await destination()
  const stranger = new Client({ baseUrl: `${origin}/qstash`, token: 'other', retry: false })
  await expect(stranger.publishJSON({ url, body: 1 })).rejects.toMatchObject({ status: 401 })
  await expect(client.publish({ url, body: '', headers: { 'Upstash-Delay': 'soon' } })).rejects.toMatchObject({ status: 400 })
  await expect(client.publish({ url, body: '', headers: { 'Upstash-Retries': '-1' } })).rejects.toMatchObject({ status: 400 })
  await expect(client.publish({ url, body: 'x'.repeat(1024 * 1024 + 1) })).rejects.toMatchObject({ status: 400 })
  for (const cron of ['@daily', '* * * * * *', '61 * * * *', 'CRON_TZ=Mars/Base * * * * *'])
    await expect(client.schedules.create({ destination: url, cron })).rejects.toMatchObject({ status: 400 })
})
