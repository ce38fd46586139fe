import { describe, expect, it } from 'vitest'
import { cacheResult, listShutdownWarnings } from '#http/health.ts'

describe('the warning that a model shuts down', () => {
  const now = Date.parse('2026-11-23T00:00:00Z')
  it.each([
    ['2027-01-22T00:00:00Z', ['The AI model m shuts down on 2027-01-22; set OPENAI_MODEL to its successor']],
    ['2027-01-22T00:00:00.001Z', []],
    ['2026-01-01T00:00:00Z', ['The AI model m shuts down on 2026-01-01; set OPENAI_MODEL to its successor']],
  ])('comes 60 days before: %s', (date, warnings) =>
    expect(listShutdownWarnings('m', 'OPENAI_MODEL', { shutdownAt: new Date(date) }, now)).toEqual(warnings),
  )
  it('does not come without a date', () =>
    expect(listShutdownWarnings('m', 'OPENAI_MODEL', { shutdownAt: null }, now)).toEqual([]))
})

describe('cacheResult', () => {
  it('repeats a result until its time, and a failure never', async () => {
    let now = 0
    let calls = 0
    let fails = false
    const get = cacheResult(
      async () => {
        if (fails) throw new Error('away')
        return ++calls
      },
      100,
      () => now,
    )
    expect([await get(), await get()]).toEqual([1, 1])
    now = 99
    expect(await get()).toBe(1)
    now = 100
    expect(await get()).toBe(2)
    now = 200
    fails = true
    await expect(get()).rejects.toThrow('away')
  })
  it('calls each time without a cache', async () => {
    let calls = 0
    const get = cacheResult(
      async () => ++calls,
      0,
      () => 0,
    )
    expect(await Promise.all([get(), get()])).toEqual([1, 2])
  })
})
