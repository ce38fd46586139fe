import * as z from 'zod'
import {
  CurrentStep,
  caseFields,
  JsonByName,
  Outcome,
  ProcedureEnd,
  Progress,
  State,
  StepOutcome,
  Variables,
} from '#functions/sessions/sessions/schemas.ts'
import { answerFields } from '#functions/sessions/steps/schemas.ts'
import { Id } from '#http/fields.ts'
import { Risk } from '#rules/scripts/schema.ts'

const maxAnswers = 500
const maxSubflows = 20

const kinds = ['option_id', 'outcome', 'fallback', 'custom_step', 'subflow', 'subflow_outcome'] as const

export const DryRunAnswer = z
  .strictObject({
    ...answerFields,
    is_approved: z
      .boolean()
      .optional()
      .describe(
        'Whether a colleague has approved the step. Without it, a step that must be approved refuses the answer.',
      ),
    custom_step: z
      .strictObject({
        title: z
          .string()
          .trim()
          .min(1)
          .max(300)
          .describe('What was done.')
          .meta({ example: 'Asked whether the printer was moved' }),
      })
      .optional()
      .describe('A step that is not part of the flow, done after `step_id`. The current step stays.'),
    subflow: z
      .strictObject({
        variables: Variables.optional().describe(
          'Variables of the sub-flow. They override those that the step passes.',
        ),
      })
      .optional()
      .describe(
        'Starts the flow that the step runs. The next answers are to its steps, until `subflow_outcome`.',
      ),
    subflow_outcome: Outcome.optional().describe(
      'Completes the sub-flow that `step_id` runs with this outcome.',
    ),
  })
  .superRefine((answer, ctx) => {
    const addError = (path: string, message: string) =>
      ctx.addIssue({ code: 'custom', path: [path], message })
    const [kind, ...others] = kinds.filter((field) => answer[field] !== undefined)
    const mayCombine = (field: string) => field === 'fallback' && (kind === 'option_id' || kind === 'outcome')
    if (!kind) addError('outcome', `is required unless one of ${kinds.join(', ')} is set`)
    for (const field of others) if (!mayCombine(field)) addError(field, `must be absent when ${kind} is set`)
    if (kind === 'option_id' || kind === 'outcome') return
    for (const field of ['note', 'evidence', 'is_approved'] as const)
      if (answer[field] !== undefined) addError(field, 'must be absent without an option_id or an outcome')
  })
  .meta({ id: 'DryRunAnswer', example: { step_id: 'ping', option_id: 'no' } })
export type DryRunAnswer = z.infer<typeof DryRunAnswer>

const { ticket_number, client_name, variables } = caseFields
export const DryRunCreate = z
  .strictObject({
    version: z
      .int()
      .min(1)
      .max(2_147_483_647)
      .optional()
      .describe('The version to try; by default the current one, also a draft.')
      .meta({ example: 1 }),
    ticket_number,
    client_name,
    variables,
    answers: z
      .array(DryRunAnswer)
      .max(maxAnswers)
      .refine(
        (answers) => answers.filter(({ subflow }) => subflow).length <= maxSubflows,
        `must start at most ${maxSubflows} sub-flows`,
      )
      .default([])
      .describe(
        `The answers so far, in order: at most ${maxAnswers}, which start at most ${maxSubflows} sub-flows.`,
      ),
    outcome: Outcome.optional().describe('Completes the run with this outcome after the answers.'),
  })
  .prefault({})
  .meta({ id: 'DryRunCreate' })
export type DryRunCreate = z.infer<typeof DryRunCreate>

const flowFields = {
  tree_id: Id.describe('The flow.'),
  version: z.int().describe('The version of the flow.'),
}

