import { expect } from 'vitest'
import type { Service } from './app.ts'
import { printerForm } from './flows.ts'
import type { Person } from './people.ts'
import { createSession, proceduralFlowFields } from './sessions.ts'

/** Build a procedural flow with `count` steps. */
export function buildLongFlow(count: number) {
  const steps = Array.from({ length: count }, (_, n) => ({
    id: `s${n}`,
    type: 'procedure_step',
    title: `Title ${n}. of {{printer_ip}}`,
    description: `How to find out: **look** at {{printer_ip}}.\n\n\`\`\`sh\nping <{{printer_ip}}> && echo *ok*\n\`\`\``,
  }))
  return { steps: [...steps, { id: 'end', type: 'procedure_end', title: 'Done', description: '' }] }
}

/**
 * Create a session of a flow that has one step per note, and answer every step with its note. Complete the
 * session unless `complete` is false. Return the session's id.
 */
export async function createAnsweredSession(
  person: Person,
  notes: readonly string[],
  fields: Record<string, unknown> = {},
  complete = true,
) {
  let session = await createSession(
    person,
    { ticket_number: 'T-48213', client_name: 'Contoso Dental', ...fields },
    proceduralFlowFields({
      name: `Printer offline ${crypto.randomUUID().slice(0, 8)}`,
      tree_structure: buildLongFlow(notes.length),
      intake_form: printerForm,
    }),
  )
  for (const [index, note] of notes.entries()) {
    session = (
      await person.call('POST', `/sessions/${session.id}/decisions`, {
        step_id: `s${index}`,
        outcome: 'done',
        note,
      })
    ).body
  }
  if (complete)
    await person.call('POST', `/sessions/${session.id}/complete`, {
      outcome: 'resolved',
      notes: 'All well.',
      next_steps: 'Call back.',
    })
  return session.id as string
}

/** Insert one answer per note by SQL. Sending as many through the API would take minutes. */
export async function insertAnswers(
  service: Service,
  person: Person,
  sessionId: string,
  notes: readonly string[],
): Promise<void> {
  await service.sql(
    `insert into session_decisions (decided_by, account_id, session_id, seq, step_id, outcome, note, started_at, duration_seconds)
     select (select user_id from sessions where id = $2), $1, $2, 1000 + n, 'x' || n, 'done', note, now(), 4 from jsonb_array_elements_text($3) with ordinality notes (note, n)`,
    [person.accountId, sessionId, JSON.stringify(notes)],
  )
}

export const exportSession = (person: Person, id: string, query = '') =>
  person.call('GET', `/sessions/${id}/export${query}`)

/** Export a session as a PDF, and return its bytes. */
export async function exportPdf(
  service: Pick<Service, 'api'>,
  person: Person,
  id: string,
  query: string,
): Promise<Uint8Array> {
  const response = await fetch(`${service.api}/api/v1/sessions/${id}/export${query}`, {
    headers: { authorization: `Bearer ${person.token}` },
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  return new Uint8Array(await response.arrayBuffer())
}

export const textFormats = ['markdown', 'text', 'html', 'ticket-note'] as const
