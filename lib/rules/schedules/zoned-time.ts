// A local time is encoded as if it were UTC: 09:00 in Berlin is stored as the epoch milliseconds of 09:00 UTC
// on that date.

const formatterByZone = new Map<string, Intl.DateTimeFormat>()

function getFormatter(timezone: string): Intl.DateTimeFormat {
  const cachedFormatter = formatterByZone.get(timezone)
  if (cachedFormatter) return cachedFormatter
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formatterByZone.set(timezone, formatter)
  return formatter
}

const minuteMs = 60_000
const dayMs = 86_400_000
const weekMs = 7 * dayMs

export function toLocalTime(timezone: string, instant: number): number {
  const parts: Record<string, number> = {}
  for (const { type, value } of getFormatter(timezone).formatToParts(instant)) parts[type] = Number(value)
  const read = (name: string) => parts[name] ?? Number.NaN
  const millisecond = ((instant % 1000) + 1000) % 1000
  return Date.UTC(
    read('year'),
    read('month') - 1,
    read('day'),
    read('hour'),
    read('minute'),
    read('second'),
    millisecond,
  )
}

// Clocks change only at quarters of an hour, so the offset is the same within a quarter.
const quarterMs = 15 * minuteMs
const offsetByZoneAndQuarter = new Map<string, number>()
const maxCachedOffsets = 50_000

/** Return how far the local time is ahead of UTC at an instant, in milliseconds. */
function getOffset(timezone: string, instant: number): number {
  const quarterStart = Math.floor(instant / quarterMs) * quarterMs
  const key = `${timezone} ${quarterStart}`
  const cachedOffset = offsetByZoneAndQuarter.get(key)
  if (cachedOffset !== undefined) return cachedOffset
  if (offsetByZoneAndQuarter.size >= maxCachedOffsets) offsetByZoneAndQuarter.clear()
  const offset = toLocalTime(timezone, quarterStart) - quarterStart
  offsetByZoneAndQuarter.set(key, offset)
  return offset
}

/**
 * Return the instant of a local time. If the clock repeats it, return the first instant; if the clock skips
 * it, the end of the gap.
 */
export function fromLocalTime(timezone: string, localTime: number): number {
  // A clock change that affects this local time is less than a day away, so these are the offsets before and
  // after it.
  const offsetBefore = getOffset(timezone, localTime - dayMs)
  const offsetAfter = getOffset(timezone, localTime + dayMs)
  const candidates = [localTime - offsetBefore, localTime - offsetAfter]
  const instants = candidates.filter((instant) => instant + getOffset(timezone, instant) === localTime)
  if (instants.length > 0) return Math.min(...instants)
  // The clock skips this local time: it changes between the two instants.
  return (
    findClockChange(timezone, localTime - offsetAfter, localTime - offsetBefore) ?? localTime - offsetBefore
  )
}

/** Return the first minute after `from` and up to `to` at which the clock has changed, or null. */
export function findClockChange(timezone: string, from: number, to: number): number | null {
  const offset = getOffset(timezone, from)
  const isChanged = (instant: number) => getOffset(timezone, instant) !== offset
  // Two changes that undo each other are weeks apart.
  for (let start = Math.floor(from / minuteMs) * minuteMs; start < to; start += weekMs) {
    let high = Math.min(start + weekMs, to)
    if (!isChanged(high)) continue
    for (let low = start; high - low > minuteMs; ) {
      const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs
      if (isChanged(middle)) high = middle
      else low = middle
    }
    return high
  }
  return null
}
