// @module-tag mechanism
import { describe, expect, it } from 'vitest'
import { createMemoryCache } from '#platform/node/memory-cache.ts'
import { useClock } from '#test/support/clock.ts'
import { longTimeoutMs, redisKinds, type TestRedis } from '#test/support/limiters.ts'
import { measureMs } from '#test/support/measure.ts'
import type { CachePort } from '#vendors/cache/cache.ts'
import { createRedisCache } from '#vendors/cache/redis-cache.ts'

const start = Date.parse('2026-11-21T09:30:00Z')

async function openCache(redis: TestRedis, timeoutMs = longTimeoutMs): Promise<CachePort> {
  return createRedisCache(await redis.openClient(timeoutMs), timeoutMs)
}

const caches = [
  ...redisKinds.map((kind) => ({ ...kind, open: async () => openCache(await kind.start()) })),
  { name: 'this process', hasClock: true, open: async () => createMemoryCache() },
]

describe.each(caches)('a cache in $name', ({ open }) => {
  it('returns a copy of the stored JSON, and undefined for an unknown key', async () => {
    const [cache, key] = [await open(), crypto.randomUUID()]
    const value = { name: 'Žofie ✓ 你好', items: [1, null, 'OK'], nested: { text: 'a\r\nb "c"' } }
    await cache.set(key, value, 60)
    const expected = structuredClone(value)
    value.items.push('later')
    expect([await cache.get(key), await cache.get(`${key}-unknown`)]).toEqual([expected, undefined])
    await cache.set(key, 'OK', 60)
    expect(await cache.get(key)).toBe('OK')
  })

  it('deletes a value', async () => {
    const [cache, key] = [await open(), crypto.randomUUID()]
    await cache.set(key, 1, 60)
    await cache.delete(key)
    await cache.delete(key)
    expect(await cache.get(key)).toBeUndefined()
  })
})

it.each(caches.filter(({ hasClock }) => hasClock))(
  'a cache in $name forgets a value after its seconds',
  async ({ open }) => {
    const clock = useClock(start)
    const cache = await open()
    await cache.set('k', 1, 60)
    clock.now = start + 59_999
    expect(await cache.get('k')).toBe(1)
    clock.now = start + 60_001
    expect(await cache.get('k')).toBeUndefined()
  },
)

describe.each(redisKinds)('a cache of several processes in $name', (kind) => {
  it('returns what another process stored', async () => {
    const [redis, key] = [await kind.start(), crypto.randomUUID()]
    const [first, second] = [await openCache(redis), await openCache(redis)]
    await first.set(key, { n: 1 }, 60)
    expect(await second.get(key)).toEqual({ n: 1 })
  })

  it.each(kind.faults)(
    'misses at most 300 ms later during the fault %s, and then immediately for five seconds',
    { retry: 2 },
    async (fault) => {
      const clock = useClock(start)
      const redis = await kind.start()
      const cache = await openCache(redis, 250)
      await cache.set('k', 1, 3600)
      redis.setFault(fault)
      const waits: number[] = []
      for (let n = 0; n < 3; n++) {
        clock.now += 5001
        waits.push(await measureMs(async () => expect(await cache.get('k')).toBeUndefined()))
      }
      expect(Math.min(...waits)).toBeLessThan(300)
      const startedAt = performance.now()
      await cache.set('k', 2, 60)
      await cache.delete('k')
      expect([await cache.get('k'), performance.now() - startedAt < 50]).toEqual([undefined, true])
    },
  )

  it('reads Redis again five seconds after two failures', async () => {
    const clock = useClock(start)
    const [redis, key] = [await kind.start(), crypto.randomUUID()]
    const cache = await openCache(redis)
    await cache.set(key, 1, 3600)
    redis.setFault('down')
    await cache.get(key)
    await cache.get(key)
    await redis.clearFault()
    clock.now = start + 4999
    expect(await cache.get(key)).toBeUndefined()
    clock.now = start + 5001
    expect(await cache.get(key)).toBe(1)
  })

  it('misses when the stored text is not JSON', async () => {
    const [redis, key] = [await kind.start(), crypto.randomUUID()]
    await (await redis.openClient()).set(`cache:${key}`, '{"cut":', 60)
    expect(await (await openCache(redis)).get(key)).toBeUndefined()
  })
})

it('a full cache in this process forgets the value that was read least recently', async () => {
  const cache = createMemoryCache(3, 1000)
  for (const key of ['a', 'b', 'c']) await cache.set(key, key, 60)
  await cache.get('a')
  await cache.set('d', 'd', 60)
  expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => cache.get(key)))).toEqual([
    'a',
    undefined,
    'c',
    'd',
  ])
})

it('a cache in this process stores at most its number of characters, and no larger value', async () => {
  const cache = createMemoryCache(100, 50)
  await cache.set('first', 'x'.repeat(20), 60)
  await cache.set('second', 'x'.repeat(20), 60)
  await cache.set('third', 'x'.repeat(20), 60)
  await cache.set('huge', 'x'.repeat(100), 60)
  const values = await Promise.all(['first', 'second', 'third', 'huge'].map((key) => cache.get(key)))
  expect(values.map((value) => value !== undefined)).toEqual([false, true, true, false])
})
