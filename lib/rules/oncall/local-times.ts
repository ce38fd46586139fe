import { createTimeFormatter, type FormatTime } from '#rules/exports/time-format.ts'
import { isolate } from '#rules/text/sentence.ts'

// A message is one text for all of its readers, so it has the local times of each of them.

/** Write a time in each time zone: `30 Nov 2026, 08:00 (Europe/Berlin), 30 Nov 2026, 12:45 (Asia/Kathmandu)`. */
export function writeLocalTimes(time: string, timezones: readonly string[]): string {
  return groupByText([...new Set(timezones)], (zone) => createTimeFormatter(zone)(time)).join(', ')
}

/** Return a function that writes times for all readers of a text, which names their zone itself if it is one. */
export function createReaderFormatter(timezones: readonly [string, ...string[]]): FormatTime {
  return new Set(timezones).size === 1
    ? createTimeFormatter(timezones[0])
    : (time) => writeLocalTimes(time, timezones)
}

/**
 * Write a span of time as a sentence per time zone, with those whose clocks agree as one: `From 29 Nov 2026, 22:00 until
 * 30 Nov 2026, 06:00 (Europe/Berlin).` The end has no date if it is on the same day.
 */
export function writeSpan(startsAt: string, endsAt: string, timezones: readonly string[]): string {
  const [start, end] = [new Date(startsAt).toISOString(), new Date(endsAt).toISOString()]
  const sentences = groupByText([...new Set(timezones)], (zone) => {
    const toLocal = createTimeFormatter(zone)
    const [from, to] = [toLocal(start), toLocal(end)]
    const [day = ''] = from.split(', ')
    return `From ${from} until ${to.startsWith(`${day}, `) ? to.slice(day.length + 2) : to}`
  })
  return sentences.map((text) => `${text}.`).join(' ')
}

/** Return each text once, with the time zones that it is for. */
function groupByText(timezones: readonly string[], write: (timezone: string) => string): string[] {
  const zonesByText = Map.groupBy(timezones, write)
  return [...zonesByText].map(([text, zones]) => `${text} (${zones.map(isolate).join(', ')})`)
}
