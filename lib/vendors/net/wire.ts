import { AsyncLocalStorage } from 'node:async_hooks'
import * as z from 'zod'
import { record } from '#metrics.ts'
import { parseJson } from '#rules/text/json.ts'
import { addSpanEvent } from '#trace.ts'
import type { Vendor } from './bounded-fetch.ts'

// How every adapter reads what another system answers. It asks for what it needs: any other part that is
// missing, null or of another type is absent. Numbers may be texts, and objects and lists may be texts with
// their JSON. What is harmful to guess, such as a token, a signature or a verdict, has a strict schema.

const anything = z.unknown().optional()

/** Return the value of a text that is JSON of an object or a list, or the value itself. */
export const fromJsonText = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*[[{]/.test(value) ? (parseJson(value) ?? value) : value

const toText = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value).replaceAll('\u0000', '').toWellFormed().trim() || null
    : null

const toNumber = (value: unknown): number | null => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

const flags = new Map<unknown, boolean>([
  ...([true, 1, 'true', '1', 'yes'] as const).map((value) => [value, true] as const),
  ...([false, 0, 'false', '0', 'no'] as const).map((value) => [value, false] as const),
])
const toFlag = (value: unknown): boolean | null =>
  flags.get(typeof value === 'string' ? value.trim().toLowerCase() : value) ?? null

/** A text that PostgreSQL can store, or null. */
export const text = anything.transform(toText)
/** A text as it is, such as what a program has printed, or null. */
export const rawText = anything.transform((value) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null,
)
export const optionalNumber = anything.transform(toNumber)
export const optionalFlag = anything.transform(toFlag)
export const flag = anything.transform((value) => toFlag(value) === true)
// Providers write 0001-01-01, 1753-01-01, 1900-01-01, 1970-01-01 and the like for no time. No record is as old
// as this.
const oldestMs = Date.parse('1990-01-01T00:00:00Z')
/** A time as RFC 3339, or null. Without an offset it is UTC. */
export const time = anything.transform((value) => {
  const at =
    typeof value === 'string' && value.length < 40
      ? Date.parse(value.includes('Z') || /[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`)
      : Number.NaN
  return Number.isNaN(at) || at < oldestMs ? null : new Date(at).toISOString()
})
/** The id of a record, as digits. Without one there is no record. */
export const id = z.union([z.int().min(0), z.string().regex(/^\d{1,20}$/)]).transform(String)
export const optionalId = id
  .nullish()
  .catch(null)
  .transform((value) => value ?? null)
/** Return a list, which may be the only one of an object, such as beside its count; null without one. */
export function findList(value: unknown): unknown[] | null {
  const read = fromJsonText(value)
  if (Array.isArray(read)) return read
  if (typeof read !== 'object' || read === null) return null
  const lists = Object.entries(read).filter(([key, each]) => Array.isArray(each) && !/^errors?$/i.test(key))
  return lists.length === 1 ? (lists[0]?.[1] as unknown[]) : null
}
/** A list of any length: its items are looked at later, and no more than are needed. */
export const list = anything.transform((value) => findList(value) ?? [])
/** A list without which an answer is none. */
export const requiredList = anything.transform(findList).pipe(z.custom<unknown[]>(Array.isArray))

/** An object that a record should have; null if it has none. */
export const part = <S extends z.ZodObject>(shape: S) =>
  anything.transform((value) => shape.safeParse(fromJsonText(value)).data ?? null)
/** An object without which an answer is none. */
export const object = <S extends z.ZodRawShape>(shape: S) =>
  anything.transform(fromJsonText).pipe(z.object(shape))
/** An object with a list or a record under `key`, which other versions send alone. */
export const envelope = <S extends z.ZodRawShape>(key: string & keyof S, shape: S) =>
  anything
    .transform((value) => {
      const read = fromJsonText(value)
      const isRecord = typeof read === 'object' && read !== null && 'id' in read && !(key in read)
      return Array.isArray(read) || isRecord ? { [key]: read } : read
    })
    .pipe(z.object(shape))

/** The most items of a list that are looked at. */
const defaultMaxItems = 20_000

/**
 * Read the items of a list one by one: one that is none does not hide the others. Those that are left out
 * count in the metrics, and the trace names the key for which.
 */
export function readItems<S extends z.ZodType>(
  vendor: Vendor,
  item: S,
  items: readonly unknown[],
  maxItems = defaultMaxItems,
): z.output<S>[] {
  const read: z.output<S>[] = []
  for (const value of items.slice(0, maxItems)) {
    const { success, data, error } = item.safeParse(fromJsonText(value))
    if (success) read.push(data)
    else leaveOut(vendor, error.issues[0]?.path.map(String).join('.') || 'item')
  }
  if (items.length > maxItems) leaveOut(vendor, 'length')
  return read
}

/** Count a part of an answer that is not used, and name it in the trace and to who asks with `listLosses`. */
export function leaveOut(vendor: Vendor, key: string): void {
  record('leftOut', { vendor })
  addSpanEvent('left_out', { vendor, key })
  const losses = currentLosses.getStore()
  losses?.set(key, (losses.get(key) ?? 0) + 1)
}

const currentLosses = new AsyncLocalStorage<Map<string, number>>()
const maxLosses = 5

/** Run work, and return with its result what it left out of answers: at most five sentences for users. */
export async function listLosses<T>(work: () => Promise<T>): Promise<{ value: T; losses: string[] }> {
  const counts = new Map<string, number>()
  const value = await currentLosses.run(counts, work)
  const losses = [...counts]
    .slice(0, maxLosses)
    .map(([key, count]) =>
      key === 'length'
        ? 'A list was too long to be read to its end'
        : `${count === 1 ? '1 record was' : `${count} records were`} left out: “${key}” could not be read`,
    )
  return { value, losses }
}
