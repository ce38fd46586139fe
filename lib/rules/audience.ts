// Who may read a text that leaves the service is part of its type, so that a text for colleagues cannot be sent
// to a client, and that the ports take only what `release.ts` made.

declare const released: unique symbol
/** What may leave to colleagues of the account: by mail, chat, webhook, in the app or in a document. */
export type Released<T> = T & { readonly [released]: true }

/** Release a value that is made only of words of the service and of what was released before. */
export function releaseParts<T>(value: T): Released<T> {
  return value as Released<T>
}

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

/** Return a text that was stored as a `TicketText`. */
export function readTicketText(visibility: NoteVisibility, text: string): TicketText {
  return { visibility, text } as TicketText
}
