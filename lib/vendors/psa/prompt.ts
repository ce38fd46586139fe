import { clip } from '#rules/text/clip.ts'

const maxNotes = 10
const previewCharacters = 200

/** A note of a ticket, as a prompt shows it. */
export interface PromptNote {
  /** Whether the client does not see it. */
  internal: boolean
  author: string | null
  /** RFC 3339. */
  at: string | null
  text: string
}

interface ContextNote {
  text: string
  author: string | null
  internal: boolean
  created_at: string | null
  added_by_service: boolean
}

/**
 * Return a ticket's notes for a prompt: the ten newest, each as one line of at most 200 characters. Notes that this service added are left out,
 * because they repeat what it knows already.
 */
export function toPromptNotes({ notes }: { notes: readonly ContextNote[] }): PromptNote[] {
  return notes
    .filter((note) => !note.added_by_service)
    .slice(0, maxNotes)
    .map(({ text, author, internal, created_at }) => ({
      internal,
      author,
      at: created_at,
      text: clip(text.replace(/\s+/g, ' ').trim(), previewCharacters),
    }))
}
