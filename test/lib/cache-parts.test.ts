import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseRate } from '../../lib/cache/limiter.ts'
import { createLocalCounter } from '../../lib/cache/local-counter.ts'
import { measureRedis } from '../../lib/cache/measure-redis.ts'
import type { RedisCommands } from '../../lib/cache/redis-commands.ts'
import { createRedisLimiter } from '../../lib/cache/redis-limiter.ts'
import { record, recordWith, toStatusClass } from '../../lib/metrics/metrics.ts'
import { toAddressBlock, toAddressRange, unmapAddress } from '../../lib/net/address-block.ts'
import { readAtMost } from '../../lib/net/read-at-most.ts'
import { recordAttempt, secondsUntilRetry } from '../../lib/outbox/attempts.ts'
import { toMessage } from '../../lib/outbox/messages.ts'
import { createMemoryCache } from '../../lib/platform/node/memory-cache.ts'
import { createMetricsRegistry } from '../../lib/platform/node/metrics-registry.ts'
import { requireObjectKey, requireObjectSize } from '../../lib/platform/node/object-keys.ts'
import { measureProcess, toBacklogGauges } from '../../lib/platform/node/process-metrics.ts'
import { parseRangeReply, parseReadReply } from '../../lib/platform/node/streams-entries.ts'
import { parseEventId, startAfter, startWithNewEvents } from '../../lib/realtime/stored-events.ts'
import { recordSpans, runInSpan, runInTrace, type Span, type Tracer } from '../../lib/trace.ts'

it.each([
  ['read', { max: 240, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['write', { max: 120, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['ai', { max: 20, windowMs: 60_000, unit: 'minute', perAddress: false }],
  ['public', { max: 120, windowMs: 60_000, unit: 'minute', perAddress: true }],
  ['5/hour/ip', { max: 5, windowMs: 3_600_000, unit: 'hour', perAddress: true }],
  ['5/hour', { max: 5, windowMs: 3_600_000, unit: 'hour', perAddress: false }],
] as const)('parseRate reads %s', (limit, rate) => expect(parseRate(limit)).toEqual(rate))

describe('a counter in this process', () => {
  const rate = parseRate('2/minute')
  it('says how many calls remain and when the next one is allowed', () => {
    const count = createLocalCounter()
    expect(count('a', 2, rate, 0)).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 60 })
    expect(count('a', 2, rate, 30_500)).toEqual({ allowed: true, limit: 2, remaining: 0, resetSeconds: 30 })
    expect(count('a', 2, rate, 59_999)).toEqual({ allowed: false, limit: 2, remaining: 0, resetSeconds: 1 })
    expect(count('a', 2, rate, 60_000)).toMatchObject({ allowed: true, remaining: 0, resetSeconds: 31 })
    expect(count('b', 0, rate, 0)).toEqual({ allowed: false, limit: 0, remaining: 0, resetSeconds: 60 })
  })
})

describe('the limiter in Redis', () => {
  const rate = parseRate('4/minute')
  const redis = (answer: () => Promise<unknown>): RedisCommands => ({
    evalsha: answer,
    eval: answer,
    get: answer,
    set: answer,
    delete: answer,
    ping: answer,
  })
  it('allows calls while Redis is away, and strict ones up to half of the limit', async () => {
    const limiter = createRedisLimiter(redis(() => Promise.reject(new Error('away'))))
    expect(await limiter.count('a', rate, false)).toEqual({ allowed: true, limit: 4, remaining: 3, resetSeconds: 60 })
    const strict = []
    for (let n = 0; n < 3; n++) strict.push((await limiter.count('a', rate, true)).allowed)
    expect(strict).toEqual([true, true, false])
  })
  it.each([
    ['PONG', true],
    ['pong', false],
    [null, false],
  ])('takes the answer %j to a ping for an answer: %s', async (answer, isAnswer) => {
    const pinged = createRedisLimiter(redis(async () => answer))
      .ping()
      .then(
        () => true,
        () => false,
      )
    expect(await pinged).toBe(isAnswer)
  })
})

describe('a call to Redis in a trace', () => {
  const collect = async (call: (redis: RedisCommands) => Promise<unknown>, answer: () => Promise<unknown>) => {
    const spans: Span[] = []
    const tracer: Tracer = { isSampled: () => true, add: (span) => spans.push(span), flush: async () => {} }
    const redis = measureRedis({ evalsha: answer, eval: answer, get: answer, set: answer, delete: answer, ping: answer })
    const outcome = await runInTrace(undefined, () => recordSpans(tracer, () => call(redis).catch((error: unknown) => error)))
    return { outcome, spans: spans.map(({ name, kind, failed, attributes }) => ({ name, kind, failed, attributes })) }
  }
  it.each<[string, (redis: RedisCommands) => Promise<unknown>]>([
    ['EVALSHA', ({ evalsha }) => evalsha('h', [], [])],
    ['EVAL', (redis) => redis.eval('s', [], [])],
    ['GET', ({ get }) => get('k')],
    ['SET', ({ set }) => set('k', 't', 1)],
    ['DEL', (redis) => redis.delete('k')],
    ['PING', ({ ping }) => ping()],
  ])('is the span %s without its key', async (name, call) => {
    const { outcome, spans } = await collect(call, async () => 'value')
    expect([outcome, spans]).toEqual([
      'value',
      [{ name, kind: 'client', failed: false, attributes: { 'db.system.name': 'redis', 'db.operation.name': name } }],
    ])
  })
  it.each([
    [new Error('NOSCRIPT No matching script'), false, { 'db.response.status_code': 'NOSCRIPT' }],
    [new Error('ReplyError: OOM command not allowed'), true, { 'db.response.status_code': 'OOM', 'error.type': 'OOM' }],
    [new TypeError('fetch failed'), true, { 'error.type': 'TypeError' }],
    ['away', true, { 'error.type': 'string' }],
  ])('fails with the code of %s', async (error, failed, attributes) => {
    const { outcome, spans } = await collect(
      ({ get }) => get('k'),
      () => Promise.reject(error),
    )
    expect(outcome).toBe(error)
    expect(spans).toEqual([
      { name: 'GET', kind: 'client', failed, attributes: { 'db.system.name': 'redis', 'db.operation.name': 'GET', ...attributes } },
    ])
  })
  it('is no span outside of a trace', async () => {
    const redis = measureRedis({ get: async () => 'value' } as unknown as RedisCommands)
    expect(await redis.get('k')).toBe('value')
  })
})

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
    ['a:b', 'a:b'],
    ['unknown', 'unknown'],
  ])('%s is counted as %s', (address, block) => expect(toAddressBlock(address)).toBe(block))
  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['x', 'x'],
  ])('%s is unmapped to %s', (address, plain) => expect(unmapAddress(address)).toBe(plain))
  it.each([
    ['10.1.2.3', '10.1.2.3/32'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['2001:db8::1/32', '2001:db8::/32'],
    ['::ffff:10.1.2.3', '10.1.2.3/32'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['::ffff:10.1.2.3/96', '0.0.0.0/0'],
    ['10.1', null],
    ['010.0.0.1', null],
    ['10.1.2.3/33', null],
    ['fe80::1%eth0', null],
    ['', null],
  ])('%s is the range %s', (text, range) => expect(toAddressRange(text)).toBe(range))
})

