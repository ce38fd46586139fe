import { maskStored } from '#rules/masking/mask.ts'
import { redactStored } from '#rules/masking/redaction.ts'

// Who may read a text that leaves the service is part of its type, so that a text for colleagues cannot be
// sent to a client.

declare const readers: unique symbol
type TextFor<Readers> = string & { readonly [readers]: Readers }

/** A text that only colleagues of the account may read. What a client may read, they may read too. */
export type AccountText = TextFor<'account' | 'client'>
/** A text that the client of a ticket may read. It is masked, whatever the account prefers. */
export type ClientText = TextFor<'client'>

/** Mark a text as one for colleagues of the account. */
export function forAccount(text: string): AccountText {
  return text as AccountText
}

/**
 * Mask a text for a client. What contains notes or values of a case is no such text: `renderClientEdition`
 * has what a client may read of it.
 */
export function forClient(text: string): ClientText {
  return maskStored(text) as ClientText
}

/**
 * Mask passwords, tokens and keys in a value for people without an account. Addresses stay, because a
 * published guide may explain them. Texts that take more work than is left are left out.
 */
export function forPublic<T>(value: T): T {
  return redactStored(value, 'secrets')
}

/**
 * Who sees a text in a ticket: `internal` the technicians, `client` also the client, `resolution` also the
 * client, as the solution.
 */
export const noteVisibilities = ['internal', 'client', 'resolution'] as const
export type NoteVisibility = (typeof noteVisibilities)[number]

/** Whether a note is hidden from the client. */
export const isInternalNote: Record<NoteVisibility, boolean> = {
  internal: true,
  client: false,
  resolution: false,
}

/** A text for a ticket, with who sees it there. */
export type TicketText =
  | { visibility: 'internal'; text: AccountText }
  | { visibility: Exclude<NoteVisibility, 'internal'>; text: ClientText }

/** Return a text for a ticket. One that the client sees is masked. */
export function forTicket(visibility: NoteVisibility, text: string): TicketText {
  return visibility === 'internal'
    ? { visibility, text: forAccount(text) }
    : { visibility, text: forClient(text) }
}

/** Return a text that was stored as a `TicketText`. */
export function readTicketText(visibility: NoteVisibility, text: string): TicketText {
  return { visibility, text } as TicketText
}
