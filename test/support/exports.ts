import type { Service } from './app.ts'
import { printerForm } from './flows.ts'
import type { Person } from './people.ts'
import { newSession, stepFlow } from './sessions.ts'

/** A flow of so many steps, one after another. */
export function longFlow(steps: number) {
  const made = Array.from({ length: steps }, (_, n) => ({
    id: `s${n}`,
    type: 'procedure_step',
    title: `Title ${n}. of {{printer_ip}}`,
    description: `How to find out: **look** at {{printer_ip}}.\n\n\`\`\`sh\nping <{{printer_ip}}> && echo *ok*\n\`\`\``,
  }))
  return { steps: [...made, { id: 'end', type: 'procedure_end', title: 'Done', description: '' }] }
}

/** A session with so many answers of a flow as long, each noted. */
export async function answeredSession(person: Person, notes: readonly string[], about: Record<string, unknown> = {}, complete = true) {
  let session = await newSession(
    person,
    { ticket_number: 'T-48213', client_name: 'Contoso Dental', ...about },
    stepFlow({
      name: `Printer offline ${crypto.randomUUID().slice(0, 8)}`,
      tree_structure: longFlow(notes.length),
      intake_form: printerForm,
    }),
  )
  for (const [index, note] of notes.entries()) {
    session = (
      await person.call('POST', `/sessions/${session.id}/decisions`, { step_id: `s${index}`, outcome: 'done', note, duration_seconds: 75 })
    ).body
  }
  if (complete)
    await person.call('POST', `/sessions/${session.id}/complete`, { outcome: 'resolved', notes: 'All well.', next_steps: 'Call back.' })
  return session.id as string
}

/** An answer by hand, many at once: what a long session would take minutes to be sent. */
export async function insertNotes(service: Service, person: Person, sessionId: string, notes: readonly string[]): Promise<void> {
  await service.sql(
    `insert into session_decisions (account_id, session_id, seq, step_id, outcome, note, started_at, duration_seconds)
     select $1, $2, 1000 + n, 'x' || n, 'done', note, now(), 4 from jsonb_array_elements_text($3) with ordinality r (note, n)`,
    [person.accountId, sessionId, JSON.stringify(notes)],
  )
}

export const exportOf = (person: Person, id: string, query = '') => person.call('GET', `/sessions/${id}/export${query}`)
export const textFormats = ['markdown', 'text', 'html', 'ticket-note'] as const
