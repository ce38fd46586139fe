import { Problem } from '#problem.ts'

/**
 * Takes a place of a key. Returns a function that gives it back, of which only the first call counts. Rejects
 * with `unavailable` if none is free.
 */
export type TakePlace = (key: string, turn?: Turn) => Promise<() => void>

export interface Turn {
  /** Wait behind all that do not, and leave the queue to them when it is full. */
  isLast?: boolean
  /** Leave the queue when it is aborted. */
  signal?: AbortSignal
}

interface KeyedLimit {
  /** How many places each key has. */
  running: number
  /** How many calls of a key may wait for a place, in their order. */
  waiting: number
  /** How long each may wait; as long as it takes by default. */
  maxWaitMs?: number
}

interface Waiter {
  isLast: boolean
  start(): void
  refuse(): void
}

interface Places {
  taken: number
  queue: Waiter[]
}

/**
 * Divide something that all share: a key can hold `running` places, and the rest of its calls wait without
 * holding any.
 */
export function limitPerKey({ running, waiting, maxWaitMs }: KeyedLimit): TakePlace {
  const placesByKey = new Map<string, Places>()
  return async (key, turn = {}) => {
    if (turn.signal?.aborted) throw new Problem('unavailable')
    const places = placesByKey.get(key) ?? { taken: 0, queue: [] }
    placesByKey.set(key, places)
    if (places.taken < running) places.taken++
    else {
      const last = places.queue.at(-1)
      if (places.queue.length >= waiting && last?.isLast && !turn.isLast) last.refuse()
      if (places.queue.length >= waiting) throw new Problem('unavailable')
      await waitForPlace(places.queue, maxWaitMs, turn)
    }
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      // The place goes to the next in the queue, or becomes free.
      const next = places.queue.shift()
      if (next) next.start()
      else places.taken--
      if (places.taken === 0) placesByKey.delete(key)
    }
  }
}

function waitForPlace(
  queue: Waiter[],
  maxWaitMs: number | undefined,
  { isLast = false, signal }: Turn,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', refuse)
    }
    const refuse = () => {
      end()
      queue.splice(queue.indexOf(waiter), 1)
      reject(new Problem('unavailable'))
    }
    const waiter: Waiter = {
      isLast,
      refuse,
      start() {
        end()
        resolve()
      },
    }
    const timer = maxWaitMs === undefined ? undefined : setTimeout(refuse, maxWaitMs)
    signal?.addEventListener('abort', refuse)
    const firstLast = isLast ? -1 : queue.findIndex((other) => other.isLast)
    queue.splice(firstLast < 0 ? queue.length : firstLast, 0, waiter)
  })
}
