import { z } from 'zod'
import { Id, Name } from '../../../lib/http/fields.ts'
import { CustomStepSource, exampleItem, Instant, Outcome, StepOutcome } from '../sessions/schemas.ts'

const Note = z.string().max(20_000)
const StepId = z.string().min(1).max(100)

const Fallback = z
  .strictObject({
    fallback_step_id: StepId.describe('One of the step’s fallback steps.'),
    outcome: StepOutcome,
    note: Note.optional().describe('What is to be noted.'),
  })
  .describe('A fallback step that was used. Without an answer beside it the session stays where it is.')

export const Decide = z
  .strictObject({
    step_id: StepId.describe('The step that is answered; it must be the current one.'),
    option_id: StepId.optional().describe('Of a decision: the option that was chosen.'),
    outcome: StepOutcome.optional().describe('Of any other step: how it went.'),
    note: Note.optional().describe('What is to be noted.'),
    started_at: Instant.optional().describe('When work on the step began; when the step before it was answered, if not said.'),
    duration_seconds: z.int().min(0).max(31_536_000).optional().describe('How long it took; until now, if not said.'),
    fallback: Fallback.optional(),
  })
  .superRefine(({ option_id, outcome, fallback, note, started_at, duration_seconds }, ctx) => {
    const say = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message })
    if (option_id !== undefined && outcome !== undefined) say('outcome', 'Not together with option_id')
    if (option_id !== undefined || outcome !== undefined) return
    if (!fallback) say('outcome', 'Answer with an option_id or an outcome, or record a fallback')
    for (const [path, value] of Object.entries({ note, started_at, duration_seconds }))
      if (fallback && value !== undefined) say(path, 'Belongs to an answer; a fallback has a note of its own')
  })
  .meta({ id: 'SessionDecisionCreate', examples: [{ step_id: 'ping', option_id: 'yes', duration_seconds: 40 }] })
export type Decide = z.infer<typeof Decide>

export const CustomStepCreate = z
  .strictObject({
    source: CustomStepSource,
    after_step_id: StepId.optional().describe('The step of the flow it was done after; the current one, if not said.'),
    title: z.string().trim().min(1).max(300).optional().describe('What was done; the title of where it comes from, if not said.'),
    description: Note.optional().describe('How it was done; markdown. That of where it comes from, if not said.'),
    library_step_id: Id.optional().describe('Of `step-library`: the step of the library.'),
    tree_id: Id.optional().describe('Of `forked-tree`: the flow it is taken from.'),
    node_id: StepId.optional().describe('Of `forked-tree`: the node or step of that flow.'),
  })
  .superRefine((given, ctx) => {
    const needed = { 'ad-hoc': ['title'], 'step-library': ['library_step_id'], 'forked-tree': ['tree_id', 'node_id'] }[given.source]
    const say = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message })
    for (const field of needed)
      if (given[field as keyof typeof given] === undefined) say(field, `A step of source ${given.source} needs it`)
    for (const field of ['library_step_id', 'tree_id', 'node_id'] as const)
      if (given[field] !== undefined && !needed.includes(field)) say(field, `A step of source ${given.source} has none`)
  })
  .meta({ id: 'SessionCustomStepCreate', examples: [{ source: 'ad-hoc', title: 'Asked whether the printer was moved' }] })
export type CustomStepCreate = z.infer<typeof CustomStepCreate>

export const Complete = z
  .strictObject({
    outcome: Outcome,
    notes: Note.optional().describe('What is to be known about it; those it has stay, if not said.'),
    next_steps: Note.optional().describe('What is left to do; what it has stays, if not said.'),
  })
  .meta({ id: 'SessionComplete', examples: [{ outcome: 'resolved', notes: 'The cable was loose.' }] })
export type Complete = z.infer<typeof Complete>

export const SaveAsTree = z
  .strictObject({
    name: Name.describe('What the new flow is called.'),
    description: Note.optional().describe('What it is for; that of the session’s flow, if not said.'),
  })
  .meta({ id: 'SessionSaveAsTree', examples: [{ name: `${exampleItem.tree_snapshot.name} after a move` }] })
export type SaveAsTree = z.infer<typeof SaveAsTree>
