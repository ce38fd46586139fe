import * as z from 'zod'
import { FlowProblem } from '#functions/flows/trees/schemas.ts'
import { Id } from '#http/fields.ts'

export const ImportResult = z
  .strictObject({
    tree_id: Id.describe('The new flow.'),
    name: z.string().describe('Name of the flow.'),
    status: z.literal('draft').describe('An imported flow is always a draft.'),
    category_created: z.boolean().describe('Whether the category of the flow was created.'),
    tags_created: z
      .array(z.string())
      .describe('The tags that no flow of the account that I can see had before.')
      .meta({ example: ['printer'] }),
    warnings: z.array(FlowProblem).describe('Problems that prevent publishing, and other warnings.'),
  })
  .meta({ id: 'FlowImportResponse' })
