import type { MaskingLevel } from '#rules/masking/levels.ts'
import { maskStored } from '#rules/masking/mask.ts'
import { maskValues } from '#rules/masking/mask-values.ts'
import { shortenedMark } from '#rules/text/written-bytes.ts'
import {
  type ClientText,
  forAccount,
  type NoteVisibility,
  type Released,
  type TicketText,
} from './audience.ts'

// The gate: every text of a user that leaves the service passes one of these functions. Each knows who reads
// it, and that for colleagues also whether the account masks what leaves.

/**
 * Mask all texts of a stored value; a label and its value are judged together. A text that takes more work
 * than is left becomes a mark. `reserve` is how many steps must be left.
 */
export function maskAll<T>(value: T, level: MaskingLevel = 'all', reserve = 0): T {
  return maskValues(value, (text) => maskStored(text, { level, reserve })) as T
}

/** Addresses that the service writes. Masked ones would lead nowhere. */
const ownAddress = /^(?:url|link|path)$|_url$|Url$/

/**
 * Release a value with texts of users. With `isMasked`, which is the preference `mask_exports` of the
 * account, addresses, paths and secrets are masked in all of them.
 */
export function release<T>(value: T, isMasked: boolean): Released<T> {
  const maskText = (text: string) => maskStored(text)
  return (isMasked ? maskValues(value, maskText, ownAddress) : value) as Released<T>
}

/**
 * Mask a text for a client. What contains notes or values of a case is no such text: `renderClientEdition`
 * has what a client may read of it.
 */
export function forClient(text: string): ClientText {
  return maskAll(text) as ClientText
}

/**
 * Mask passwords, tokens and keys in a value for people without an account. Addresses stay, because a
 * published guide may explain them. Texts that take more work than is left are left out.
 */
export function forPublic<T>(value: T): T {
  return maskValues(value, maskPublished) as T
}

/** The same published texts are read again and again. Cleared when full: at most 4 MB. */
const publishedTexts = new Map<string, string>()
const [maxPublishedTexts, maxPublishedLength] = [1000, 1000]

function maskPublished(text: string): string {
  const known = publishedTexts.get(text)
  if (known !== undefined) return known
  const masked = maskStored(text, { level: 'secrets' })
  if (text.length > maxPublishedLength || masked === shortenedMark) return masked
  if (publishedTexts.size >= maxPublishedTexts) publishedTexts.clear()
  publishedTexts.set(text, masked)
  return masked
}

/** Return a text for a ticket. One that the client sees is masked. */
export function forTicket(visibility: NoteVisibility, text: string): TicketText {
  return visibility === 'internal'
    ? { visibility, text: forAccount(text) }
    : { visibility, text: forClient(text) }
}
