import { Problem } from '#problem.ts'

interface SharedPlaces {
  /** How many calls of a key run at once. */
  running: number
  /** How many while other keys call too. As many by default. */
  runningBesideOthers?: number
  /** How many wait for a place; any number by default. */
  waiting?: number
  /** How long one waits for a place. */
  maxWaitMs: number
  /** How long a place is held at most. Then the call goes on without one. */
  maxHoldMs: number
}

interface Places {
  /** Until when each place is held. */
  held: Set<{ until: number }>
  /** When each waiter last looked for a place, in the order of their calls. */
  waiters: Map<symbol, number>
}

/** A waiter looks again after this time for itself and for each one before it, of whom it counts so many. */
const pollMs = 2
const maxBefore = 50
/** One that has not looked for this long is gone. */
const goneMs = 1000
/** A key that has not called for this long is no other one. */
const besideMs = 1000

/**
 * Return a function that takes a place of a key, and returns a function that gives it back. Each key has
 * `running` places; its other calls wait, first come, first served, and reject with `unavailable` after
 * `maxWaitMs`. As `limitPerKey`, but for workerd: it ends a request whose client has left without running what
 * it waits for, so no place and no turn is lost with a caller. And a request that awaits what another one
 * resolves may wait forever, so each looks for its turn by a timer of its own.
 * https://developers.cloudflare.com/workers/observability/errors/#cause-3-cross-request-promise-cancellation
 */
export function sharePlaces({
  running,
  runningBesideOthers = running,
  waiting = Number.POSITIVE_INFINITY,
  maxWaitMs,
  maxHoldMs,
}: SharedPlaces): (key: string) => Promise<() => void> {
  const placesByKey = new Map<string, Places>()
  /** The two keys that called last, the latest first. */
  let lastCalls: { key: string; at: number }[] = []
  const countRunning = (key: string) => {
    const other = lastCalls.find((call) => call.key !== key)
    return other && other.at + besideMs > Date.now() ? runningBesideOthers : running
  }
  const leave = (key: string, places: Places, place: { until: number }) => {
    places.held.delete(place)
    if (places.held.size + places.waiters.size === 0) placesByKey.delete(key)
  }
  return async (key) => {
    lastCalls = [{ key, at: Date.now() }, ...lastCalls.filter((call) => call.key !== key).slice(0, 1)]
    const id = Symbol(key)
    const waitsUntil = Date.now() + maxWaitMs
    for (;;) {
      const places = placesByKey.get(key) ?? { held: new Set(), waiters: new Map() }
      placesByKey.set(key, places)
      const before = countBefore(places, id)
      if (places.held.size + before < countRunning(key)) {
        places.waiters.delete(id)
        const place = { until: Date.now() + maxHoldMs }
        places.held.add(place)
        return () => leave(key, places, place)
      }
      const isQueueFull = !places.waiters.has(id) && places.waiters.size >= waiting
      if (isQueueFull || Date.now() >= waitsUntil) {
        places.waiters.delete(id)
        throw new Problem('unavailable', undefined, { headers: { 'retry-after': '5' } })
      }
      // A key that is there already keeps its position.
      places.waiters.set(id, Date.now())
      await new Promise((resolve) => setTimeout(resolve, pollMs * (before + 1)))
    }
  }
}

/** Return how many wait before this one, at most `maxBefore`, once the places and turns of callers who are gone are given back. */
function countBefore({ held, waiters }: Places, id: symbol): number {
  const now = Date.now()
  for (const place of held) if (place.until <= now) held.delete(place)
  let before = 0
  for (const [other, lookedAt] of waiters) {
    if (other === id || before === maxBefore) break
    if (lookedAt + goneMs <= now) waiters.delete(other)
    else before++
  }
  return before
}
