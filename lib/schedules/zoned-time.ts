// Clocks on walls: what a zone's clock shows is written as if the wall stood in UTC, in milliseconds since the epoch.

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timezone: string): Intl.DateTimeFormat {
  const known = clocks.get(timezone)
  if (known) return known
  const two = '2-digit' as const
  const parts = { year: 'numeric' as const, month: two, day: two, hour: two, minute: two, second: two }
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    ...parts,
  })
  clocks.set(timezone, made)
  return made
}

const minuteMs = 60_000
const dayMs = 86_400_000

/** What the clock of a zone shows at an instant. */
export function wallOf(timezone: string, instant: number): number {
  const shown: Record<string, number> = {}
  for (const { type, value } of clockOf(timezone).formatToParts(instant)) shown[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  const millisecond = ((instant % 1000) + 1000) % 1000
  return Date.UTC(year, month - 1, day, hour, minute, second, millisecond)
}

// Clocks change at quarters of an hour, so within one a zone is as far from UTC at its end as at its beginning.
const quarterMs = 15 * minuteMs
const known = new Map<string, number>()

/** How far a zone is ahead of UTC at an instant. */
function aheadAt(timezone: string, instant: number): number {
  const quarter = Math.floor(instant / quarterMs) * quarterMs
  const key = `${timezone} ${quarter}`
  const found = known.get(key)
  if (found !== undefined) return found
  if (known.size >= 50_000) known.clear()
  const ahead = wallOf(timezone, quarter) - quarter
  known.set(key, ahead)
  return ahead
}

/** The instant at which a zone's clock shows a time, the first one of two; for a time that it skips, the end of the gap. */
export function whenOnWall(timezone: string, wall: number): number {
  // No change is a day or more from the time it moves, on either side.
  const [before, after] = [aheadAt(timezone, wall - dayMs), aheadAt(timezone, wall + dayMs)]
  const shown = [wall - before, wall - after].filter((instant) => instant + aheadAt(timezone, instant) === wall)
  return shown.length > 0 ? Math.min(...shown) : gapEnd(timezone, wall - after, wall - before, after)
}

/** The first minute in (from, to] at which a zone is `ahead` of UTC. */
function gapEnd(timezone: string, from: number, to: number, ahead: number): number {
  let [low, high] = [from, to]
  while (high - low > minuteMs) {
    const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs
    if (aheadAt(timezone, middle) === ahead) high = middle
    else low = middle
  }
  return high
}
