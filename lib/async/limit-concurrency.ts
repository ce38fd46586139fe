import { limitPerKey } from './limit-per-key.ts'

/**
 * Runs work when one of its places is free. Rejects with `unavailable` at once when too much work waits
 * already.
 */
export type RunLimited = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Limit work that takes connections, memory or processor time to `running` at once. `waiting` more may wait,
 * in the order of their calls; any number by default.
 */
export function limitConcurrency({
  running,
  waiting = Number.POSITIVE_INFINITY,
}: {
  running: number
  waiting?: number
}): RunLimited {
  const takePlace = limitPerKey({ running, waiting })
  return async (work) => {
    const leave = await takePlace('all')
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