describe('readAtMost', () => {
  const read = async (sizes: number[], max: number) => {
    const body = sizes.length === 0 ? null : new Response(new Blob(sizes.map((size) => 'x'.repeat(size)))).body
    return (await readAtMost(body, max, () => new RangeError('too long'))).length
  }
  it.each([
    [[], 0, 0],
    [[3], 3, 3],
    [[2, 2], 4, 4],
  ])('reads parts of %j bytes', async (sizes, max, length) => expect(await read(sizes, max)).toBe(length))
  it('reads no byte more', () => expect(read([4], 3)).rejects.toThrow('too long'))
})

describe('the time until the next attempt', () => {
  const failed = { ok: false, status: 500, error: 'x' } as const
  it.each([
    [1, failed, 30],
    [2, failed, 120],
    [3, failed, 600],
    [4, failed, 600],
    [5, failed, null],
    [1, { ...failed, gone: true }, null],
    [1, { ok: true, status: 200 } as const, null],
    [1, { ...failed, retryAfterSeconds: 29 }, 30],
    [1, { ...failed, retryAfterSeconds: 31 }, 31],
  ])('after attempt %i of 5 with %j is %j', (attempts, result, seconds) => {
    expect(secondsUntilRetry({ id: 'a', attempts, max_attempts: 5 }, result)).toBe(seconds)
  })
  it('is 0 without delays', () => expect(secondsUntilRetry({ id: 'a', attempts: 1, max_attempts: 5 }, failed, [])).toBe(0))
})

