import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { secrets } from '#local/settings.ts'
import { openRestRedis } from '#platform/cloudflare/redis.ts'
import { openRedis } from '#platform/node/redis.ts'
import { sharedService } from '#test/support/app.ts'
import { startRedisProxy, startTestRedis } from '#test/support/redis.ts'
import { startSpanReceiver } from '#test/support/span-receiver.ts'
import { recordSpans, runInTrace, type Span, type Tracer } from '#trace.ts'
import { measureRedis } from '#vendors/cache/measure-redis.ts'
import type { RedisCommands } from '#vendors/cache/redis-commands.ts'
import { createOtlpTracer } from '#vendors/otlp/otlp-tracer.ts'

const receiver = await startSpanReceiver()
afterAll(() => receiver.close())
beforeEach(() => Object.assign(receiver, { status: 200, spans: [], bodies: [], calls: [] }))

const secret = 'canary'

/** Run work in a trace and return its spans. */
async function listSpans(work: () => Promise<unknown>) {
  const tracer = createOtlpTracer({
    endpoint: receiver.url,
    headers: {},
    sampleRatio: 1,
    resource: {},
    log: () => {},
  })
  await runInTrace(null, () => recordSpans(tracer, work))
  await tracer.flush()
  expect(receiver.bodies.join('')).not.toContain(secret)
  return receiver.spans.map(({ name, attributes, status }) => ({
    name,
    failed: status?.code === 2,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue])),
  }))
}

async function openTcp(url: string) {
  const redis = openRedis({ url, log: () => {} })
  await redis.waitUntilReady()
  afterAll(() => redis.close())
  return measureRedis(redis)
}

it('OBS-10 each command to Redis over TCP is a span without keys and values', async () => {
  const redis = await openTcp(await startTestRedis())
  const spans = await listSpans(async () => {
    await redis.set(`${secret}:key`, secret, 60)
    expect(await redis.get(`${secret}:key`)).toBe(secret)
    await redis.delete(`${secret}:key`)
  })
  expect(spans.map(({ name, failed }) => [name, failed])).toEqual([
    ['SET', false],
    ['GET', false],
    ['DEL', false],
  ])
  expect(spans[0]?.attributes).toEqual({ 'db.system.name': 'redis', 'db.operation.name': 'SET' })
})

it('OBS-10 each command to Redis over REST is a span without keys and values', async () => {
  const { localOrigin } = await sharedService()
  const redis = measureRedis(openRestRedis(`${localOrigin}/redis`, secrets.redisToken, 5000))
  const spans = await listSpans(async () => {
    await redis.set(`${secret}:key`, secret, 60)
    await expect(redis.evalsha(secret, [], [])).rejects.toThrow('NOSCRIPT')
  })
  expect(spans).toEqual([
    { name: 'SET', failed: false, attributes: { 'db.system.name': 'redis', 'db.operation.name': 'SET' } },
    {
      name: 'EVALSHA',
      failed: false,
      attributes: {
        'db.system.name': 'redis',
        'db.operation.name': 'EVALSHA',
        'db.response.status_code': 'NOSCRIPT',
      },
    },
  ])
})

it('OBS-10 a command that fails names the code of the error, or its class, but not its text', async () => {
  const proxy = await startRedisProxy(await startTestRedis())
  const redis = await openTcp(proxy.url)
  proxy.setFault('error')
  const spans = await listSpans(() => expect(redis.get(`${secret}:key`)).rejects.toThrow('injected'))
  expect(spans).toMatchObject([
    { name: 'GET', failed: true, attributes: { 'error.type': 'ERR', 'db.response.status_code': 'ERR' } },
  ])
})

it('OBS-10 a command outside a trace runs without a span', async () => {
  const redis = await openTcp(await startTestRedis())
  expect(await redis.set('ready', '1', 60)).toBe('OK')
  expect(receiver.spans).toEqual([])
})

describe('a call to Redis in a trace', () => {
  const collect = async (
    call: (redis: RedisCommands) => Promise<unknown>,
    answer: () => Promise<unknown>,
  ) => {
    const spans: Span[] = []
    const tracer: Tracer = { isSampled: () => true, add: (span) => spans.push(span), flush: async () => {} }
    const redis = measureRedis({ evalsha: answer, eval: answer, get: answer, set: answer, delete: answer })
    const outcome = await runInTrace(undefined, () =>
      recordSpans(tracer, () => call(redis).catch((error: unknown) => error)),
    )
    return {
      outcome,
      spans: spans.map(({ name, kind, failed, attributes }) => ({ name, kind, failed, attributes })),
    }
  }
  it.each<[string, (redis: RedisCommands) => Promise<unknown>]>([
    ['EVALSHA', ({ evalsha }) => evalsha('h', [], [])],
    ['EVAL', (redis) => redis.eval('s', [], [])],
    ['GET', ({ get }) => get('k')],
    ['SET', ({ set }) => set('k', 't', 1)],
    ['DEL', (redis) => redis.delete('k')],
  ])('is the span %s without its key', async (name, call) => {
    const { outcome, spans } = await collect(call, async () => 'value')
    expect([outcome, spans]).toEqual([
      'value',
      [
        {
          name,
          kind: 'client',
          failed: false,
          attributes: { 'db.system.name': 'redis', 'db.operation.name': name },
        },
      ],
    ])
  })
  it.each([
    [new Error('NOSCRIPT No matching script'), false, { 'db.response.status_code': 'NOSCRIPT' }],
    [
      new Error('ReplyError: OOM command not allowed'),
      true,
      { 'db.response.status_code': 'OOM', 'error.type': 'OOM' },
    ],
    [new TypeError('fetch failed'), true, { 'error.type': 'TypeError' }],
    ['away', true, { 'error.type': 'string' }],
  ])('fails with the code of %s', async (error, failed, attributes) => {
    const { outcome, spans } = await collect(
      ({ get }) => get('k'),
      () => Promise.reject(error),
    )
    expect(outcome).toBe(error)
    expect(spans).toEqual([
      {
        name: 'GET',
        kind: 'client',
        failed,
        attributes: { 'db.system.name': 'redis', 'db.operation.name': 'GET', ...attributes },
      },
    ])
  })
  it('is no span outside of a trace', async () => {
    const redis = measureRedis({ get: async () => 'value' } as unknown as RedisCommands)
    expect(await redis.get('k')).toBe('value')
  })
})
