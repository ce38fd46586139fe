import * as z from 'zod'
import { RequestComment } from '#functions/sessions/approvals/schemas.ts'
import { Id } from '#http/fields.ts'

export const ScriptApprovalRequest = z
  .strictObject({
    session_id: Id.describe('A session in progress that I may change.'),
    parameters: z
      .record(z.string().max(60), z.unknown())
      .default({})
      .describe('Values by parameter name, as for the rendering.'),
    comment: RequestComment,
  })
  .meta({ id: 'ScriptApprovalRequest' })
export type ScriptApprovalRequest = z.infer<typeof ScriptApprovalRequest>
