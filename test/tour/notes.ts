import * as z from 'zod'
import type { Tour } from './client.ts'
import { listWithItem } from './expectations.ts'
import type { Person } from './person.ts'

interface ExpectedNote {
  ticketId: string
  /** Id of the session or output that the note describes. */
  sourceId: string
  text: string
  attempts?: number
}

// Ticketing systems round times to seconds. An earlier run has left the same text on the same ticket.
const clockToleranceMs = 2000

/**
 * Wait until the note for colleagues that the person requested is pushed. Require that the ticket contains it
 * exactly once.
 */
export async function waitForNote(
  tour: Tour,
  person: Person,
  { ticketId, sourceId, text, attempts = 1 }: ExpectedNote,
): Promise<void> {
  const { psa } = person.client
  const counted = { state: z.literal('pushed'), attempts: z.literal(attempts) }
  const facts = { id: z.string(), provider_note_id: z.string(), created_at: z.string() }
  // A resolved case also has a note for its client.
  const push = z.object({
    ...facts,
    ...counted,
    requested_by: z.literal(person.id),
    visibility: z.literal('internal'),
  })
  const pushed = await tour.call(() => psa.pushes.list({ source_id: sourceId }), {
    poll: true,
    returns: listWithItem(push, `note that was pushed at attempt ${attempts}`),
  })
  const notes = z
    .array(z.object({ id: z.string(), text: z.string(), created_at: z.string() }))
    .transform((allNotes) => {
      const own = allNotes.find(({ id }) => id === pushed.provider_note_id)
      const isOfThisRun = ({ created_at }: { created_at: string }) =>
        Date.parse(created_at) > Date.parse(pushed.created_at) - clockToleranceMs
      return { own, copies: allNotes.filter((note) => note.text === own?.text && isOfThisRun(note)).length }
    })
    .refine(({ own }) => own?.text.includes(text), `the note does not contain “${text}”`)
    .refine(({ copies }) => copies === 1, 'the ticket does not have the note exactly once')
  await tour.call(() => psa.tickets.getContext({ ticket_id: ticketId }), { returns: z.object({ notes }) })
}