it('OBS-03 counts each attempt by its outcome, also as an event of the span', async () => {
  const recorded: unknown[] = []
  const port = { start: () => ({ record: (...call: unknown[]) => void recorded.push(call), flush: () => recorded.push('flush') }) }
  const spans: Span[] = []
  const tracer: Tracer = { isSampled: () => true, add: (span) => spans.push(span), flush: async () => {} }
  await recordWith(port, () =>
    runInTrace(undefined, () =>
      recordSpans(tracer, () =>
        runInSpan('job', 'consumer', async () => {
          recordAttempt('push', { ok: true }, null)
          recordAttempt('push', { ok: false }, 30)
          recordAttempt('push', { ok: false }, null)
          await recordWith(port, async () => record('attempts', { kind: 'inner', outcome: 'x' }, 2))
        }),
      ),
    ),
  )
  const outcomes = ['succeeded', 'retried', 'failed']
  expect(recorded).toEqual([...outcomes.map((outcome) => ['attempts', ['push', outcome], 1]), ['attempts', ['inner', 'x'], 2], 'flush'])
  expect(spans[0]?.events.map(({ name, attributes }) => [name, attributes])).toEqual(
    outcomes.map((outcome) => ['attempt', { kind: 'push', outcome }]),
  )
})

it.each([
  [
    { kind: 'push', id: 'p', attempt: 2 },
    { path: '/jobs/psa/push', body: { push_id: 'p', attempt: 2 }, delaySeconds: 0, deduplicationId: 'p-2' },
  ],
  [
    { kind: 'delivery', id: 'd', attempt: 1, delaySeconds: 30 },
    { body: { delivery_id: 'd', attempt: 1 }, delaySeconds: 30, deduplicationId: 'd-1' },
  ],
  [
    { kind: 'delivery', id: 'd', attempt: 1, isPostponed: true },
    { path: '/jobs/notifications/deliver', delaySeconds: 0 },
  ],
] as const)('the message of %j is %j', (entry, message) => {
  expect(toMessage(entry)).toMatchObject(message)
  expect('deduplicationId' in toMessage(entry)).toBe(!('isPostponed' in entry))
})

describe('a cache in this process', () => {
  it('forgets a value when its seconds have passed', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const cache = createMemoryCache()
    await cache.set('a', 1, 2)
    vi.setSystemTime(Date.now() + 1999)
    expect(await cache.get('a')).toBe(1)
    vi.setSystemTime(Date.now() + 1)
    expect(await cache.get('a')).toBeUndefined()
  })
  it('stores exactly its number of values and of characters', async () => {
    const cache = createMemoryCache(2, 8)
    await cache.set('a', '12', 9)
    await cache.set('b', '34', 9)
    expect([await cache.get('a'), await cache.get('b')]).toEqual(['12', '34'])
    await cache.set('c', '', 9)
    expect([await cache.get('a'), await cache.get('b'), await cache.get('c')]).toEqual([undefined, '34', ''])
    await cache.set('d', '123456', 9)
    await cache.set('e', '1234567', 9)
    expect([await cache.get('d'), await cache.get('e')]).toEqual(['123456', undefined])
    await cache.set('d', '1234', 9)
    await cache.set('f', '', 9)
    expect([await cache.get('d'), await cache.get('f')]).toEqual(['1234', ''])
  })
})

