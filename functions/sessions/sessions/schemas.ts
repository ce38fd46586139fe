import { z } from 'zod'
import { outcomes } from '../../../lib/flows/run.ts'
import { IntakeForm, TreeStructure, TreeType } from '../../../lib/flows/structure.ts'
import { exampleIds, Id, idParams, Name, Time } from '../../../lib/http/fields.ts'

export const SessionId = idParams('session_id', 'session')

const encoder = new TextEncoder()
const JsonByName = z.record(z.string().max(100), z.json())
/** What is filled into the flow's texts: any keys, any JSON. */
export const Variables = JsonByName.refine((given) => Object.keys(given).length <= 200, 'At most 200 variables')
  .refine((given) => encoder.encode(JSON.stringify(given)).byteLength <= 64 * 1024, 'At most 64 KB in all')
  .describe('Answers to the intake form by their keys, and whatever else the texts are to be filled with; at most 200 keys and 64 KB.')
export type Variables = z.infer<typeof Variables>

/** A time as a caller may say it. */
export const Instant = z.iso
  .datetime({ offset: true })
  .refine((text) => text > '2000' && text < '2100', 'Must be between the years 2000 and 2100')
  .meta({ example: '2026-11-21T09:30:00.000Z' })

const Note = z.string().max(20_000)
export const StepOutcome = z.enum(outcomes).describe('How it went.')
export const State = z
  .enum(['prepared', 'in_progress', 'completed', 'abandoned'])
  .describe('Filled in beforehand, being run, finished with an outcome, or given up.')
export const Outcome = z.enum(['resolved', 'unresolved', 'escalated', 'cancelled']).describe('What came of it.')
export const TargetLabel = z.string().trim().min(1).max(255)

const Decision = z
  .strictObject({
    step_id: z.string().describe('The step that was answered.'),
    option_id: z.string().nullable().describe('Of a decision: the option that was chosen.'),
    outcome: StepOutcome.nullable().describe('Of any other step: how it went.'),
    note: z.string().nullable().describe('What the technician noted.'),
    started_at: Time.describe('When work on the step began: as sent, or else when the step before it was answered.'),
    duration_seconds: z.int().describe('How long it took: as sent, or else until the answer.'),
    decided_at: Time.describe('When it was answered.'),
  })
  .meta({
    id: 'SessionDecision',
    examples: [
      {
        step_id: 'ping',
        option_id: 'yes',
        outcome: null,
        note: null,
        started_at: '2026-11-21T09:30:00.000Z',
        duration_seconds: 40,
        decided_at: '2026-11-21T09:30:40.000Z',
      },
    ],
  })

const FallbackRecord = z
  .strictObject({
    step_id: z.string().describe('The step that did not work out.'),
    fallback_step_id: z.string().describe('What was done instead.'),
    outcome: StepOutcome,
    note: z.string().nullable().describe('What the technician noted.'),
    decided_at: Time.describe('When it was recorded.'),
  })
  .meta({
    id: 'FallbackStepRecord',
    examples: [{ step_id: 'snapshot', fallback_step_id: 'backup', outcome: 'done', note: null, decided_at: '2026-11-21T09:31:00.000Z' }],
  })

export const CustomStepSource = z
  .enum(['ad-hoc', 'step-library', 'forked-tree'])
  .describe('Thought up on the spot, taken from the step library, or taken from another flow.')
const CustomStep = z
  .strictObject({
    id: Id,
    source: CustomStepSource,
    after_step_id: z.string().describe('The step it was done after.'),
    title: z.string().describe('What was done.'),
    description: z.string().describe('How it was done; markdown.'),
    library_step_id: Id.nullable().describe('The library step it was taken from.'),
    tree_id: Id.nullable().describe('The flow it was taken from.'),
    node_id: z.string().nullable().describe('The node or step of that flow.'),
    created_at: Time,
  })
  .meta({
    id: 'SessionCustomStep',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e31',
        source: 'ad-hoc',
        after_step_id: 'ping',
        title: 'Asked whether the printer was moved',
        description: '',
        library_step_id: null,
        tree_id: null,
        node_id: null,
        created_at: '2026-11-21T09:30:20.000Z',
      },
    ],
  })

