import * as z from 'zod'
import { Flag, Id, idParams, Time } from '#http/fields.ts'

export const StepId = idParams('step_id', 'library step')

const StepType = z
  .enum(['action', 'solution', 'procedure_step'])
  .meta({ id: 'LibraryStepType' })
  .describe('Type of the step.')
const Title = z.string().trim().min(1).max(300).describe('What to do.')
const Description = z.string().max(20_000).describe('How to do it, in markdown.')

export const LibraryStep = z
  .strictObject({
    id: Id,
    title: z.string().describe('What to do.').meta({ example: 'Clear the print queue' }),
    description: z
      .string()
      .describe('How to do it, in markdown.')
      .meta({ example: 'Stop the spooler, empty its folder, start it again.' }),
    step_type: StepType,
    visibility: z
      .enum(['private', 'team', 'account'])
      .meta({ id: 'LibraryStepVisibilityShown' })
      .describe(
        'Who can find the step. `private`: its creator. `team`: also its team and account admins. `account`: the whole account.',
      ),
    is_flow_synced: z.boolean().describe('Whether the step belongs to a flow and can only be changed there.'),
    is_active: z
      .boolean()
      .describe('False if the flow of the step no longer contains it, became a draft or was deleted.'),
    source_tree_id: Id.nullable()
      .describe('The flow that the step belongs to.')
      .meta({ example: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e01' }),
    source_node_id: z
      .string()
      .nullable()
      .describe('The node or step in that flow.')
      .meta({ example: 'queue' }),
    source_tree_name: z
      .string()
      .nullable()
      .describe('The name of that flow when it was last published.')
      .meta({ example: 'Printer offline' }),
    team_id: Id.nullable().describe('The team it belongs to.'),
    created_by: Id.describe('The user who created it.'),
    created_at: Time,
    updated_at: Time.describe('When it last changed.'),
  })
  .meta({ id: 'LibraryStepResponse' })
export type LibraryStep = z.infer<typeof LibraryStep>

export const LibraryQuery = z.strictObject({
  search: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Words that must all occur in the title or description.'),
  synced: Flag.optional().describe(
    '`true`: only steps that belong to flows. `false`: only steps that were written for the library.',
  ),
  active: Flag.prefault('true').describe('`false` lists inactive steps instead.'),
})
export type LibraryQuery = z.infer<typeof LibraryQuery>

const fields = {
  title: Title.meta({ example: 'Restart the print spooler' }),
  description: Description,
  step_type: StepType,
  visibility: z
    .enum(['team', 'account'])
    .meta({ id: 'LibraryStepVisibility' })
    .describe(
      'Who can find the step. `team`: its creator, my team and account admins. `account`: the whole account.',
    )
    .meta({ example: 'account' }),
}

export const LibraryStepCreate = z
  .strictObject({
    ...fields,
    description: Description.default('').meta({ example: '`Restart-Service spooler`' }),
    step_type: StepType.default('procedure_step'),
    visibility: fields.visibility.default('team'),
  })
  .meta({ id: 'LibraryStepCreate' })
export type LibraryStepCreate = z.infer<typeof LibraryStepCreate>

export const LibraryStepUpdate = z.strictObject(fields).partial().meta({ id: 'LibraryStepUpdate' })
export type LibraryStepUpdate = z.infer<typeof LibraryStepUpdate>