describe('the metrics of a process', () => {
  it('put a value that equals a bound into its bucket', () => {
    const registry = createMetricsRegistry()
    const recorder = registry.start()
    for (const value of [0.025, 0.026, 6]) recorder.record('requestDuration', ['a'], value)
    recorder.record('rateLimited', ['a"\\\n'], 2)
    const text = registry.write([{ name: 'g', help: 'h', samples: [{ value: 1 }, { labels: { x: 'y' }, value: 2 }] }])
    const name = 'support_flow_request_duration_seconds'
    expect(
      text.split('\n').filter((line) => line.startsWith(name) || /^(# \w+ )?g[ {]/.test(line) || line.includes('rate_limited_total{')),
    ).toEqual([
      ...[
        ['0.025', 1],
        ['0.1', 2],
        ['0.25', 2],
        ['1', 2],
        ['5', 2],
        ['+Inf', 3],
      ].map(([le, count]) => `${name}_bucket{operation="a",le="${le}"} ${count}`),
      `${name}_sum{operation="a"} 6.051`,
      `${name}_count{operation="a"} 3`,
      'support_flow_rate_limited_total{operation="a\\"\\\\\\n"} 2',
      ...['# HELP g h', '# TYPE g gauge', 'g 1', 'g{x="y"} 2'],
    ])
  })
  it('have the memory, the processor time and the delays of the process', () => {
    const gauges = new Map(
      measureProcess('1.2.3')
        .read()
        .map(({ name, type, samples }) => [name, { type, ...samples[0] }]),
    )
    expect(gauges.get('support_flow_build_info')).toEqual({ type: undefined, labels: { version: '1.2.3' }, value: 1 })
    expect(gauges.get('process_cpu_seconds_total')?.type).toBe('counter')
    const { user, system } = process.cpuUsage()
    expect(gauges.get('process_cpu_seconds_total')?.value).toBeCloseTo((user + system) / 1e6, 0)
    expect(gauges.get('process_start_time_seconds')?.value).toBeCloseTo(Date.now() / 1000 - process.uptime(), 0)
    for (const name of ['p50', 'p99', 'max']) {
      const delay = gauges.get(`nodejs_eventloop_lag_${name}_seconds`)?.value ?? -1
      expect(delay >= 0 && delay < 60).toBe(true)
    }
  })
  it('say whether the outboxes could be read', () => {
    const values = (backlog: Parameters<typeof toBacklogGauges>[0]) =>
      toBacklogGauges(backlog).map(({ name, samples }) => [name.replace('support_flow_outbox_', ''), samples])
    const labels = { outbox: 'pushes' }
    expect(values([{ outbox: 'pushes', open: 3, due: 2, oldest_due_seconds: 1.5 }])).toEqual([
      ['readable', [{ labels: {}, value: 1 }]],
      ['open', [{ labels, value: 3 }]],
      ['due', [{ labels, value: 2 }]],
      ['oldest_due_seconds', [{ labels, value: 1.5 }]],
    ])
    expect(values(null)[0]).toEqual(['readable', [{ labels: {}, value: 0 }]])
  })
  it.each([
    [200, '2xx'],
    [299, '2xx'],
    [300, '3xx'],
    [503, '5xx'],
  ])('name the class of the status %i %s', (status, name) => expect(toStatusClass(status)).toBe(name))
})

describe('the key of an object', () => {
  it.each(['a', 'uploads/a-1_b.jpg', `${'a'.repeat(100)}/b`, Array(3).fill('a'.repeat(99)).join('/')])('is safe: %s', (key) => {
    expect(() => requireObjectKey(key)).not.toThrow()
  })
  it.each(['', '..', 'a/../b', '/a', 'a/', 'A', '.a', 'a//b', 'ä', 'a'.repeat(101), Array(4).fill('a'.repeat(75)).join('/')])(
    'is not safe: %s',
    (key) => {
      expect(() => requireObjectKey(key)).toThrow('unsafe form')
    },
  )
  it('is of at most 16 MiB', () => {
    expect(() => requireObjectSize(16 * 1024 * 1024)).not.toThrow()
    expect(() => requireObjectSize(16 * 1024 * 1024 + 1)).toThrow(RangeError)
  })
})

describe('the live events in Redis', () => {
  const entry = (id: string, ...fields: string[]) => [id, fields]
  it('are read with their ids, and entries of another form are left out', () => {
    const reply = [
      entry('7-0', 'first', '5', 'event', 'a', 'data', '{}'),
      entry('8-0', 'x', '5', 'event', 'a', 'data', '{}'),
      entry('9-0', 'first', '5', 'x', 'a', 'data', '{}'),
      entry('10-0', 'first', '5', 'event', 'a', 'x', '{}'),
      entry('11-0', 'first', '5', 'event', '', 'data', '{}'),
      entry('12-0', 'first', '5', 'event', 'a', 'data', ''),
      entry('13-0'),
    ]
    expect(parseRangeReply(reply)).toEqual([{ id: 7, firstId: 5, event: 'a', data: '{}' }])
  })
  it('are none in an empty reply, and an error in another one', () => {
    expect(parseReadReply(null)).toEqual([])
    expect(parseReadReply([['k', [entry('7-0')]]])).toEqual([['k', [['7-0', []]]]])
    expect(() => parseReadReply('OK')).toThrow()
    expect(() => parseRangeReply([entry('x')])).toThrow()
  })
  it.each([
    ['12', 12],
    ['1'.repeat(15), Number('1'.repeat(15))],
    ['1'.repeat(16), undefined],
    ['1a', undefined],
    ['', undefined],
    [null, undefined],
  ])('after the id %j start at %j', (text, id) => expect(parseEventId(text)).toBe(id))
  it.each([
    [5, [6, 7], 1, 7, 0],
    [5, [7], 1, 7, 1],
    [5, [], 1, 5, 0],
    [5, [], 1, 8, 3],
    [0, [7], 5, 7, 2],
    [3, [5], 5, 5, 0],
    [9, [], 1, 5, 0],
  ])('after %i with %j stored since %i until %i miss %i', (after, ids, firstId, newestId, lostCount) => {
    const missed = ids.map((id) => ({ id, event: 'a', data: '{}' }))
    expect(startAfter(after, missed, { firstId, newestId })).toEqual({ missed, after, lostCount })
    expect(startWithNewEvents(newestId)).toEqual({ missed: [], after: newestId, lostCount: 0 })
  })
})
