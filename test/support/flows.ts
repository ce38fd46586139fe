import type { Person } from './people.ts'

/** Return a new troubleshooting structure that passes the checks for publishing. */
export function printerFlow() {
  return {
    id: 'ping',
    type: 'decision',
    title: 'Does {{printer_ip}} answer a ping?',
    description: 'Run `ping {{printer_ip}}`.',
    options: [
      { id: 'yes', label: 'Yes', next_node_id: 'queue' },
      { id: 'no', label: 'No', next_node_id: 'cable' },
    ],
    children: [
      {
        id: 'queue',
        type: 'action',
        title: 'Clear the print queue',
        description: 'Stop the spooler, empty the folder, start it again.',
        next_node_id: 'works',
        children: [{ id: 'works', type: 'solution', title: 'The queue was stuck', description: '' }],
      },
      { id: 'cable', type: 'solution', title: 'Reseat the network cable', description: '' },
    ],
  }
}

export const printerForm = [
  { key: 'printer_ip', label: 'Address of the printer', type: 'ip', required: true },
]

const largeSteps = [
  ...Array.from({ length: 290 }, (_, n) => ({
    id: `s${n}`,
    type: 'procedure_step',
    title: `Check ${n} of the spooler`,
    description: `Open the services console and restart the print spooler number ${n}. `.repeat(4),
  })),
  { id: 'end', type: 'procedure_end', title: 'Done', description: '' },
]

/** A published flow of 291 steps: a large write. */
export const largeFlow = {
  name: 'Large',
  status: 'published',
  visibility: 'account',
  tree_type: 'procedural',
  tree_structure: { steps: largeSteps },
}

/** Return a new procedural structure that passes the checks for publishing. */
export function patchProcedure() {
  return {
    steps: [
      { id: 'before', type: 'section_header', title: 'Before', description: '' },
      {
        id: 'snapshot',
        type: 'procedure_step',
        title: 'Take a snapshot of {{server}}',
        description: 'In the hypervisor.',
        group_label: 'Safety',
        library_visibility: 'account',
        fallback_steps: [
          { id: 'backup', title: 'Take a backup instead', description: '' },
          { id: 'ask', title: 'Ask the client to accept the risk', description: '' },
        ],
      },
      {
        id: 'patch',
        type: 'procedure_step',
        title: 'Install the updates',
        description: 'Reboot when asked.',
      },
      { id: 'end', type: 'procedure_end', title: 'Done', description: '' },
    ],
  }
}

export const patchForm = [{ key: 'server', label: 'Server', type: 'hostname', required: true }]

/** Return a body that creates a published troubleshooting flow. `fields` replace parts of it. */
export function flowBody(fields: Record<string, unknown> = {}) {
  return {
    tree_type: 'troubleshooting',
    name: `Printer offline ${crypto.randomUUID().slice(0, 8)}`,
    tree_structure: printerFlow(),
    intake_form: printerForm,
    ...fields,
  }
}

/** Create a flow through the API and return it. */
export async function createFlow(person: Person, fields: Record<string, unknown> = {}) {
  const response = await person.call('POST', '/trees', flowBody(fields))
  if (response.status !== 201) throw new Error(`The flow was refused: ${response.text}`)
  return response.body
}
