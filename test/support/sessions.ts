import type { Service } from './app.ts'
import { createFlow, patchForm, patchProcedure } from './flows.ts'
import type { Person } from './people.ts'

/**
 * Start a session through the API and return it. Create a flow with `flowFields` unless `fields` contains a
 * `tree_id`.
 */
export async function createSession(
  person: Person,
  fields: Record<string, unknown> = {},
  flowFields: Record<string, unknown> = {},
) {
  const tree_id = fields.tree_id ?? (await createFlow(person, flowFields)).id
  const response = await person.call('POST', '/sessions', {
    variables: { printer_ip: '10.0.8.21' },
    ...fields,
    tree_id,
  })
  if (response.status !== 201) throw new Error(`The session was refused: ${response.text}`)
  return response.body
}

/** Return the fields of `flowBody` that make it a maintenance procedure. `fields` replace parts of them. */
export function proceduralFlowFields(fields: Record<string, unknown> = {}) {
  return { tree_type: 'maintenance', tree_structure: patchProcedure(), intake_form: patchForm, ...fields }
}

/** Start a session of a maintenance procedure and return it. */
export function createProceduralSession(person: Person, fields: Record<string, unknown> = {}) {
  return createSession(person, { variables: { server: 'srv-dc-01' }, ...fields }, proceduralFlowFields())
}

/** Insert a published flow of the platform account, as the starter flows are, and return its id. */
export async function insertPlatformFlow(
  service: Service,
  treeType: string,
  structure: unknown,
): Promise<string> {
  const [row] = await service.sql<{ id: string }>(
    `with inserted_tree as (
            insert into trees (account_id, author_id, tree_type, status, visibility, name)
            values (app.platform_account(), app.service_user(), $1, 'published', 'account', $2) returning *),
          inserted_version as (
            insert into tree_versions (account_id, tree_id, version, status, name, tree_type, tree_structure, saved_by)
            select account_id, id, 1, status, name, tree_type, $3, author_id from inserted_tree)
     select id from inserted_tree`,
    [treeType, `Starter ${crypto.randomUUID()}`, JSON.stringify(structure)],
  )
  return row?.id ?? ''
}

/**
 * Answer a session's current step. `choice` is an option id when the step has options, otherwise an outcome.
 */
export async function answerStep(
  person: Person,
  session: { id: string; current_step: { id: string; options: unknown[] } },
  choice: string,
) {
  const { id, options } = session.current_step
  const body = { step_id: id, ...(options.length > 0 ? { option_id: choice } : { outcome: choice }) }
  return (await person.call('POST', `/sessions/${session.id}/decisions`, body)).body
}
