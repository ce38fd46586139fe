// Whom the ticketing system mails about a note: the contact of the ticket. Answers to such a mail return to
// the ticket.

/**
 * Why nobody is mailed: the ticket has no contact, the contact no address, or the ticketing system has the
 * mails to it switched off.
 */
export const refusals = ['no_contact', 'no_address', 'mail_off'] as const
export type Refusal = (typeof refusals)[number]

export interface Recipient {
  name: string
  address: string
}

/** Who is mailed, or why nobody is. */
export type RecipientAnswer = { recipient: Recipient; refusal: null } | { recipient: null; refusal: Refusal }

/**
 * Return whom a note is mailed to. `isMailed` is whether the ticketing system sends mails to this contact.
 */
export function toRecipient(
  contact: { name: string; email: string | null } | null,
  isMailed: boolean,
): RecipientAnswer {
  if (!contact) return { recipient: null, refusal: 'no_contact' }
  if (!contact.email) return { recipient: null, refusal: 'no_address' }
  if (!isMailed) return { recipient: null, refusal: 'mail_off' }
  return { recipient: { name: contact.name, address: contact.email }, refusal: null }
}

/** Complete the sentence “Nobody was mailed: …”. */
export const refusalTexts: Record<Refusal, string> = {
  no_contact: 'the ticket has no contact',
  no_address: 'the contact of the ticket has no e-mail address',
  mail_off: 'the ticketing system has e-mails to the contact of this ticket switched off',
}
