import { describe, expect, it } from 'vitest'
import { limitConcurrency } from '#async/limit-concurrency.ts'
import type { Message, QueuePort } from '#vendors/queue/queue.ts'
import { type SweptKind, sweepKind } from '#work/sweep.ts'

/** Create a queue that records what is published, or refuses everything. */
function createQueue(isReachable: boolean) {
  const batches: Message[][] = []
  let calls = 0
  const queue: QueuePort = {
    publish: async (messages) => {
      calls++
      if (!isReachable) throw new Error('unreachable')
      batches.push(messages)
    },
    ping: async () => ({ isLimited: false }),
  }
  return { queue, batches, countCalls: () => calls }
}

/**
 * Create a kind with `count` due rows. Each claimed batch and each attempt takes one millisecond of a clock.
 */
function createKind(count: number, parallel = 2) {
  const rows = Array.from({ length: count }, (_, n) => ({ id: `row-${n}`, attempts: n % 3 }))
  const attempted: string[] = []
  let time = 0
  const kind: SweptKind = {
    kind: 'delivery',
    parallel,
    claimDue: async (limit) => {
      time++
      return rows.splice(0, limit)
    },
    attempt: async (id, attempt) => {
      time++
      attempted.push(`${id}#${attempt}`)
      if (id === 'row-1') throw new Error('failed')
    },
  }
  return { kind, rows, attempted, now: () => time }
}

describe('sweepKind', () => {
  it('publishes all due rows in batches of 100, each with its next attempt and without a deduplication id', async () => {
    const { queue, batches } = createQueue(true)
    const { kind, now } = createKind(1250)
    await sweepKind(queue, kind, { budgetMs: 1000, now, slots: limitConcurrency({ running: 6 }) })
    expect(batches.map(({ length }) => length)).toEqual([...Array<number>(12).fill(100), 50])
    // Each claim takes one millisecond, and the last one finds nothing.
    expect(now()).toBe(4)
    expect(batches[0]?.[1]).toEqual({
      path: '/jobs/notifications/deliver',
      body: { delivery_id: 'row-1', attempt: 2 },
    })
  })

  it('makes all attempts itself while the queue is unreachable, asks the queue once, and continues after a failure', async () => {
    const { queue, countCalls } = createQueue(false)
    const { kind, attempted, now } = createKind(250)
    await sweepKind(queue, kind, { budgetMs: 1000, now, slots: limitConcurrency({ running: 6 }) })
    expect([attempted.length, new Set(attempted).size, countCalls()]).toEqual([250, 250, 1])
    expect(attempted).toContain('row-2#3')
  })

  it('stops when its time is over', async () => {
    const { queue } = createQueue(false)
    const { kind, rows, attempted, now } = createKind(250)
    await sweepKind(queue, kind, { budgetMs: 50, now, slots: limitConcurrency({ running: 6 }) })
    expect([attempted.length < 55, rows.length > 0]).toEqual([true, true])
  })

  it('claims nothing when it has no time', async () => {
    const { queue } = createQueue(true)
    const { kind, rows, now } = createKind(1)
    await sweepKind(queue, kind, { budgetMs: 0, now, slots: limitConcurrency({ running: 6 }) })
    expect(rows).toHaveLength(1)
  })

  it('attempts each row that it claims after the first batch, although its time ends before', async () => {
    const { queue } = createQueue(false)
    const { kind, rows, attempted, now } = createKind(250, 6)
    // The time ends after the first batch of 100 and within the attempts of a later one.
    await sweepKind(queue, kind, { budgetMs: 150, now, slots: limitConcurrency({ running: 6 }) })
    expect([attempted.length > 130, rows.length > 0]).toEqual([true, true])
    expect(attempted.length + rows.length).toBe(250)
  })

  it('makes no more attempts at the same time than there are slots for all kinds', async () => {
    const { queue } = createQueue(false)
    const slots = limitConcurrency({ running: 6 })
    const kinds = [createKind(50, 6), createKind(50, 6)]
    let running = 0
    let mostRunning = 0
    const sweeps = kinds.map(({ kind, now }) => {
      const attempt: SweptKind['attempt'] = async (...row) => {
        mostRunning = Math.max(mostRunning, ++running)
        await new Promise(setImmediate)
        await kind.attempt(...row).finally(() => running--)
      }
      return sweepKind(queue, { ...kind, attempt }, { budgetMs: 1000, now, slots })
    })
    await Promise.all(sweeps)
    expect([mostRunning, ...kinds.map(({ attempted }) => attempted.length)]).toEqual([6, 50, 50])
  })
})
