import { clip } from '#rules/text/clip.ts'
import type { TicketDetails } from './psa.ts'

const maxNotes = 10
const previewCharacters = 200
const maxCustomFields = 20

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
 * Return a ticket's notes for a prompt: the ten newest, each as one line of at most 200 characters. Notes
 * that this service added are left out, because they repeat what it knows already.
 */
export function toPromptNotes({ notes }: { notes: readonly ContextNote[] }): PromptNote[] {
  return notes
    .filter((note) => !note.added_by_service)
    .slice(0, maxNotes)
    .map(({ text, author, internal, created_at }) => ({
      internal,
      author,
      at: created_at,
      text: toPreview(text),
    }))
}

/**
 * Return what is known of a ticket's details for a prompt: up to 20 custom fields, and each text as one line
 * of at most 200 characters.
 */
export function toPromptDetails(details: TicketDetails): Partial<TicketDetails> {
  const { resources, custom_fields, ...others } = details
  const knownFields = Object.entries(others).flatMap(([name, value]) =>
    value === null ? [] : [[name, typeof value === 'string' ? toPreview(value) : value] as const],
  )
  return {
    ...Object.fromEntries(knownFields),
    ...(resources.length > 0 ? { resources: resources.slice(0, maxCustomFields).map(toPreview) } : {}),
    ...(custom_fields.length > 0
      ? {
          custom_fields: custom_fields
            .slice(0, maxCustomFields)
            .map(({ name, value }) => ({ name: toPreview(name), value: toPreview(value) })),
        }
      : {}),
  }
}

const toPreview = (text: string) => clip(text.replace(/\s+/g, ' ').trim(), previewCharacters)
