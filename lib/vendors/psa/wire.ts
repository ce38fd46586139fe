import * as z from 'zod'
import { clip } from '#rules/text/clip.ts'
import { findList, fromJsonText, leaveOut, optionalId, part, readItems, text } from '#vendors/net/wire.ts'
import { type CustomField, type NoteQuery, PsaError, type TicketNote } from './psa.ts'

const maxDetailLength = 500
const maxDetails = 50
/** A text of a field that a customer of the vendor configures. */
export const detail = text.transform((value) => value && clip(value, maxDetailLength))
/** The name of another record, or its text. */
export const name = z
  .unknown()
  .optional()
  .transform((value) => {
    const read = fromJsonText(value)
    return detail.parse(typeof read === 'object' && read !== null ? (read as { name?: unknown }).name : read)
  })
/** A reference to another record: its id and name. */
export const reference = part(z.object({ id: optionalId, name: text, identifier: text })).transform(
  (value) => value ?? { id: null, name: null, identifier: null },
)

/** Parse an answer. Throw `down` when its shape is not as documented. */
export function parseAnswer<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(fromJsonText(value))
  if (!parsed.success) throw undocumentedError()
  return parsed.data
}

const undocumentedError = () => new PsaError('down', 'The ticketing system did not answer as documented')

/** Twice the most that a page may have. */
const maxItems = 2000

/** Return the first 2,000 items of a list. A schema would look at each of a million. */
export function parseList(value: unknown): unknown[] {
  const read = findList(value)
  if (!read) throw undocumentedError()
  if (read.length > maxItems) leaveOut('psa', 'length')
  return read.slice(0, maxItems)
}

/** Parse a list item by item. */
export function parseItems<S extends z.ZodType>(item: S, value: unknown): z.output<S>[] {
  return readItems('psa', item, parseList(value))
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
