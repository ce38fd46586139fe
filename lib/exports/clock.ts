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
const quarterMs = 900_000

/** Writes RFC 3339 times as `21 Nov 2026, 10:30` on the clock of an IANA zone. */
export function clockOf(timeZone: string): (time: string) => string {
  const format = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { ...parts, timeZone })
  formatters.set(timeZone, format)
  // Clocks are set by quarters of an hour, so that within one only the minutes change; a zone of another kind is asked each time.
  const quarters = new Map<number, Quarter>()
  return (time) => {
    const at = Date.parse(time)
    const begun = Math.floor(at / quarterMs) * quarterMs
    let quarter = quarters.get(begun)
    if (!quarter) {
      const text = format.format(begun)
      quarter = { hour: text.slice(0, -2), minute: Number(text.slice(-2)) }
      quarters.set(begun, quarter)
    }
    if (quarter.minute % 15 !== 0) return format.format(at)
    return `${quarter.hour}${String(quarter.minute + Math.floor((at - begun) / 60_000)).padStart(2, '0')}`
  }
}

/** Seconds as `2 h 5 min`. */
export function durationOf(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)]
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  if (minutes > 0) return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`
  return `${rest} s`
}
