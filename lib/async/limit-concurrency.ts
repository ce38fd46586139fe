import { Problem } from '#problem.ts'

/** Runs work when one of its places is free. Rejects with `unavailable` at once when too much work waits already. */
export type RunLimited = <T>(work: () => Promise<T>) => Promise<T>

/** Limit work that takes connections, memory or processor time to `running` at once. `waiting` more may wait, in the order of their calls; any number by default. */
export function limitConcurrency({ running, waiting = Number.POSITIVE_INFINITY }: { running: number; waiting?: number }): RunLimited {
  const queue: (() => void)[] = []
  let taken = 0
  return async (work) => {
    if (taken < running) taken++
    else if (queue.length < waiting) await new Promise<void>((resolve) => queue.push(resolve))
    else throw new Problem('unavailable')
    try {
      return await work()
    } finally {
      // The place goes to the next in the queue, or becomes free.
      const next = queue.shift()
      if (next) next()
      else taken--
    }
  }
}
