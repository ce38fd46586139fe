import { z } from 'zod'
import { PsaError } from './psa.ts'

// Providers leave keys out where they know nothing, or send null, or a number for a text: reading is forgiving, what is read is strict.

const anything = z.unknown()
export const text = z
  .union([z.string(), z.number()])
  .nullish()
  .catch(null)
  .transform((value) => clean(value === null || value === undefined ? '' : String(value)) || null)
export const id = z.union([z.int(), z.string().regex(/^\d{1,15}$/)]).transform(String)
export const optionalId = id
  .nullish()
  .catch(null)
  .transform((value) => value ?? null)
export const flag = z
  .boolean()
  .nullish()
  .catch(false)
  .transform((value) => value ?? false)
export const time = anything.transform((value) => {
  const at =
    typeof value === 'string' && value.length < 40
      ? Date.parse(value.includes('Z') || /[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`)
      : Number.NaN
  return Number.isNaN(at) ? null : new Date(at).toISOString()
})
/** An object that stands for another: its id and name. */
export const reference = z
  .object({ id: optionalId, name: text, identifier: text })
  .partial()
  .nullish()
  .catch(null)
  .transform((value) => ({ id: value?.id ?? null, name: value?.name ?? null, identifier: value?.identifier ?? null }))

/** Without what neither PostgreSQL nor JSON's readers take. */
function clean(value: string): string {
  return value.replaceAll('\u0000', '').toWellFormed().trim()
}

/** What was answered, by its shape; an answer of another one is the provider's failure. */
export function read<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new PsaError('down', 'The ticketing system answered something that was not understood')
  return parsed.data
}

/** Of a list, the items that can be read: one that is broken does not hide the others. */
export function readList<S extends z.ZodType>(item: S, value: unknown): z.output<S>[] {
  return read(z.array(anything), value).flatMap((one) => {
    const parsed = item.safeParse(one)
    return parsed.success ? [parsed.data] : []
  })
}

/** Newest first; what has no time last. */
export function newestFirst<T extends { id: string; created_at: string | null }>(items: T[]): T[] {
  return items.toSorted((a, b) => (b.created_at ?? '').localeCompare(a.created_at ?? '') || Number(b.id) - Number(a.id))
}

/** The parts of an address that are known, in one line. */
export function joined(...parts: (string | null)[]): string | null {
  return parts.filter(Boolean).join(', ') || null
}
