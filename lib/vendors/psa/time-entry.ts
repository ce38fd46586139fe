/** How a connection rounds the minutes of time entries. */
export interface RoundingRule {
  /** The minutes are rounded up to a multiple of this. */
  time_rounding_minutes: number
  time_minimum_minutes: number
}

/** The longest time entry, in minutes. Both providers keep an entry within 24 hours. */
export const maxEntryMinutes = 24 * 60

/** Return the minutes between two times, started minutes included; at least 1. */
export function measureMinutes(startedAt: string, endedAt: string): number {
  return Math.max(1, Math.ceil((Date.parse(endedAt) - Date.parse(startedAt)) / 60_000))
}

/** Round minutes up by the rule. The result is at least the minimum. */
export function roundMinutes(
  minutes: number,
  { time_rounding_minutes: step, time_minimum_minutes: minimum }: RoundingRule,
): number {
  return Math.max(minimum, Math.ceil(minutes / step) * step)
}
