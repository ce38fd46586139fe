import { Problem } from '#problem.ts'

interface SharedPlaces {
  /** How many calls of a key run at once. */
  running: number
  /** How many wait for a place; any number by default. */
  waiting?: number
  /** How long one waits for a place. */
  maxWaitMs: number
  /** How long a place is held at most. Then the call goes on without one. */
  maxHoldMs: number
}

interface Waiter {
  wake(): void
  /** When it last looked for a place. */
  lookedAt: number
  isWoken: boolean
}

interface Places {
  /** Until when each place is held. */
  held: Set<{ until: number }>
  /** In the order of their calls. */
  waiters: Map<symbol, Waiter>
}

/** A waiter looks again by itself after this time. */
const pollMs = 100
/** One that has not looked for this long is gone. */
const goneMs = 1000

/**
 * Return a function that takes a place of a key, and returns a function that gives it back. Each key has
 * `running` places; its other calls wait, first come, first served, and reject with `unavailable` after
 * `maxWaitMs`. As `limitPerKey`, but no place and no turn is lost with a caller who is gone: workerd ends a
 * request whose client has left without running what it waits for.
 */
export function sharePlaces({
  running,
  waiting = Number.POSITIVE_INFINITY,
  maxWaitMs,
  maxHoldMs,
}: SharedPlaces): (key: string) => Promise<() => void> {
  const placesByKey = new Map<string, Places>()
  const leave = (key: string, places: Places, place: { until: number }) => {
    if (!places.held.delete(place)) return
    wakeNext(places)
    if (places.held.size + places.waiters.size === 0) placesByKey.delete(key)
  }
  return async (key) => {
    const places = placesByKey.get(key) ?? { held: new Set(), waiters: new Map() }
    placesByKey.set(key, places)
    const id = Symbol(key)
    const waitsUntil = Date.now() + maxWaitMs
    while (!hasFreePlace(places, running, id)) {
      const isQueueFull = !places.waiters.has(id) && places.waiters.size >= waiting
      if (isQueueFull || Date.now() >= waitsUntil) {
        places.waiters.delete(id)
        throw new Problem('unavailable', undefined, { headers: { 'retry-after': '5' } })
      }
      await waitForTurn(places, id)
    }
    places.waiters.delete(id)
    const place = { until: Date.now() + maxHoldMs }
    places.held.add(place)
    return () => leave(key, places, place)
  }
}

/** Return whether a place is free for this waiter, and not only for those who came before. */
function hasFreePlace({ held, waiters }: Places, running: number, id: symbol): boolean {
  const now = Date.now()
  for (const place of held) if (place.until <= now) held.delete(place)
  let before = 0
  for (const [other, { lookedAt }] of waiters) {
    if (other === id) break
    if (lookedAt + goneMs <= now) waiters.delete(other)
    else before++
  }
  return held.size + before < running
}

function waitForTurn({ waiters }: Places, id: symbol): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  return new Promise<void>((resolve) => {
    // A key that is there already keeps its position.
    waiters.set(id, { wake: resolve, lookedAt: Date.now(), isWoken: false })
    timer = setTimeout(resolve, pollMs)
    // A timer belongs to its request in workerd, so whoever waits clears it.
  }).finally(() => clearTimeout(timer))
}

function wakeNext({ waiters }: Places): void {
  for (const waiter of waiters.values()) {
    if (waiter.isWoken) continue
    waiter.isWoken = true
    waiter.wake()
    return
  }
}
