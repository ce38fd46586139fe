// @module-tag mechanism
import { describe, expect, it } from 'vitest'
import { runConcurrently } from '#test/support/concurrency.ts'
import { night } from '#test/support/night.ts'
import { getTraceId, runInTrace } from '#trace.ts'
import type { Message } from '#vendors/queue/queue.ts'
import { jobPath, openPostgresQueue, openQstash, type TestQueue } from './queue-platforms.ts'

const platforms: [name: string, open: () => Promise<TestQueue>][] = [
  ['QStash', openQstash],
  ['PostgreSQL', openPostgresQueue],
]

const message = (n: number, options: Partial<Message> = {}): Message => ({
  path: jobPath,
  body: { n },
  ...options,
})

describe.each(platforms)('the queue in %s', (_, open) => {
  it('runs the job of each message of a call at once', async () => {
    const test = await open()
    await test.queue.publish([])
    await test.queue.publish([message(1), message(2), message(3)])
    await test.settle()
    expect(test.started.toSorted()).toEqual([1, 2, 3])
  })

  it('runs a job in the trace of the work that published it', async () => {
    const test = await open()
    const traceIds: (string | undefined)[] = []
    test.handle = async () => void traceIds.push(getTraceId())
    const traceId = 'a1'.repeat(16)
    await runInTrace(`00-${traceId}-${'b2'.repeat(8)}-01`, () => test.queue.publish([message(1)]))
    await test.queue.publish([message(2)])
    await test.settle()
    expect(traceIds).toHaveLength(2)
    expect(traceIds.filter((id) => id === traceId)).toHaveLength(1)
  })

  it('runs the job of a delayed message when it is due', async () => {
    const test = await open()
    await test.queue.publish([message(1, { delaySeconds: 120 }), message(2)])
    await test.settle()
    expect(test.started).toEqual([2])
    await test.advanceClock(110)
    expect(test.started).toEqual([2])
    await test.advanceClock(11)
    expect(test.started).toEqual([2, 1])
  })

  it('drops a message whose deduplication id another message of the same call has', async () => {
    const test = await open()
    await test.queue.publish([
      message(1, { deduplicationId: 'a' }),
      message(2, { deduplicationId: 'a' }),
      message(3),
    ])
    await test.settle()
    expect(test.started.toSorted()).toEqual([1, 3])
  })

  it('drops a second message with the same deduplication id while the first one waits', async () => {
    const test = await open()
    const delayed = { delaySeconds: 90, deduplicationId: 'a' }
    await test.queue.publish([message(1, delayed)])
    await test.queue.publish([message(2, { deduplicationId: 'a' }), message(3)])
    await test.settle()
    expect(test.started).toEqual([3])
    await test.advanceClock(80)
    await test.queue.publish([message(4, delayed)])
    await test.advanceClock(11)
    expect(test.started).toEqual([3, 1])
    await test.advanceClock(300)
    expect(test.started).toEqual([3, 1])
  })

  it('drops a second message with the same deduplication id while the first one runs and after it, and accepts the id again later', async () => {
    const test = await open()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    test.handle = () => released
    await test.queue.publish([message(1, { deduplicationId: 'a' })])
    await expect.poll(() => test.started, { timeout: 30_000 }).toEqual([1])
    await test.queue.publish([message(2, { deduplicationId: 'a' })])
    release()
    await test.settle()
    await test.queue.publish([message(3, { deduplicationId: 'a' })])
    await test.settle()
    expect(test.started).toEqual([1])
    await test.advanceClock(601)
    await test.queue.publish([message(4, { deduplicationId: 'a' })])
    await test.settle()
    expect(test.started).toEqual([1, 4])
  })

  it('runs the job once when 32 callers publish the same deduplication ids concurrently', async () => {
    const test = await open()
    const ids = ['a', 'b', 'c']
    await runConcurrently((caller) =>
      // Each caller has another order, in which they could wait for each other.
      test.queue.publish(
        ids.map((_, at) => (at + caller) % 3).map((at) => message(at, { deduplicationId: ids[at] ?? '' })),
      ),
    )
    await test.settle()
    expect(test.started.toSorted()).toEqual([0, 1, 2])
  })

  it('does not repeat a job that throws, logs it without its message, and runs later jobs', async () => {
    const test = await open()
    test.handle = async (n) => {
      if (n === 1) throw new RangeError('private text')
    }
    await test.queue.publish([message(1)])
    await test.settle()
    await test.advanceClock(3600)
    await test.queue.publish([message(2)])
    await test.settle()
    expect(test.started).toEqual([1, 2])
    expect(test.log.filter(({ error }) => error)).toMatchObject([{ error: { name: 'RangeError' } }])
    expect(JSON.stringify(test.log)).not.toContain('private text')
  })

  it('runs no job for an unknown path or a body that does not fit, and runs later jobs', async () => {
    const test = await open()
    await test.queue.publish([
      { path: '/jobs/test/other', body: { n: 1 } },
      { path: jobPath, body: { n: 'x' } },
    ])
    await test.settle()
    await test.queue.publish([message(2)])
    await test.settle()
    expect(test.started).toEqual([2])
    expect(JSON.stringify(test.log)).not.toContain('TypeError')
  })

  it('refuses to publish within 3 s while it is away, and publishes again when it is back', {
    ...night,
    retry: 2,
  }, async () => {
    const test = await open()
    test.setMode('hang')
    const start = performance.now()
    await expect(test.queue.publish([message(1)])).rejects.toThrow()
    expect(performance.now() - start).toBeLessThan(3500)
    test.setMode('down')
    await expect(test.queue.publish([message(1)])).rejects.toThrow()
    await expect(test.queue.ping()).rejects.toThrow()
    test.setMode('open')
    await test.queue.ping()
    await test.queue.publish([message(2)])
    await expect.poll(() => test.started, { timeout: 30_000 }).toContain(2)
  })
})

describe('the queue in QStash', () => {
  it('runs no job for a message with a wrong signature', async () => {
    const test = await openQstash()
    test.local.faults.set({ service: 'qstash', mode: 'forge', times: 1 })
    await test.queue.publish([message(1)])
    await test.settle()
    expect(await test.local.read('/desk/queue')).toMatchObject([
      { state: 'delivered', forged_statuses: [401] },
    ])
    expect(test.started).toEqual([1])
  })
})
