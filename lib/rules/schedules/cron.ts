import { Cron } from 'croner'

// Cron expressions with exactly five fields. croner computes their times; this file refuses what it would
// read differently. Of the usual extensions, `L` (the last day of the month), `5#2` (the second Friday) and
// `5#L` or `5L` (the last Friday) are supported. Seconds, `W`, `?` and words such as @daily are not.

interface FieldDefinition {
  name: string
  min: number
  max: number
  /** Names of the values, from `min` on. */
  names: readonly string[]
  /** Matches a part that is valid beside values, ranges and steps. Its group has the value of the part. */
  extension?: RegExp
}

const fieldDefinitions = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of the month', min: 1, max: 31, names: [], extension: /^()L$/i },
  { name: 'month', min: 1, max: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  // Both 0 and 7 are Sunday.
  {
    name: 'day of the week',
    min: 0,
    max: 7,
    names: 'sun mon tue wed thu fri sat'.split(' '),
    extension: /^(\w+?)(?:#[1-5L]|L)$/i,
  },
] as const satisfies readonly FieldDefinition[]

const dayMs = 86_400_000
const minIntervalMinutes = 5
const minIntervalMs = minIntervalMinutes * 60_000
const startOfCycle = Date.UTC(2024, 0, 1)
/** The Gregorian calendar repeats its combinations of date and weekday every 28 years, except across 2100. */
const endOfCycle = startOfCycle + 28 * 366 * dayMs

export interface CronSchedule {
  /**
   * Return the first time after a local time, or null. Local times are written as if they were in UTC; see
   * zoned-time.ts.
   */
  getNext: (localTime: number) => number | null
  /**
   * Whether the hour or the minute has a wildcard or a step. Such a schedule runs in both of two hours that
   * are the same local time.
   */
  keepsInterval: boolean
}

/** Thrown for an invalid cron expression. Its message completes the sentence "cron …". */
export class CronError extends Error {}

/**
 * Throw a CronError if an expression is invalid, matches no date, or has runs less than five minutes apart.
 */
export function checkCron(expression: string): void {
  const { getNext } = parseCron(expression)
  const first = getNext(startOfCycle - 1)
  if (first === null) throw new CronError('must match at least one date')
  if (hasShortInterval(getNext, first))
    throw new CronError(`must have at least ${minIntervalMinutes} minutes between two runs`)
}

/** Parse a cron expression. Throw a CronError if a field is invalid. */
export function parseCron(expression: string): CronSchedule {
  const fields = readFields(expression)
  const [minute = '', hour = ''] = fields
  const translated = fields
    .map((field, index) => translateSteps(field, fieldDefinitions[index] as FieldDefinition))
    .join(' ')
  // croner takes only `*` as any day, but `*/2` does not limit the days to either field.
  const cron = new Cron(translated, {
    mode: '5-part',
    utcOffset: 0,
    domAndDow: !matchesEitherDay(expression),
  })
  return {
    getNext: (localTime) => cron.nextRun(new Date(localTime))?.getTime() ?? null,
    keepsInterval: /[*/]/.test(minute + hour),
  }
}

/** Split an expression into its fields. Throw a CronError if one is invalid. */
function readFields(expression: string): string[] {
  const fields = expression.trim().split(/[ \t]+/)
  if (fields.length !== fieldDefinitions.length)
    throw new CronError('must have five fields: minute, hour, day of the month, month, day of the week')
  for (const [index, definition] of fieldDefinitions.entries())
    for (const part of fields[index]?.split(',') ?? []) readPart(part, definition)
  return fields
}

/** Replace ranges whose step exceeds the field, which croner refuses, by their only value. */
function translateSteps(field: string, definition: FieldDefinition): string {
  const translatePart = (part: string) =>
    Number(part.split('/')[1]) > definition.max ? String(readPart(part, definition)) : part
  return field.split(',').map(translatePart).join(',')
}

/** Return the first value of a part of a field; null for `L`. */
function readPart(part: string, definition: FieldDefinition): number | null {
  const extension = definition.extension?.exec(part)
  if (extension) return extension[1] ? readValue(extension[1], definition) : null
  const [, range = '', step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part) ?? []
  // A step needs a range: cron implementations disagree about the meaning of 5/15.
  if (step !== undefined && (Number(step) < 1 || !/[*-]/.test(range)))
    throw createFieldError(part, definition)
  if (range === '*') return definition.min
  const [first = '', last = first, ...extraParts] = range.split('-')
  const from = readValue(first, definition)
  if (extraParts.length > 0 || from > readValue(last, definition)) throw createFieldError(range, definition)
  return from
}

function readValue(text: string, definition: FieldDefinition): number {
  const { names, min, max } = definition
  const place = names.indexOf(text.toLowerCase())
  if (place >= 0) return min + place
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) throw createFieldError(text, definition)
  return value
}

function createFieldError(text: string, { name, min, max }: FieldDefinition): CronError {
  return new CronError(`has the invalid ${name} ${JSON.stringify(text)}; use ${min} to ${max}`)
}

/**
 * Return whether a day needs to match only one of the two day fields. Every cron implementation does so if
 * both are limited.
 */
function matchesEitherDay(expression: string): boolean {
  const [, , day, , weekday] = readFields(expression)
  return !day?.startsWith('*') && !weekday?.startsWith('*')
}

/** Return effects of an expression that users often do not expect, as sentences. */
export function listCronWarnings(expression: string): string[] {
  if (matchesEitherDay(expression))
    return [
      'It runs on every day that matches the day of the month or the day of the week. For the second Tuesday, use * as the day of the month and 2#2 as the day of the week.',
    ]
  const days = readFields(expression)[2]?.split(',') ?? []
  const isRareDay = days.every((part) => (readPart(part, fieldDefinitions[2]) ?? 0) > 28)
  return isRareDay ? ['It skips months without this day. For the last day of each month, use "L".'] : []
}

/**
 * Return whether two runs of a day, or of two days in a row, are too close in local time. Every day that
 * matches has the same times.
 */
function hasShortInterval(getNext: CronSchedule['getNext'], first: number): boolean {
  let last = first
  for (let next = getNext(first); next !== null && isSameDay(first, next); next = getNext(next)) {
    if (next - last < minIntervalMs) return true
    last = next
  }
  const length = last - first
  if (dayMs - length >= minIntervalMs) return false
  for (let day = first; day < endOfCycle; ) {
    const next = getNext(day + length)
    if (next === null) return false
    if (next - (day + length) < minIntervalMs) return true
    day = next
  }
  return false
}

function isSameDay(one: number, other: number): boolean {
  return Math.floor(one / dayMs) === Math.floor(other / dayMs)
}
