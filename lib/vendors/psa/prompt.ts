import { clip } from '#rules/text/clip.ts'
import type { TicketContext } from './psa.ts'

const maxNotes = 10
const previewCharacters = 200

/** Return a ticket's notes for a prompt: the ten newest, each as one line of at most 200 characters. */
export function toPromptNotes({ notes }: Pick<TicketContext, 'notes'>): string[] {
  return notes.slice(0, maxNotes).map(({ text }) => clip(text.replace(/\s+/g, ' ').trim(), previewCharacters))
}
