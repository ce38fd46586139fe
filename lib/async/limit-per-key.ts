import { Problem } from '#problem.ts'

/**
 * Takes a place of a key. Returns a function that gives it back, of which only the first call counts. Rejects
 * with `unavailable` if none is free.
 */
export type TakePlace = (key: string) => Promise<() => void>

interface KeyedLimit {
  /** How many places each key has. */
  running: number
  /** How many calls of a key may wait for a place, in their order. */
  waiting: number
  /** How long each may wait; as long as it takes by default. */
  maxWaitMs?: number
}

interface Places {
  taken: number
  queue: (() => void)[]
}

/**
 * Divide something that all share: a key can hold `running` places, and the rest of its calls wait without
 * holding any.
 */
export function limitPerKey({ running, waiting, maxWaitMs }: KeyedLimit): TakePlace {
  const placesByKey = new Map<string, Places>()
  return async (key) => {
    const places = placesByKey.get(key) ?? { taken: 0, queue: [] }
    placesByKey.set(key, places)
    if (places.taken < running) places.taken++
    else if (places.queue.length < waiting) await waitForPlace(places.queue, maxWaitMs)
    else throw new Problem('unavailable')
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      // The place goes to the next in the queue, or becomes free.
      const next = places.queue.shift()
      if (next) next()
      else places.taken--
      if (places.taken === 0) placesByKey.delete(key)
    }
  }
}

function waitForPlace(queue: (() => void)[], maxWaitMs: number | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (maxWaitMs === undefined) return void queue.push(resolve)
    const start = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      queue.splice(queue.indexOf(start), 1)
      reject(new Problem('unavailable'))
    }, maxWaitMs)
    queue.push(start)
  })
}
