// Parses cron expressions with exactly five fields. Of the usual extensions, `L` (the last day of the month), `5#2` (the second Friday) and
// `5#L` or `5L` (the last Friday) are supported. Seconds, `W`, `?` and words such as @daily are not.

function numberNames(names: string, first: number): Record<string, number> {
  return Object.fromEntries(names.split(' ').map((name, index) => [name, first + index]))
}

interface FieldDefinition {
  name: string
  min: number
  max: number
  valueByName: Record<string, number>
}

const fieldDefinitions: readonly FieldDefinition[] = [
  { name: 'minute', min: 0, max: 59, valueByName: {} },
  { name: 'hour', min: 0, max: 23, valueByName: {} },
  { name: 'day of the month', min: 1, max: 31, valueByName: {} },
  { name: 'month', min: 1, max: 12, valueByName: numberNames('jan feb mar apr may jun jul aug sep oct nov dec', 1) },
  // Both 0 and 7 are Sunday.
  { name: 'day of the week', min: 0, max: 7, valueByName: numberNames('sun mon tue wed thu fri sat', 0) },
]

const minutesPerDay = 1440
const minuteMs = 60_000
const dayMs = 86_400_000
const minIntervalMinutes = 5
/** The Gregorian calendar repeats its combinations of date and weekday every 28 years, except across 2100. */
const cycleDays = 28 * 366

export interface CronSchedule {
  /** The minutes of a day, ascending. */
  minutes: number[]
  daysOfMonth: ReadonlySet<number>
  /** Whether the last day of each month matches. */
  lastDayOfMonth: boolean
  months: ReadonlySet<number>
  /** Sunday is 0. */
  weekdays: ReadonlySet<number>
  /** Weekdays of which only one in each month matches. */
  nthWeekdays: readonly NthWeekday[]
  /** If both the day of the month and the weekday are limited, a day needs to match only one of them. Every cron implementation does so. */
  matchesEitherDay: boolean
}

interface NthWeekday {
  weekday: number
  /** 1 to 5, or `last`. */
  nth: number | 'last'
}

/** Thrown for an invalid cron expression. Its message completes the sentence "cron …". */
export class CronError extends Error {}

/** Parse a cron expression. Throw a CronError if it is invalid, matches no date, or has runs less than five minutes apart. */
export function parseCron(expression: string): CronSchedule {
  const schedule = parseFields(expression)
  const { hasDays, hasConsecutiveDays } = findMatchingDays(schedule)
  if (!hasDays) throw new CronError('must match at least one date')
  if (getShortestInterval(schedule, hasConsecutiveDays) < minIntervalMinutes)
    throw new CronError(`must have at least ${minIntervalMinutes} minutes between two runs`)
  return schedule
}

function parseFields(expression: string): CronSchedule {
  const fields = expression.trim().split(/[ \t]+/)
  if (fields.length !== 5) throw new CronError('must have five fields: minute, hour, day of the month, month, day of the week')
  const { plain: monthDay, isLast: lastDayOfMonth } = splitLastDay(fields[2] ?? '')
  const { plain: weekday, nthWeekdays } = splitNthWeekdays(fields[4] ?? '')
  const [minutes, hours, daysOfMonth, months, weekdays] = [fields[0], fields[1], monthDay, fields[3], weekday].map((field, index) =>
    field === null ? new Set<number>() : parseField(field ?? '', fieldDefinitions[index] as FieldDefinition),
  )
  const isLimited = (field: string | undefined) => !field?.startsWith('*')
  return {
    minutes: sortAscending(hours).flatMap((hour) => sortAscending(minutes).map((minute) => hour * 60 + minute)),
    daysOfMonth: new Set(daysOfMonth),
    lastDayOfMonth,
    months: new Set(months),
    weekdays: new Set(sortAscending(weekdays).map((weekday) => weekday % 7)),
    nthWeekdays,
    matchesEitherDay: isLimited(fields[2]) && isLimited(fields[4]),
  }
}

/** Split a day-of-month field into `L` and the rest, which is null when nothing is left. */
function splitLastDay(field: string): { plain: string | null; isLast: boolean } {
  const parts = field.split(',')
  const others = parts.filter((part) => part.toUpperCase() !== 'L')
  return { plain: others.length > 0 ? others.join(',') : null, isLast: others.length < parts.length }
}

/** Split a day-of-week field into parts such as `5#2` and `5L`, and the rest, which is null when nothing is left. */
function splitNthWeekdays(field: string): { plain: string | null; nthWeekdays: NthWeekday[] } {
  const nthWeekdays: NthWeekday[] = []
  const others = field.split(',').filter((part) => {
    const [, weekday, nth = 'L'] = /^(\w+?)(?:#([1-5]|L)|L)$/i.exec(part) ?? []
    if (!weekday) return true
    const value = parseValue(weekday, fieldDefinitions[4] as FieldDefinition)
    nthWeekdays.push({ weekday: value % 7, nth: nth.toUpperCase() === 'L' ? 'last' : Number(nth) })
    return false
  })
  return { plain: others.length > 0 ? others.join(',') : null, nthWeekdays }
}

function sortAscending(values: Iterable<number> = []): number[] {
  return [...values].sort((a, b) => a - b)
}

function parseField(field: string, definition: FieldDefinition): Set<number> {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const [, range = '', stepText] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part) ?? []
    const [from, to] = parseRange(range, definition)
    const step = stepText === undefined ? 1 : Number(stepText)
    // A step needs a range: cron implementations disagree about the meaning of 5/15.
    const hasStepWithoutRange = stepText !== undefined && !/[*-]/.test(range)
    if (step < 1 || hasStepWithoutRange) throw createFieldError(part, definition)
    for (let value = from; value <= to; value += step) values.add(value)
  }
  return values
}

