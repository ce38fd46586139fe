import * as z from 'zod'
import { CustomStepSource, Instant, Outcome, StepOutcome } from '#functions/sessions/sessions/schemas.ts'
import { Id, Name } from '#http/fields.ts'

const Note = z.string().max(20_000)
const StepId = z.string().min(1).max(100)

/**
 * Values are checked against the requirements of the step later, so that one response reports all problems of
 * an answer.
 */
const EvidenceByKey = z
  .record(z.string().max(60), z.union([z.string().max(20_000), z.number(), z.boolean()]))
  .refine((values) => Object.keys(values).length <= 10, 'must have at most 10 keys')
  .describe('The evidence that the step requires, by its key. A screenshot is the id of an upload.')

const Fallback = z
  .strictObject({
    fallback_step_id: StepId.describe('One of the step’s fallback steps.'),
    outcome: StepOutcome,
    note: Note.optional().describe('Note of the technician.'),
  })
  .describe('A fallback step that was used. Without `option_id` or `outcome`, the current step stays.')

/** The fields of an answer. */
export const answerFields = {
  step_id: StepId.describe('The step to answer; it must be the current one.'),
  option_id: StepId.optional().describe('The chosen option of a decision.'),
  outcome: StepOutcome.optional().describe('The result of any other step.'),
  note: Note.optional().describe('Note of the technician.'),
  evidence: EvidenceByKey.optional(),
  fallback: Fallback.optional(),
}

export const DecisionCreate = z
  .strictObject({
    ...answerFields,
    started_at: Instant.optional().describe(
      'When work on the step started; by default when the previous step was answered or the session started. An earlier time is that time.',
    ),
    duration_seconds: z
      .int()
      .min(0)
      .max(31_536_000)
      .optional()
      .describe('Duration of the step; by default, and at most, the time from its start until now.'),
  })
  .superRefine(({ option_id, outcome, fallback, note, started_at, duration_seconds, evidence }, ctx) => {
    const addError = (path: string, message: string) =>
      ctx.addIssue({ code: 'custom', path: [path], message })
    if (option_id !== undefined && outcome !== undefined)
      addError('outcome', 'must be absent when option_id is set')
    if (option_id !== undefined || outcome !== undefined) return
    if (!fallback) addError('outcome', 'is required unless option_id or fallback is set')
    for (const [path, value] of Object.entries({ note, started_at, duration_seconds, evidence }))
      if (fallback && value !== undefined) addError(path, 'must be absent without an option_id or an outcome')
  })
  .meta({ id: 'SessionDecisionCreate' })
export type DecisionCreate = z.infer<typeof DecisionCreate>

export const CustomStepCreate = z
  .strictObject({
    source: CustomStepSource,
    after_step_id: StepId.optional().describe(
      'The step of the flow that it followed; by default the current step or, at the end of the flow, the last answered one.',
    ),
    title: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .optional()
      .describe('What was done; by default the title of the library step or node.')
      .meta({ example: 'Asked whether the printer was moved' }),
    description: Note.optional().describe(
      'How it was done, in markdown; by default the description of the library step or node.',
    ),
    library_step_id: Id.optional().describe('The library step, for source `step-library`.'),
    tree_id: Id.optional().describe('The flow that it comes from, for source `forked-tree`.'),
    node_id: StepId.optional().describe('The node or step of that flow, for source `forked-tree`.'),
  })
  .superRefine((input, ctx) => {
    const requiredFields = {
      'ad-hoc': ['title'],
      'step-library': ['library_step_id'],
      'forked-tree': ['tree_id', 'node_id'],
    }[input.source]
    const addError = (path: string, message: string) =>
      ctx.addIssue({ code: 'custom', path: [path], message })
    for (const field of requiredFields)
      if (input[field as keyof typeof input] === undefined)
        addError(field, `is required for source ${input.source}`)
    for (const field of ['library_step_id', 'tree_id', 'node_id'] as const)
      if (input[field] !== undefined && !requiredFields.includes(field))
        addError(field, `must be absent for source ${input.source}`)
  })
  .meta({
    id: 'SessionCustomStepCreate',
    example: { source: 'ad-hoc', title: 'Asked whether the printer was moved' },
  })
export type CustomStepCreate = z.infer<typeof CustomStepCreate>

export const SessionCompletion = z
  .strictObject({
    outcome: Outcome,
    notes: Note.optional()
      .describe('Notes about the session; by default unchanged.')
      .meta({ example: 'The cable was loose.' }),
    next_steps: Note.optional().describe('What remains to be done; by default unchanged.'),
  })
  .meta({ id: 'SessionComplete' })
export type SessionCompletion = z.infer<typeof SessionCompletion>

export const SaveAsTree = z
  .strictObject({
    name: Name.describe('Name of the new flow.').meta({ example: 'Printer offline after a move' }),
    description: Note.optional().describe('Purpose of the new flow; by default that of the session’s flow.'),
  })
  .meta({ id: 'SessionSaveAsTree' })
export type SaveAsTree = z.infer<typeof SaveAsTree>
