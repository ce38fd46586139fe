import { describe, expect, it, vi } from 'vitest'
import { limitPerKey } from '#async/limit-per-key.ts'

const settings = { running: 2, waiting: 3, maxWaitMs: 1000 }

describe('places that are divided per key', () => {
  it('the calls of a key beyond its places wait in their order, and another key has its own places', async () => {
    const takePlace = limitPerKey(settings)
    const order: string[] = []
    const take = async (key: string, name: string) => {
      const leave = await takePlace(key)
      order.push(name)
      return leave
    }
    const [first, second] = await Promise.all([take('a', 'a1'), take('a', 'a2')])
    const waiting = [take('a', 'a3'), take('a', 'a4')]
    await take('b', 'b1')
    expect(order).toEqual(['a1', 'a2', 'b1'])
    first()
    first()
    await waiting[0]
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3'])
    second()
    await waiting[1]
    expect(order.at(-1)).toBe('a4')
  })

  it('one that waits last comes after the others, and leaves a full queue to them', async () => {
    const takePlace = limitPerKey({ running: 1, waiting: 2 })
    const order: string[] = []
    const take = (name: string, isLast = false) =>
      takePlace('a', { isLast }).then(
        (leave) => {
          order.push(name)
          leave()
        },
        () => void order.push(`${name} refused`),
      )
    const leave = await takePlace('a')
    const waiting = [take('last 1', true), take('last 2', true), take('last 3', true), take('first')]
    leave()
    await Promise.all(waiting)
    expect(order).toEqual(['last 3 refused', 'last 2 refused', 'first', 'last 1'])
  })

  it('one that is aborted leaves the queue', async () => {
    const takePlace = limitPerKey({ running: 1, waiting: 1 })
    const client = new AbortController()
    const leave = await takePlace('a')
    const waiting = takePlace('a', { signal: client.signal })
    client.abort()
    await expect(waiting).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(takePlace('a', { signal: client.signal })).rejects.toMatchObject({ kind: 'unavailable' })
    const next = takePlace('a')
    leave()
    await expect(next).resolves.toBeTypeOf('function')
  })

  it('refuses at once when too many wait, and after a while when no place becomes free', async () => {
    vi.useFakeTimers()
    try {
      const takePlace = limitPerKey(settings)
      const leave = await takePlace('a')
      await takePlace('a')
      const waiting = Array.from({ length: 3 }, () =>
        takePlace('a').then(
          () => 'taken',
          (error: Error) => error.message,
        ),
      )
      await expect(takePlace('a')).rejects.toMatchObject({ kind: 'unavailable' })
      leave()
      await vi.advanceTimersByTimeAsync(1000)
      expect((await Promise.all(waiting)).filter((outcome) => outcome === 'taken')).toHaveLength(1)
    } finally {
      vi.useRealTimers()
    }
  })
})