const words = z.strictObject({
  id: z.string().describe('Of the fallback step.'),
  title: z.string().describe('What to do instead, filled.'),
  description: z.string().describe('How to do it, filled; markdown.'),
})
const CurrentStep = z
  .strictObject({
    id: z.string().describe('Of the step.'),
    type: z.string().describe('`decision`, `action`, `solution` or `procedure_step`.'),
    title: z.string().describe('What to do or to find out, filled from the variables.'),
    description: z.string().describe('How, filled from the variables; markdown.'),
    options: z
      .array(z.strictObject({ id: z.string().describe('Of the option.'), label: z.string().describe('What it says.') }))
      .describe('Of a decision: what may be chosen.'),
    fallback_steps: z.array(words).describe('What to try when the step does not work out.'),
  })
  .meta({
    id: 'SessionCurrentStep',
    examples: [
      { id: 'queue', type: 'action', title: 'Clear the print queue of 10.0.8.21', description: '', options: [], fallback_steps: [] },
    ],
  })

const Progress = z.strictObject({
  answered: z.int().describe('Steps answered.'),
  total: z.int().describe('Steps in all; in a tree those answered and the longest way that is left.'),
  percent: z.int().describe('0 to 100; 100 only once every step is answered.'),
})

const snapshot = {
  name: z.string().describe('What the flow was called.'),
  description: z.string().describe('What it was for.'),
  category: z.string().nullable().describe('Its category’s name.'),
  version: z.int().describe('The version that is run.'),
  tree_type: TreeType,
}

const fields = {
  id: Id,
  account_id: Id,
  team_id: Id.nullable().describe('The team of whoever began it.'),
  user_id: Id.describe('Whose session it is.'),
  user_name: z.string().nullable().describe('Their name.'),
  tree_id: Id.describe('The flow; it may have changed or gone since.'),
  state: State,
  ticket_number: z.string().nullable().describe('The ticket it is for.'),
  client_name: z.string().nullable().describe('The client it is for.'),
  outcome: Outcome.nullable().describe('What came of it; null until it is completed.'),
  batch_id: Id.nullable().describe('The batch it is of.'),
  target_label: z.string().nullable().describe('The target it is run on.'),
  current_step_id: z.string().nullable().describe('The step to answer next; null before the start and at the end.'),
  progress: Progress.describe('How far it has come.'),
  exported_at: Time.nullable().describe('When it was first exported after its completion.'),
  started_at: Time.nullable().describe('When it was started; null while it is prepared.'),
  completed_at: Time.nullable().describe('When it was completed.'),
  created_at: Time,
}

export const exampleItem = {
  id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e30',
  account_id: exampleIds.account,
  team_id: exampleIds.team,
  user_id: exampleIds.user,
  user_name: 'Dana Reyes',
  tree_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e01',
  tree_snapshot: {
    name: 'Printer offline',
    description: 'A network printer shows as offline.',
    category: 'Printing',
    version: 3,
    tree_type: 'troubleshooting' as const,
  },
  state: 'in_progress' as const,
  ticket_number: 'T-48213',
  client_name: 'Contoso Dental',
  outcome: null,
  batch_id: null,
  target_label: null,
  current_step_id: 'cable',
  progress: { answered: 0, total: 1, percent: 0 },
  exported_at: null,
  started_at: '2026-11-21T09:30:00.000Z',
  completed_at: null,
  created_at: '2026-11-21T09:30:00.000Z',
}

export const SessionListItem = z
  .strictObject({ ...fields, tree_snapshot: z.strictObject(snapshot).describe('The flow as it was at the start.') })
  .meta({ id: 'SessionListItem', examples: [exampleItem] })
export type SessionListItem = z.infer<typeof SessionListItem>