function parseRange(range: string, definition: FieldDefinition): [from: number, to: number] {
  if (range === '*') return [definition.min, definition.max]
  const [first = '', last = first, ...extraParts] = range.split('-')
  const from = parseValue(first, definition)
  const to = parseValue(last, definition)
  if (extraParts.length > 0 || from > to) throw createFieldError(range, definition)
  return [from, to]
}

function parseValue(text: string, definition: FieldDefinition): number {
  const { valueByName, min, max } = definition
  const name = text.toLowerCase()
  if (Object.hasOwn(valueByName, name)) return valueByName[name] as number
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) throw createFieldError(text, definition)
  return value
}

function createFieldError(text: string, { name, min, max }: FieldDefinition): CronError {
  return new CronError(`has the invalid ${name} ${JSON.stringify(text)}; use ${min} to ${max}`)
}

/** Return whether the schedule matches the day that starts at `midnight`, in UTC milliseconds. */
function matchesDay(schedule: CronSchedule, midnight: number): boolean {
  const date = new Date(midnight)
  if (!schedule.months.has(date.getUTCMonth() + 1)) return false
  const daysInMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  const [day, weekday] = [date.getUTCDate(), date.getUTCDay()]
  const matchesDate = schedule.daysOfMonth.has(day) || (schedule.lastDayOfMonth && day === daysInMonth)
  const isNth = ({ nth }: NthWeekday) => (nth === 'last' ? day + 7 > daysInMonth : Math.ceil(day / 7) === nth)
  const matchesWeekday = schedule.weekdays.has(weekday) || schedule.nthWeekdays.some((nth) => nth.weekday === weekday && isNth(nth))
  return schedule.matchesEitherDay ? matchesDate || matchesWeekday : matchesDate && matchesWeekday
}

/** Return effects of an expression that users often do not expect, as sentences. */
export function listCronWarnings(expression: string): string[] {
  const { matchesEitherDay, daysOfMonth, lastDayOfMonth } = parseFields(expression)
  const isRareDay = !lastDayOfMonth && Math.min(...daysOfMonth) > 28
  return [
    ...(matchesEitherDay
      ? [
          'It runs on every day that matches the day of the month or the day of the week. For the second Tuesday, use * as the day of the month and 2#2 as the day of the week.',
        ]
      : []),
    ...(isRareDay && !matchesEitherDay ? ['It skips months without this day. For the last day of each month, use "L".'] : []),
  ]
}

/** Return whether the schedule matches any day, and whether it matches two days in a row. */
function findMatchingDays(schedule: CronSchedule): { hasDays: boolean; hasConsecutiveDays: boolean } {
  const startOfCycle = Date.UTC(2024, 0, 1)
  let hasDays = false
  let matchedPreviousDay = false
  for (let day = 0; day < cycleDays; day++) {
    const matches = matchesDay(schedule, startOfCycle + day * dayMs)
    if (matches && matchedPreviousDay) return { hasDays: true, hasConsecutiveDays: true }
    hasDays ||= matches
    matchedPreviousDay = matches
  }
  return { hasDays, hasConsecutiveDays: false }
}

/** Return the minutes between the two closest runs in local time. */
function getShortestInterval({ minutes }: CronSchedule, hasConsecutiveDays: boolean): number {
  const firstMinute = minutes[0] ?? 0
  const lastMinute = minutes.at(-1) ?? 0
  const overnightInterval = hasConsecutiveDays ? minutesPerDay - lastMinute + firstMinute : minutesPerDay
  const intervals = minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? 0))
  return Math.min(overnightInterval, ...intervals)
}

/** Return the first time of the schedule after a local time. Local times are written as if they were in UTC; see zoned-time.ts. */
export function getNextLocalTime(schedule: CronSchedule, localTime: number): number {
  const midnight = Math.floor(localTime / dayMs) * dayMs
  const minuteOfDay = (localTime - midnight) / minuteMs
  const laterMinute = matchesDay(schedule, midnight) ? schedule.minutes.find((minute) => minute > minuteOfDay) : undefined
  if (laterMinute !== undefined) return midnight + laterMinute * minuteMs
  const firstMinute = schedule.minutes[0] ?? 0
  for (let day = 1; day <= cycleDays * 2; day++)
    if (matchesDay(schedule, midnight + day * dayMs)) return midnight + day * dayMs + firstMinute * minuteMs
  throw new CronError('must match at least one date')
}
