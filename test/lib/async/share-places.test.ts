// @module-tag mechanism
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sharePlaces } from '#async/share-places.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

// Where a request may wake another one, and in workerd, where it may not.
describe.each([true, false])('with wakes %s', (wakes) => {
  const settings = { running: 2, maxWaitMs: 10_000, maxHoldMs: 2000, wakes }
  /** Start calls that hold their places until they are told to leave. */
  function startCalls(takePlace: ReturnType<typeof sharePlaces>, key: string, count: number) {
    const leaves: (() => void)[] = []
    const failures: unknown[] = []
    for (let n = 0; n < count; n++)
      takePlace(key).then(
        (leave) => leaves.push(leave),
        (error: unknown) => failures.push(error),
      )
    return { leaves, failures }
  }
  const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

  it('two calls of a key run at once, the others wait, and another key has places of its own', async () => {
    const takePlace = sharePlaces(settings)
    const busy = startCalls(takePlace, 'busy', 60)
    const other = startCalls(takePlace, 'other', 1)
    await pass()
    expect([busy.leaves.length, other.leaves.length]).toEqual([2, 1])
    busy.leaves[0]?.()
    await pass(2)
    expect(busy.leaves).toHaveLength(3)
  })

  it('a key has fewer places while another one calls, and all of them a second later', async () => {
    const takePlace = sharePlaces({ ...settings, running: 8, runningBesideOthers: 3, maxHoldMs: 60_000 })
    const { leaves } = startCalls(takePlace, 'busy', 60)
    await pass()
    expect(leaves).toHaveLength(8)
    startCalls(takePlace, 'other', 1)
    for (const leave of leaves.slice(0, 8)) leave()
    await pass(500)
    expect(leaves).toHaveLength(11)
    await pass(600)
    expect(leaves).toHaveLength(16)
  })

  it('calls start in their order, also when a place becomes free just as another call comes', async () => {
    const takePlace = sharePlaces({ ...settings, running: 1 })
    const order: number[] = []
    const leaves: (() => void)[] = []
    const call = (n: number) =>
      void takePlace('a').then((leave) => {
        order.push(n)
        leaves.push(leave)
      })
    for (let n = 1; n <= 3; n++) call(n)
    await pass(150)
    leaves[0]?.()
    call(4)
    await pass()
    expect(order).toEqual(wakes ? [1, 2] : [1])
    await pass(2)
    leaves[1]?.()
    await pass(10)
    leaves[2]?.()
    await pass(10)
    expect(order).toEqual([1, 2, 3, 4])
  })

  it('a call that waits too long, or finds too many waiting, is unavailable with Retry-After', async () => {
    const { leaves, failures } = startCalls(
      sharePlaces({ ...settings, waiting: 3, maxHoldMs: 60_000 }),
      'a',
      6,
    )
    await pass()
    expect([leaves.length, failures.length]).toEqual([2, 1])
    await pass(10_100)
    expect(failures).toHaveLength(4)
    expect(failures[3]).toMatchObject({ kind: 'unavailable', headers: { 'retry-after': '5' } })
  })

  it('a place that is not given back is free after its time, and giving it back twice frees no other', async () => {
    const takePlace = sharePlaces(settings)
    const { leaves } = startCalls(takePlace, 'a', 6)
    await pass(1000)
    expect(leaves).toHaveLength(2)
    await pass(1100)
    expect(leaves).toHaveLength(4)
    for (const leave of leaves.slice(0, 2)) leave()
    await pass(100)
    expect(leaves).toHaveLength(4)
  })

  it.skipIf(wakes)('callers who are gone keep nobody from a place', async () => {
    const takePlace = sharePlaces({ ...settings, maxHoldMs: 60_000 })
    const { leaves } = startCalls(takePlace, 'a', 2)
    await pass()
    // workerd runs neither timers nor promises of a request whose client has left.
    startCalls(takePlace, 'a', 50)
    await pass()
    vi.clearAllTimers()
    const living = startCalls(takePlace, 'a', 1)
    await pass(1200)
    for (const leave of leaves) leave()
    await pass(1200)
    expect(living.leaves).toHaveLength(1)
  })

  it.runIf(wakes)('a call that leaves wakes the first that waits, without a timer', async () => {
    const takePlace = sharePlaces({ ...settings, maxHoldMs: 60_000 })
    const { leaves } = startCalls(takePlace, 'a', 40)
    for (let started = 2; started < 40; started++) {
      await pass()
      expect(leaves).toHaveLength(started)
      leaves[started - 2]?.()
    }
  })

  it('a call that leaves after its time frees no place of those that came later', async () => {
    const takePlace = sharePlaces({ ...settings, running: 1, maxHoldMs: 50 })
    const { leaves } = startCalls(takePlace, 'a', 1)
    await pass(60)
    const second = startCalls(takePlace, 'a', 1)
    await pass()
    second.leaves[0]?.()
    const third = startCalls(takePlace, 'a', 1)
    await pass()
    leaves[0]?.()
    const fourth = startCalls(takePlace, 'a', 1)
    await pass()
    expect([third.leaves.length, fourth.leaves.length]).toEqual([1, 0])
  })

  it.runIf(wakes)('calls that leave at once wake as many, and a passed time wakes the first', async () => {
    const takePlace = sharePlaces({ ...settings, running: 8, maxHoldMs: 30 })
    const { leaves } = startCalls(takePlace, 'a', 40)
    await pass()
    for (const leave of leaves.slice(0, 8)) leave()
    await pass()
    expect(leaves).toHaveLength(16)
    await pass(31)
    expect(leaves).toHaveLength(24)
  })
})