export const Session = z
  .strictObject({
    ...fields,
    tree_snapshot: z
      .strictObject({
        ...snapshot,
        tree_structure: TreeStructure.describe('Its root node or its steps, placeholders unfilled.'),
        intake_form: IntakeForm,
      })
      .describe('The flow as it was at the start.'),
    variables: JsonByName.describe('What the texts are filled with.'),
    current_step: CurrentStep.nullable().describe('The current step with its placeholders filled; null when there is none.'),
    decisions: z.array(Decision).describe('The way so far, in its order.'),
    fallback_decisions: z.array(FallbackRecord).describe('Fallback steps that were used.'),
    custom_steps: z.array(CustomStep).describe('What was done that the flow does not say.'),
    notes: z.string().nullable().describe('What is to be known about it.'),
    next_steps: z.string().nullable().describe('What is left to do.'),
  })
  .meta({
    id: 'SessionResponse',
    examples: [
      {
        ...exampleItem,
        tree_snapshot: {
          ...exampleItem.tree_snapshot,
          tree_structure: { id: 'cable', type: 'solution', title: 'Reseat the cable of {{printer_ip}}', description: '' },
          intake_form: [{ key: 'printer_ip', label: 'Address of the printer', type: 'ip', required: true }],
        },
        variables: { printer_ip: '10.0.8.21' },
        current_step: {
          id: 'cable',
          type: 'solution',
          title: 'Reseat the cable of 10.0.8.21',
          description: '',
          options: [],
          fallback_steps: [],
        },
        decisions: [],
        fallback_decisions: [],
        custom_steps: [],
        notes: null,
        next_steps: null,
      },
    ],
  })
export type Session = z.infer<typeof Session>

const Part = z.string().trim().min(1).max(200)
export const SessionQuery = z.strictObject({
  ticket_number: Part.optional().describe('Part of the ticket number, in any case.'),
  client_name: Part.optional().describe('Part of the client’s name, in any case.'),
  tree_name: Part.optional().describe('Part of the flow’s name as it was at the start, in any case.'),
  started_after: Instant.optional().describe('Started then or later.'),
  started_before: Instant.optional().describe('Started then or earlier.'),
  completed_after: Instant.optional().describe('Completed then or later.'),
  completed_before: Instant.optional().describe('Completed then or earlier.'),
  batch_id: Id.optional().describe('Only sessions of this batch.'),
})
export type SessionQuery = z.infer<typeof SessionQuery>

const given = {
  tree_id: Id.describe('A published flow that I see.'),
  ticket_number: Name.optional().describe('The ticket it is for.'),
  client_name: Name.optional().describe('The client it is for.'),
  variables: Variables.optional(),
}
const exampleStart = {
  tree_id: exampleItem.tree_id,
  ticket_number: 'T-48213',
  client_name: 'Contoso Dental',
  variables: { printer_ip: '10.0.8.21' },
}

export const SessionStart = z.strictObject(given).meta({ id: 'SessionStart', examples: [exampleStart] })
export type SessionStart = z.infer<typeof SessionStart>

export const SessionPrepare = z
  .strictObject({ ...given, target_label: TargetLabel.optional().describe('The target it will be run on.') })
  .meta({ id: 'SessionPrepare', examples: [{ ...exampleStart, target_label: 'PRN-2F-03' }] })
export type SessionPrepare = z.infer<typeof SessionPrepare>

export const PreparedStart = z
  .strictObject({ variables: Variables.optional() })
  .prefault({})
  .meta({ id: 'PreparedSessionStart', examples: [{ variables: { printer_ip: '10.0.8.21' } }] })

export const VariablesAnswer = Variables.meta({ id: 'SessionVariables', examples: [{ printer_ip: '10.0.8.21', floor: 2 }] })

export const VariablesUpdate = Variables.describe('Variables to set; null removes one, and any other is kept as it is.').meta({
  id: 'SessionVariablesUpdate',
  examples: [{ printer_ip: '10.0.8.22' }],
})

export const SessionVariables = JsonByName.describe('All variables of the session as they are now.').meta({
  id: 'SessionVariablesResponse',
  examples: [{ printer_ip: '10.0.8.22', floor: 2 }],
})

export const SessionUpdate = z
  .strictObject({
    ticket_number: Name.nullable().describe('The ticket it is for; null for none.'),
    client_name: Name.nullable().describe('The client it is for; null for none.'),
    notes: Note.nullable().describe('What is to be known about it.'),
    next_steps: Note.nullable().describe('What is left to do.'),
    state: z.literal('abandoned').describe('Gives up a session that is prepared or in progress.'),
  })
  .partial()
  .meta({ id: 'SessionUpdate', examples: [{ ticket_number: 'T-48213', notes: 'The client calls back at noon.' }] })
export type SessionUpdate = z.infer<typeof SessionUpdate>
