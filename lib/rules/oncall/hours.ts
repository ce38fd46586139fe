import { fromLocalTime, toLocalTime } from '#rules/schedules/zoned-time.ts'
import { type Hours, weekdays } from './schema.ts'

const dayMs = 86_400_000

/**
 * Return whether an instant is within weekly hours, and when that changes, in milliseconds since the epoch.
 */
export function findDuty(
  hours: readonly Hours[],
  timezone: string,
  instant: number,
): { isOnDuty: boolean; endsAt: number } {
  const today = Math.floor(toLocalTime(timezone, instant) / dayMs) * dayMs
  let end = instant
  // Hours that began yesterday may last until today, and the next ones begin within a week.
  for (let day = -1; day <= 8; day++) {
    const candidates = day < 0 ? hours.filter(({ from, to }) => to <= from) : hours
    for (const { from, to } of listDayHours(candidates, timezone, today + day * dayMs)) {
      if (from > end) return { isOnDuty: end > instant, endsAt: end > instant ? end : from }
      if (to > end) end = to
    }
  }
  return { isOnDuty: end > instant, endsAt: end }
}

/** Return the hours that begin on a local day, as instants in their order. */
function listDayHours(
  hours: readonly Hours[],
  timezone: string,
  midnight: number,
): { from: number; to: number }[] {
  const weekday = weekdays[new Date(midnight).getUTCDay()]
  return hours
    .filter(({ days }) => days.some((day) => day === weekday))
    .map(({ from, to }) => ({
      from: fromLocalTime(timezone, midnight + toMs(from)),
      to: fromLocalTime(timezone, midnight + toMs(to) + (to > from ? 0 : dayMs)),
    }))
    .sort((a, b) => a.from - b.from)
}

function toMs(time: string): number {
  return Date.parse(`1970-01-01T${time}:00Z`)
}
