import { clip } from '../chat/chat.ts'
import type { TicketContext } from './psa.ts'

const mostNotes = 10
const previewCharacters = 200

/** What a model is told of a ticket's notes: the ten newest, each in one line of at most 200 characters. */
export function promptNotes({ notes }: Pick<TicketContext, 'notes'>): string[] {
  return notes.slice(0, mostNotes).map(({ text }) => clip(text.replace(/\s+/g, ' ').trim(), previewCharacters))
}
