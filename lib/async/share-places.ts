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
  /** Whether a call that leaves may wake the next one. By default everywhere but in workerd. */
  wakes?: boolean
}

interface Places {
  /** Until when each place is held. */
  held: Set<{ until: number }>
  /** The waiters in the order of their calls. */
  waiters: Map<symbol, Waiter>
}

interface Waiter {
  /** When it last looked for a place. */
  lookedAt: number
  /** Lets it look at once. */
  look(): void
}

/** https://developers.cloudflare.com/workers/runtime-apis/web-standards/#navigatoruseragent */
const isWorkerd = globalThis.navigator?.userAgent === 'Cloudflare-Workers'
/** A waiter that nobody wakes looks again after this time for itself and for each one before it, of whom it counts so many. */
const pollMs = 2
const maxBefore = 50
/** One that is woken looks by itself for more places, and the first of them for a place whose time has passed. */
const wokenPollMs = 100
/** One that has not looked for this long is gone. */
const goneMs = 1000
/** A key that has not called for this long is no other one. */
const besideMs = 1000

/**
 * Return a function that takes a place of a key, and returns a function that gives it back. Each key has
 * `running` places; its other calls wait, first come, first served, and reject with `unavailable` after
 * `maxWaitMs`. As `limitPerKey`, but for workerd as well: it ends a request whose client has left without running
 * what it waits for, so no place and no turn is lost with a caller. And a request that awaits what another one
 * resolves may wait forever, so there each looks for its turn by a timer of its own.
 * https://developers.cloudflare.com/workers/observability/errors/#cause-3-cross-request-promise-cancellation
 */
export function sharePlaces({
  running,
  runningBesideOthers = running,
  waiting = Number.POSITIVE_INFINITY,
  maxWaitMs,
  maxHoldMs,
  wakes = !isWorkerd,
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
    if (wakes) wakeFirst(places)
    const isUnused = places.held.size + places.waiters.size === 0
    // A call that leaves after its time may find other places of its key.
    if (isUnused && placesByKey.get(key) === places) placesByKey.delete(key)
  }
  return async (key) => {
    lastCalls = [{ key, at: Date.now() }, ...lastCalls.filter((call) => call.key !== key).slice(0, 1)]
    const id = Symbol(key)
    const waitsUntil = Date.now() + maxWaitMs
    for (;;) {
      const places = placesByKey.get(key) ?? { held: new Set(), waiters: new Map() }
      placesByKey.set(key, places)
      endPassedHolds(places)
      const before = wakes ? countInQueue(places, id) : countBefore(places, id)
      if (places.held.size + before < countRunning(key)) {
        places.waiters.delete(id)
        const place = { until: Date.now() + maxHoldMs }
        places.held.add(place)
        // The next one is the first now: several may have left at once, and it looks when a time has passed.
        if (wakes) wakeFirst(places)
        return () => leave(key, places, place)
      }
      const isQueueFull = !places.waiters.has(id) && places.waiters.size >= waiting
      if (isQueueFull || Date.now() >= waitsUntil) {
        places.waiters.delete(id)
        throw new Problem('unavailable', undefined, { headers: { 'retry-after': '5' } })
      }
      await new Promise<void>((look) => {
        const timer = setTimeout(look, wakes ? getWokenPollMs(places, before) : pollMs * (before + 1))
        const lookNow = () => {
          clearTimeout(timer)
          look()
        }
        // A key that is there already keeps its position.
        places.waiters.set(id, { lookedAt: Date.now(), look: lookNow })
      })
    }
  }
}

function wakeFirst({ waiters }: Places): void {
  waiters.values().next().value?.look()
}

function getWokenPollMs({ held }: Places, before: number): number {
  // Each is held for as long, so the first one ends first.
  const { until } = held.values().next().value ?? {}
  return before > 0 || until === undefined
    ? wokenPollMs
    : Math.min(wokenPollMs, Math.max(1, until - Date.now()))
}

/** Give places back that were held for too long. */
function endPassedHolds({ held }: Places): void {
  const now = Date.now()
  for (const place of held) if (place.until <= now) held.delete(place)
}

/** Return how many wait before this one: none before the first, and all before one that does not wait yet. */
function countInQueue({ waiters }: Places, id: symbol): number {
  if (!waiters.has(id)) return waiters.size
  return waiters.keys().next().value === id ? 0 : maxBefore
}

/** Return the same, at most `maxBefore`, once the turns of callers who are gone are given to others. */
function countBefore({ waiters }: Places, id: symbol): number {
  const now = Date.now()
  let before = 0
  for (const [other, { lookedAt }] of waiters) {
    if (other === id || before === maxBefore) break
    if (lookedAt + goneMs <= now) waiters.delete(other)
    else before++
  }
  return before
}
