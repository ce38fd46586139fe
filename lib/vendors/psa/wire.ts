import * as z from 'zod'
import { clip } from '#rules/text/clip.ts'
import { type CustomField, type NoteQuery, PsaError, type TicketNote } from './psa.ts'

// Providers omit keys, send null, or send numbers for texts. Parsing accepts these; the parsed values are
// strict.

const anything = z.unknown()
export const text = z
  .union([z.string(), z.number()])
  .nullish()
  .catch(null)
  .transform((value) => removeUnstorable(value === null || value === undefined ? '' : String(value)) || null)
const maxDetailLength = 500
const maxDetails = 50
/** A text of a field that a customer of the vendor configures. */
export const detail = text.transform((value) => value && clip(value, maxDetailLength))
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
// Providers write 0001-01-01, 1753-01-01, 1900-01-01 and the like for no time. No ticket is as old as this.
const oldestMs = Date.parse('1990-01-01T00:00:00Z')
// Optional, because a key that is absent must not fail the record.
export const time = anything.optional().transform((value) => {
  const at =
    typeof value === 'string' && value.length < 40
      ? Date.parse(value.includes('Z') || /[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`)
      : Number.NaN
  return Number.isNaN(at) || at < oldestMs ? null : new Date(at).toISOString()
})
export const optionalFlag = z.boolean().nullish().catch(null)
export const optionalNumber = z.number().nullish().catch(null)
/** The name of another record, or its text. */
export const name = z
  .union([z.object({ name: detail }).transform((value) => value.name), detail])
  .nullish()
  .catch(null)
  .transform((value) => value ?? null)
/**
 * A list of which nobody knows how long it is: its items are looked at later, and no more than are needed.
 */
export const list = anything.optional().transform((value): unknown[] => (Array.isArray(value) ? value : []))
/** A reference to another record: its id and name. */
export const reference = z
  .object({ id: optionalId, name: text, identifier: text })
  .partial()
  .nullish()
  .catch(null)
  .transform((value) => ({
    id: value?.id ?? null,
    name: value?.name ?? null,
    identifier: value?.identifier ?? null,
  }))

/** Remove characters that PostgreSQL cannot store. */
function removeUnstorable(value: string): string {
  return value.replaceAll('\u0000', '').toWellFormed().trim()
}

/** Parse an answer. Throw `down` when its shape is not as documented. */
export function parseAnswer<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw undocumentedError()
  return parsed.data
}

const undocumentedError = () => new PsaError('down', 'The ticketing system did not answer as documented')

/** Twice the most that a page may have. */
const maxItems = 2000

/** Return the first 2,000 items of a list. A schema would look at each of a million. */
export function parseList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw undocumentedError()
  return value.slice(0, maxItems)
}

/** Parse a list and skip items with an unexpected shape, so that one does not hide the others. */
export function parseItems<S extends z.ZodType>(item: S, value: unknown): z.output<S>[] {
  return parseList(value).flatMap((value) => {
    const parsed = item.safeParse(value)
    return parsed.success ? [parsed.data] : []
  })
}

/** Join and shorten names, without empty and repeated ones. */
export function toNames(names: readonly (string | null)[]): string[] {
  const kept = names
    .slice(0, maxItems)
    .flatMap((name) => (name?.trim() ? clip(name.trim(), maxDetailLength) : []))
  return [...new Set(kept)].slice(0, maxDetails)
}

/** Read the custom fields that have a name and a value. */
export function toCustomFields<S extends z.ZodType<{ name: string | null; value: string | null }>>(
  field: S,
  fields: unknown[],
): CustomField[] {
  return parseItems(field, fields)
    .flatMap(({ name, value }) => (name && value ? { name, value } : []))
    .slice(0, maxDetails)
}

/** Sort newest first; items without a time come last. */
export function sortNewestFirst<T extends { id: string; created_at: string | null }>(items: T[]): T[] {
  return items.toSorted(
    (a, b) => (b.created_at ?? '').localeCompare(a.created_at ?? '') || Number(b.id) - Number(a.id),
  )
}

/**
 * Find a note with the same words that is not older and of no other push. Providers change spaces, line ends
 * and marks, so only letters and digits count.
 */
export function findSameNote(
  notes: readonly TicketNote[],
  { text, since, others = [] }: Omit<NoteQuery, 'visibility'>,
): string | null {
  const toWords = (value: string) => value.replace(/[^\p{L}\p{N}]+/gu, '')
  const words = toWords(text)
  const isSame = (note: TicketNote) =>
    !others.includes(note.id) && (note.created_at ?? since) >= since && toWords(note.text) === words
  return notes.find(isSame)?.id ?? null
}

/** Join the known parts of an address into one line. */
export function joinParts(...parts: (string | null)[]): string | null {
  return parts.filter(Boolean).join(', ') || null
}
