import { normaliseWords } from '#rules/text/words.ts'
import type { Ticket } from './psa.ts'

/** Fields of a ticket that a variable of a flow can have as its value. */
export const ticketFields = [
  'id',
  'summary',
  'description',
  'company',
  'contact',
  'board',
  'status',
  'priority',
  'type',
  'owner',
] as const
export type TicketField = (typeof ticketFields)[number]

/** The conditions of a rule. Null or an empty list matches every ticket. */
export interface RuleConditions {
  board_id: string | null
  ticket_type: string | null
  /** One of these words or phrases is in the summary or the description. */
  keywords: readonly string[]
}

/** Longer texts are not searched. */
const maxSearchedLength = 20_000

/**
 * Return whether an open ticket meets the conditions. Cases, accents and punctuation do not count; keywords
 * are plain words, no patterns.
 */
export function matchesRule({ board_id, ticket_type, keywords }: RuleConditions, ticket: Ticket): boolean {
  if (ticket.is_closed || ticket.merged_into !== null) return false
  if (board_id !== null && ticket.board_id !== board_id) return false
  if (ticket_type !== null && toWords(ticket.type ?? '') !== toWords(ticket_type)) return false
  if (keywords.length === 0) return true
  const text = toWords(`${ticket.summary} ${ticket.description ?? ''}`.slice(0, maxSearchedLength))
  return keywords.some((keyword) => toWords(keyword).trim() !== '' && text.includes(toWords(keyword)))
}

/** Return the words of a text with a space around each, so that a phrase is found at the limits of words. */
const toWords = (text: string) => ` ${normaliseWords(text)} `

/** Return the variables of a session for a ticket. A field without a value gives none. */
export function toVariables(
  variables: Readonly<Record<string, TicketField>>,
  ticket: Ticket,
): Record<string, string> {
  const values = Object.entries(variables).map(([key, field]) => [key, ticket[field]] as const)
  return Object.fromEntries(values.filter((entry): entry is readonly [string, string] => Boolean(entry[1])))
}
