// Formats times and durations for a report.

interface LocalQuarter {
  /** The local time without its minutes: `21 Nov 2026, 10:` */
  prefix: string
  /** The local minute at which the quarter starts. */
  startMinute: number
}

// Creating a formatter takes longer than the rest of a report, and a process serves few time zones.
const formatterByZone = new Map<string, Intl.DateTimeFormat>()
const formatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const
const twoDigitNumbers = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))

/** Formats a UTC time such as `2026-11-21T09:30:00.000Z`. */
export type FormatTime = (time: string) => string

/**
 * Return a function that formats a UTC time such as `2026-11-21T09:30:00.000Z` as `21 Nov 2026, 10:30` in an
 * IANA time zone. Quarters of an hour are cached: clock changes happen between quarters, so only the minutes
 * change within one. In a zone whose offset is not a multiple of 15 minutes, each time is formatted
 * separately.
 */
export function createTimeFormatter(timeZone: string): FormatTime {
  const formatter =
    formatterByZone.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { ...formatOptions, timeZone })
  formatterByZone.set(timeZone, formatter)
  const quartersByHour = new Map<string, LocalQuarter[]>()
  return (time) => {
    const hour = time.slice(0, 'YYYY-MM-DDTHH'.length)
    const minute = Number(time.slice(14, 16))
    let quarters = quartersByHour.get(hour)
    if (!quarters) {
      quarters = [0, 15, 30, 45].map((start) =>
        parseQuarter(formatter.format(Date.parse(`${hour}:${twoDigitNumbers[start]}Z`))),
      )
      quartersByHour.set(hour, quarters)
    }
    const quarter = quarters[Math.floor(minute / 15)] as LocalQuarter
    if (quarter.startMinute % 15 !== 0) return formatter.format(Date.parse(time))
    return `${quarter.prefix}${twoDigitNumbers[quarter.startMinute + (minute % 15)]}`
  }
}

function parseQuarter(localTime: string): LocalQuarter {
  return { prefix: localTime.slice(0, -2), startMinute: Number(localTime.slice(-2)) }
}

/** Format a duration as `2 h 5 min`, `5 min 3 s` or `3 s`. */
export function formatDuration(totalSeconds: number): string {
  const hours = Math.floor(totalSeconds / 3600)
  const minutes = Math.floor(totalSeconds / 60) % 60
  const seconds = Math.floor(totalSeconds % 60)
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  if (minutes > 0) return seconds > 0 ? `${minutes} min ${seconds} s` : `${minutes} min`
  return `${seconds} s`
}
