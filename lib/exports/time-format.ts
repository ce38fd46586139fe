// Times and spans of time as a report shows them.

interface Quarter {
  /** `21 Nov 2026, 10:` */
  hour: string
  /** Of the hour, at which the quarter begins on the clock. */
  minute: number
}

// Making a formatter takes longer than all else of a report; an isolate meets few zones.
const formatters = new Map<string, Intl.DateTimeFormat>()
const parts = { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))

/** Writes times, `2026-11-21T09:30:00.000Z` as the database gives them, as `21 Nov 2026, 10:30` on the clock of an IANA zone. */
export function clockOf(timeZone: string): (time: string) => string {
  const format = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { ...parts, timeZone })
  formatters.set(timeZone, format)
  // Clocks are set by quarters of an hour, so that within one only the minutes change; a zone of another kind is asked each time.
  const hours = new Map<string, Quarter[]>()
  return (time) => {
    const hour = time.slice(0, 13)
    const minute = (time.charCodeAt(14) - 48) * 10 + time.charCodeAt(15) - 48
    let quarters = hours.get(hour)
    if (!quarters) {
      quarters = [0, 15, 30, 45].map((begun) => quarterOf(format.format(Date.parse(`${hour}:${twoDigits[begun]}Z`))))
      hours.set(hour, quarters)
    }
    const quarter = quarters[Math.floor(minute / 15)] as Quarter
    if (quarter.minute % 15 !== 0) return format.format(Date.parse(time))
    return `${quarter.hour}${twoDigits[quarter.minute + (minute % 15)]}`
  }
}

function quarterOf(begun: string): Quarter {
  return { hour: begun.slice(0, -2), minute: Number(begun.slice(-2)) }
}

/** Seconds as `2 h 5 min`. */
export function durationOf(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)]
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  if (minutes > 0) return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`
  return `${rest} s`
}
