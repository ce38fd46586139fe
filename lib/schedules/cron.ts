// Times of five fields, and nothing more than five fields: no seconds, no `L`, `W`, `#` or `?`, no words like @daily.

const names = (words: string, first: number) => Object.fromEntries(words.split(' ').map((word, index) => [word, first + index]))
const kinds = [
  { what: 'minute', least: 0, most: 59, names: {} },
  { what: 'hour', least: 0, most: 23, names: {} },
  { what: 'day of the month', least: 1, most: 31, names: {} },
  { what: 'month', least: 1, most: 12, names: names('jan feb mar apr may jun jul aug sep oct nov dec', 1) },
  // 7 is Sunday too.
  { what: 'day of the week', least: 0, most: 7, names: names('sun mon tue wed thu fri sat', 0) },
] as const
type Kind = { what: string; least: number; most: number; names: Record<string, number> }

const minutesOfDay = 1440
const shortestMinutes = 5
// After 28 years the same dates are the same days of the week again.
const cycleDays = 28 * 366

export interface Cron {
  /** Minutes of a day, rising. */
  minutes: number[]
  days: ReadonlySet<number>
  months: ReadonlySet<number>
  weekdays: ReadonlySet<number>
  /** Both kinds of day are limited: then one of them is enough, as cron has it since ever. */
  eitherDay: boolean
}

/** What is wrong with five fields, for the person who wrote them. */
export class BadCron extends Error {}

/** Reads five fields; throws BadCron, also for a time that never comes and for times closer than five minutes. */
export function parseCron(text: string): Cron {
  const fields = text.trim().split(/[ \t]+/)
  if (fields.length !== 5) throw new BadCron('Must have five fields: minute, hour, day of the month, month, day of the week')
  const [minutes, hours, days, months, weekdays] = kinds.map((kind, index) => readField(fields[index] ?? '', kind))
  const cron: Cron = {
    minutes: rising(hours).flatMap((hour) => rising(minutes).map((minute) => hour * 60 + minute)),
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(rising(weekdays).map((day) => day % 7)),
    eitherDay: !fields[2]?.startsWith('*') && !fields[4]?.startsWith('*'),
  }
  const { some, adjacent } = daysOf(cron)
  if (!some) throw new BadCron('This time never comes')
  if (shortestGap(cron, adjacent) < shortestMinutes) throw new BadCron(`Must be ${shortestMinutes} minutes apart or more`)
  return cron
}

const rising = (values: Iterable<number> = []) => [...values].sort((a, b) => a - b)

function readField(text: string, kind: Kind): Set<number> {
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part) ?? []
    const [from, to] = readRange(range, kind)
    const by = step === undefined ? 1 : Number(step)
    // A step counts from a range: 5/15 means different things to different crons.
    if (by < 1 || (step !== undefined && !/[*-]/.test(range))) throw unreadable(part, kind)
    for (let value = from; value <= to; value += by) values.add(value)
  }
  return values
}

function readRange(text: string, kind: Kind): [number, number] {
  if (text === '*') return [kind.least, kind.most]
  const [first = '', last = first, ...more] = text.split('-')
  const [from, to] = [readValue(first, kind), readValue(last, kind)]
  if (more.length > 0 || from > to) throw unreadable(text, kind)
  return [from, to]
}

function readValue(text: string, kind: Kind): number {
  const word = text.toLowerCase()
  const value = Object.hasOwn(kind.names, word) ? (kind.names[word] ?? -1) : /^\d{1,2}$/.test(text) ? Number(text) : -1
  if (value < kind.least || value > kind.most) throw unreadable(text, kind)
  return value
}

function unreadable(text: string, { what, least, most }: Kind): BadCron {
  return new BadCron(`${JSON.stringify(text)} is no ${what} from ${least} to ${most}`)
}

const dayMs = 86_400_000

/** Whether a day, given by its UTC midnight, is one of the cron's. */
export function isDay({ days, months, weekdays, eitherDay }: Cron, midnight: number): boolean {
  const date = new Date(midnight)
  if (!months.has(date.getUTCMonth() + 1)) return false
  const [byDate, byWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())]
  return eitherDay ? byDate || byWeekday : byDate && byWeekday
}

/** Whether any day is one of the cron's, and whether two that follow each other are. */
function daysOf(cron: Cron): { some: boolean; adjacent: boolean } {
  const start = Date.UTC(2024, 0, 1)
  let [some, before] = [false, false]
  for (let n = 0; n < cycleDays; n++) {
    const is = isDay(cron, start + n * dayMs)
    if (is && before) return { some: true, adjacent: true }
    some ||= is
    before = is
  }
  return { some, adjacent: false }
}

/** Minutes between the two closest times, by the clock on the wall. */
function shortestGap({ minutes }: Cron, adjacent: boolean): number {
  const overnight = adjacent ? minutesOfDay - (minutes.at(-1) ?? 0) + (minutes[0] ?? 0) : minutesOfDay
  return minutes.reduce((least, minute, index) => (index === 0 ? least : Math.min(least, minute - (minutes[index - 1] ?? 0))), overnight)
}

/** The cron's next time after a time on the wall; both are written as if the wall stood in UTC. */
export function nextOnWall(cron: Cron, after: number): number {
  const midnight = Math.floor(after / dayMs) * dayMs
  const minute = (after - midnight) / 60_000
  const later = isDay(cron, midnight) ? cron.minutes.find((time) => time > minute) : undefined
  if (later !== undefined) return midnight + later * 60_000
  for (let n = 1; n <= cycleDays * 2; n++)
    if (isDay(cron, midnight + n * dayMs)) return midnight + n * dayMs + (cron.minutes[0] ?? 0) * 60_000
  throw new BadCron('This time never comes')
}
