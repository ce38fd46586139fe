import type { LimitResult, ParsedRate } from './limiter.ts'

interface CountedKey {
  /** The times of the allowed calls in the window, oldest first. */
  times: number[]
  windowMs: number
}

/**
 * Count `calls` calls, one by default, against `max` calls per window of `rate`, at the time `at` in
 * milliseconds.
 */
export type CountLocally = (
  key: string,
  max: number,
  rate: ParsedRate,
  at: number,
  calls?: number,
) => LimitResult

/**
 * How many of the least recently used keys are searched for an ended window before a key is forgotten early.
 */
const searchedKeys = 50

/**
 * Create a counter of calls in exact sliding windows, in this process. It stores at most `maxKeys` keys and
 * `maxTimes` calls of 8 bytes. Beyond that it forgets a key whose window has ended, or the key that was used
 * least recently.
 */
export function createLocalCounter(maxKeys = 5000, maxTimes = 500_000): CountLocally {
  // In the order of their last use.
  const keys = new Map<string, CountedKey>()
  let timeCount = 0
  const forget = (key: string) => {
    timeCount -= keys.get(key)?.times.length ?? 0
    keys.delete(key)
  }
  return (key, max, rate, at, calls = 1) => {
    const times = keys.get(key)?.times.filter((time) => time > at - rate.windowMs) ?? []
    const allowed = times.length + calls <= max
    if (allowed) for (let n = 0; n < calls; n++) times.push(at)
    forget(key)
    keys.set(key, { times, windowMs: rate.windowMs })
    timeCount += times.length
    while (keys.size > maxKeys || timeCount > maxTimes) forget(chooseKeyToForget(keys, at))
    const resetSeconds = Math.ceil(((times[0] ?? at) + rate.windowMs - at) / 1000)
    return { allowed, limit: max, remaining: Math.max(0, max - times.length), resetSeconds }
  }
}

function chooseKeyToForget(keys: ReadonlyMap<string, CountedKey>, at: number): string {
  let first: string | undefined
  let searched = 0
  for (const [key, { times, windowMs }] of keys) {
    first ??= key
    if ((times.at(-1) ?? 0) <= at - windowMs) return key
    if (++searched >= searchedKeys) break
  }
  return first ?? ''
}
