import type { Service } from './app.ts'
import { newFlow, patchForm, patchSteps } from './flows.ts'
import type { Person } from './people.ts'

/** Starts a session of this person's and answers it: of the small troubleshooting flow, or of another one of theirs. */
export async function newSession(person: Person, about: Record<string, unknown> = {}, flow: Record<string, unknown> = {}) {
  const tree_id = about.tree_id ?? (await newFlow(person, flow)).id
  const answer = await person.call('POST', '/sessions', { variables: { printer_ip: '10.0.8.21' }, ...about, tree_id })
  if (answer.status !== 201) throw new Error(`The session was refused: ${answer.text}`)
  return answer.body
}

/** What makes a flow one that is done step by step, here as maintenance unless said otherwise. */
export function stepFlow(change: Record<string, unknown> = {}) {
  return { tree_type: 'maintenance', tree_structure: patchSteps(), intake_form: patchForm, ...change }
}

/** A session of a flow done step by step. */
export function newStepSession(person: Person, about: Record<string, unknown> = {}) {
  return newSession(person, { variables: { server: 'srv-dc-01' }, ...about }, stepFlow())
}

/** A published flow that ships with the service; answers its id. */
export async function platformFlow(service: Service, treeType: string, structure: unknown): Promise<string> {
  const [row] = await service.sql<{ id: string }>(
    `with t as (insert into trees (account_id, author_id, tree_type, status, visibility, name)
                values (app.platform_account(), app.service_user(), $1, 'published', 'account', $2) returning *),
          v as (insert into tree_versions (account_id, tree_id, version, status, name, tree_type, tree_structure, saved_by)
                select account_id, id, 1, status, name, tree_type, $3, author_id from t)
     select id from t`,
    [treeType, `Starter ${crypto.randomUUID()}`, JSON.stringify(structure)],
  )
  return row?.id ?? ''
}

/** Answers a session's current step; a text is an option's id when the step has options, otherwise how it went. */
export async function answer(person: Person, session: { id: string; current_step: { id: string; options: unknown[] } }, how: string) {
  const { id, options } = session.current_step
  const body = { step_id: id, ...(options.length > 0 ? { option_id: how } : { outcome: how }) }
  return (await person.call('POST', `/sessions/${session.id}/decisions`, body)).body
}
