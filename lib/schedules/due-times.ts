import { nextOnWall, parseCron } from './cron.ts'
import { wallOf, whenOnWall } from './zoned-time.ts'

/** When something is due: five fields, by the clock of a zone. */
export interface Timing {
  cron: string
  timezone: string
}

/**
 * The due times after an instant, rising and without end, in milliseconds since the epoch. A local time that the clock skips is due when
 * the gap ends, so several of them are due once; one that comes twice is due the first time alone.
 */
export function* dueAfter({ cron, timezone }: Timing, instant: number): Generator<number, never> {
  const times = parseCron(cron)
  let wall = wallOf(timezone, instant)
  for (let last = instant; ; ) {
    wall = nextOnWall(times, wall)
    const due = whenOnWall(timezone, wall)
    // While the clock repeats an hour, what it shows was due before.
    if (due <= last) continue
    yield due
    last = due
  }
}

/** The first due time after an instant. */
export function nextDue(timing: Timing, instant: number): number {
  return dueAfter(timing, instant).next().value
}

/** A schedule as it is stored: RFC 3339 times. */
export interface Stored extends Timing {
  /** The first due time that nothing was done for; null for none. */
  next_run_at: string | null
  /** Since when its timing is what it is: older due times were computed from an older one. */
  timed_since: string
}

/** How many due times are looked at together: more than a month of them, five minutes apart. */
export const mostWaiting = 10_000

/** The due times up to `now` that nothing was done for, `mostWaiting` at most, and the one that follows them. */
export function waitingOf(stored: Stored, now: number): { due: number[]; next: number } {
  const first = stored.next_run_at === null ? Number.POSITIVE_INFINITY : Date.parse(stored.next_run_at)
  if (first > now) return { due: [], next: first }
  const due = [first]
  for (const time of dueAfter(stored, Math.max(first, Date.parse(stored.timed_since)))) {
    if (time > now || due.length === mostWaiting) return { due, next: time }
    due.push(time)
  }
  throw new Error('Due times have no end')
}
