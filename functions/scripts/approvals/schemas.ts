import * as z from 'zod'
import { Id } from '#http/fields.ts'

export const ScriptApprovalRequest = z
  .strictObject({
    session_id: Id.describe('A session in progress that I may change.'),
    parameters: z
      .record(z.string().max(60), z.unknown())
      .default({})
      .describe('Values by parameter name, as for the rendering.'),
    comment: z.string().trim().min(1).max(2000).optional().describe('What the approvers should know.'),
  })
  .meta({
    id: 'ScriptApprovalRequest',
    examples: [
      {
        session_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e30',
        parameters: { service: 'Spooler' },
        comment: 'Agreed by phone.',
      },
    ],
  })
export type ScriptApprovalRequest = z.infer<typeof ScriptApprovalRequest>