const DryRunError = z
  .strictObject({
    index: z.int().describe('The position in `answers`; their number if the completion was refused.'),
    step_id: z.string().nullable().describe('The step of the answer.'),
    status: z.int().describe('The status with which a session refuses it.').meta({ example: 409 }),
    code: z
      .string()
      .nullable()
      .describe('The code of the error, if it has one.')
      .meta({ example: 'step_not_current' }),
    detail: z.string().describe('What is wrong.').meta({ example: 'The session is at another step' }),
    reason: z
      .string()
      .nullable()
      .describe('Why a sub-flow cannot be run.')
      .meta({ example: 'not_published' }),
    errors: z
      .array(
        z.strictObject({
          loc: z
            .array(z.union([z.string(), z.int()]))
            .describe('The place of the value in the request to a session.')
            .meta({ example: ['body', 'evidence', 'serial'] }),
          msg: z.string().describe('What is wrong.').meta({ example: 'is required by this step' }),
          type: z.string().describe('The type of the error.').meta({ example: 'missing' }),
        }),
      )
      .describe('The values that are wrong, of a 422.'),
  })
  .meta({ id: 'DryRunError' })
export type DryRunError = z.infer<typeof DryRunError>

const DryRunStep = z
  .strictObject({
    index: z.int().describe('The position in `answers`.'),
    type: z
      .enum(['answer', 'fallback', 'custom_step', 'subflow_start', 'subflow_end'])
      .meta({ id: 'DryRunStepType' })
      .describe(
        'What was recorded. `subflow_end`: a sub-flow was completed, and its outcome may answer the step.',
      ),
    tree_id: Id.describe('The flow that has the step.'),
    level: z.int().describe('0 for the flow itself, 1 for the flow that it runs, and so on.'),
    step_id: z.string().describe('The step.'),
    option_id: z.string().nullable().describe('The chosen option of a decision.'),
    outcome: StepOutcome.nullable().describe('The outcome of a step without options.'),
    fallback_step_id: z.string().nullable().describe('The fallback step that was used.'),
  })
  .meta({ id: 'DryRunStep' })
export type DryRunStep = z.infer<typeof DryRunStep>

const StepEffects = z
  .strictObject({
    required_note: z.boolean().describe('Whether an answer needs a note.'),
    required_approval: z.boolean().describe('Whether a colleague must approve the step first.'),
    script: z
      .strictObject({
        template_id: Id.describe('The script template.'),
        name: z
          .string()
          .nullable()
          .describe('Its name; null if I cannot see it, so that nothing is rendered.'),
        risk: Risk.nullable().describe(
          'Its risk. A script of `medium` or `high` risk is rendered only after an approval.',
        ),
      })
      .nullable()
      .describe('The script that is rendered at the step.'),
    subflow: z
      .strictObject({
        tree_id: Id.describe('The flow that the step runs.'),
        version: z.int().nullable().describe('The version that would start; null if it cannot be run.'),
        reason: z
          .string()
          .nullable()
          .describe('Why it cannot be run, as `subflow_unavailable` says it.')
          .meta({ example: 'not_published' }),
      })
      .nullable()
      .describe('The sub-flow that starts at the step.'),
  })
  .meta({ id: 'DryRunStepEffects' })
export type StepEffects = z.infer<typeof StepEffects>

export const DryRun = z
  .strictObject({
    ...flowFields,
    state: State,
    outcome: Outcome.nullable().describe('The outcome of the completed run; null until then.'),
    open_subflows: z
      .array(
        z.strictObject({
          ...flowFields,
          parent_step_id: z.string().describe('The step that runs it.').meta({ example: 'vpn' }),
        }),
      )
      .describe(
        'The sub-flows that the run is in, the outermost first. The current step is one of the last.',
      ),
    current_step_id: z
      .string()
      .nullable()
      .describe('The step to answer next; null at the end.')
      .meta({ example: 'cable' }),
    current_step: CurrentStep.nullable().describe(
      'The current step with its placeholders filled; null when there is none.',
    ),
    effects: StepEffects.nullable().describe(
      'What a session does at the current step; null when there is none.',
    ),
    procedure_end: ProcedureEnd,
    progress: Progress.describe('Progress in the flow of the current step.'),
    variables: JsonByName.describe(
      'The variables of the flow of the current step. A secret field shows `{"secret": true, "set": …}` only.',
    ),
    path: z.array(DryRunStep).describe('What a session would record, in order.'),
    errors: z
      .array(DryRunError)
      .describe('The answers that a session would refuse, in order. They change nothing.'),
  })
  .meta({ id: 'DryRun' })
export type DryRun = z.infer<typeof DryRun>
