const dayMs = 86_400_000

/**
 * Return the Monday of a week of ISO 8601, such as 2026-W47, as milliseconds of UTC; undefined for a week
 * that does not exist.
 */
export function parseWeek(week: string): number | undefined {
  const [, year, number] = /^(20\d\d)-W(\d\d)$/.exec(week) ?? []
  if (!year || !number) return undefined
  // The first week is the one with 4 January.
  const january4 = Date.UTC(Number(year), 0, 4)
  const monday = january4 - toIsoDay(january4) * dayMs + (Number(number) - 1) * 7 * dayMs
  const thursday = new Date(monday + 3 * dayMs)
  return thursday.getUTCFullYear() === Number(year) ? monday : undefined
}

/** Return a date some days after `date`, both as YYYY-MM-DD. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

/** Return the day of the week of a time of UTC: 0 is Monday. */
function toIsoDay(time: number): number {
  return (new Date(time).getUTCDay() + 6) % 7
}
