import { CronError, parseCron } from './cron.ts'
import { findClockChange, fromLocalTime, toLocalTime } from './zoned-time.ts'

/** When a schedule runs. The fields of the cron expression are local times of the time zone. */
export interface Timing {
  cron: string
  timezone: string
}

/**
 * Yield the due times after an instant, ascending and without end, in milliseconds since the epoch.
 * A local time that the clock skips is due when the gap ends, so several of them are due only once. A local
 * time that occurs twice is due only the first time, unless the schedule keeps its interval.
 */
export function* iterateDueTimes({ cron, timezone }: Timing, instant: number): Generator<number, never> {
  const { getNext, keepsInterval } = parseCron(cron)
  let from = instant
  let localTime = toLocalTime(timezone, instant)
  let offset = localTime - instant
  for (;;) {
    const next = getNext(localTime)
    if (next === null) throw new CronError('must match at least one date')
    const dueTime = next - offset
    const change = findClockChange(timezone, from, dueTime)
    if (change === null) {
      from = dueTime
      localTime = next
      if (keepsInterval || fromLocalTime(timezone, next) === dueTime) yield dueTime
      continue
    }
    const localAfter = toLocalTime(timezone, change)
    const isSkipped = next < localAfter
    if (isSkipped) yield change
    from = change
    offset = localAfter - change
    // A run at the end of the gap is that of the skipped times too.
    localTime = isSkipped ? localAfter : localAfter - 1
  }
}

/** Return the first due time after an instant. */
export function getNextDueTime(timing: Timing, instant: number): number {
  return iterateDueTimes(timing, instant).next().value
}

/** A schedule as it is stored. All times are RFC 3339. */
export interface StoredSchedule extends Timing {
  /** The first due time without a run, or null if there is none. */
  next_run_at: string | null
  /** When the timing was last changed. Earlier due times follow the previous timing. */
  timed_since: string
}

/** The maximum number of pending due times. With one every five minutes, they cover more than a month. */
export const maxPendingDueTimes = 10_000

/**
 * Return the due times up to `now` without a run, at most `maxPendingDueTimes`, and the due time after them.
 */
export function getPendingDueTimes(schedule: StoredSchedule, now: number): { due: number[]; next: number } {
  const firstDueTime =
    schedule.next_run_at === null ? Number.POSITIVE_INFINITY : Date.parse(schedule.next_run_at)
  if (firstDueTime > now) return { due: [], next: firstDueTime }
  const due = [firstDueTime]
  const timingChangedAt = Date.parse(schedule.timed_since)
  for (const dueTime of iterateDueTimes(schedule, Math.max(firstDueTime, timingChangedAt))) {
    if (dueTime > now || due.length === maxPendingDueTimes) return { due, next: dueTime }
    due.push(dueTime)
  }
  throw new Error('Unreachable: the due times have no end')
}
