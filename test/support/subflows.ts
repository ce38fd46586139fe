import { createFlow, patchProcedure } from './flows.ts'
import type { Person } from './people.ts'

/** Return a procedure with one step, `run`, that runs the flow, and a step `after` it. */
export function procedureWithSubflow(treeId: string, subflow: Record<string, unknown> = {}) {
  return {
    steps: [
      {
        id: 'run',
        type: 'procedure_step',
        title: 'Check the VPN',
        description: '',
        subflow: { tree_id: treeId, ...subflow },
      },
      { id: 'after', type: 'procedure_step', title: 'Call {{user_name}} back', description: '' },
      { id: 'end', type: 'procedure_end', title: 'Done', description: '' },
    ],
  }
}

/** Create a published procedure that runs the flow in its first step. */
export function createParentFlow(
  person: Person,
  treeId: string,
  subflow: Record<string, unknown> = {},
  fields: Record<string, unknown> = {},
) {
  const tree_structure = procedureWithSubflow(treeId, subflow)
  return createFlow(person, { tree_type: 'procedural', tree_structure, intake_form: [], ...fields })
}

/** Create a published procedure that can be a sub-flow. */
export function createChildFlow(person: Person, fields: Record<string, unknown> = {}) {
  return createFlow(person, {
    tree_type: 'procedural',
    tree_structure: patchProcedure(),
    intake_form: [],
    name: 'Patch a server',
    ...fields,
  })
}

/** Start a session of a flow without an intake form. */
export async function startRun(person: Person, treeId: string, variables: Record<string, unknown> = {}) {
  return person.client.sessions.start({
    tree_id: treeId,
    ticket_number: 'T-4711',
    client_name: 'Contoso',
    variables: variables as never,
  })
}
