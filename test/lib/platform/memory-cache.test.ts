import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMemoryCache } from '#platform/node/memory-cache.ts'

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
