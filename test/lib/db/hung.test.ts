import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { databaseTimeoutMs, failWhenHung } from '#db/hung.ts'

describe('failWhenHung', () => {
  function run(work: Promise<unknown>, probe: () => Promise<unknown>) {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let hung = 0
    let outcome: unknown = 'waiting'
    const result = failWhenHung(work, probe, () => hung++)
    result.then(
      (value) => (outcome = value),
      (error: Error) => (outcome = error.name),
    )
    return { state: () => [outcome, hung], advance: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
  }
  const never = new Promise(() => {})
  it('asks a probe after 1.5 s, and gives up when it fails', async () => {
    const { state, advance } = run(never, () => Promise.reject(new Error('away')))
    await advance(1499)
    expect(state()).toEqual(['waiting', 0])
    await advance(1)
    expect(state()).toEqual(['TimeoutError', 1])
  })
  it('waits as long as any statement may take while the probe succeeds', async () => {
    const { state, advance } = run(never, async () => {})
    await advance(databaseTimeoutMs - 1)
    expect(state()).toEqual(['waiting', 0])
    await advance(1)
    expect(state()).toEqual(['TimeoutError', 1])
  })
  it('returns the result of work that ends while the probe runs', async () => {
    const [work, probe] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
    const { state, advance } = run(work.promise, () => probe.promise)
    await advance(1500)
    work.resolve('done')
    await advance(0)
    probe.reject(new Error('away'))
    await advance(databaseTimeoutMs)
    expect(state()).toEqual(['done', 0])
    expect(vi.getTimerCount()).toBe(0)
  })
  it('waits no longer for work that ended while the probe succeeded', async () => {
    const [work, probe] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
    const { state, advance } = run(work.promise, () => probe.promise)
    await advance(1500)
    work.resolve('done')
    await advance(0)
    probe.resolve()
    await advance(0)
    expect([state(), vi.getTimerCount()]).toEqual([['done', 0], 0])
  })
  it('starts no probe for work that ends soon', async () => {
    let probes = 0
    const { state, advance } = run(Promise.resolve('done'), async () => probes++)
    await advance(2000)
    expect([state(), probes]).toEqual([['done', 0], 0])
  })
})
