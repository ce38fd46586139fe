import * as z from 'zod'
import { Id } from '#http/fields.ts'

export const ScriptApprovalRequest = z
  .strictObject({
    session_id: Id.describe('A session in progress that I may change.'),
    parameters: z
      .record(z.string().max(60), z.unknown())
      .default({})
      .describe('Values by parameter name, as for the rendering.'),
    comment: z
      .string()
      .trim()
      .min(1)
      .max(2000)
      .optional()
      .describe('What the approvers should know.')
      .meta({ example: 'Agreed by phone.' }),
  })
  .meta({ id: 'ScriptApprovalRequest' })
export type ScriptApprovalRequest = z.infer<typeof ScriptApprovalRequest>
