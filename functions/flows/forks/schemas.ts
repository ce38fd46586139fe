import * as z from 'zod'
import { Name } from '#http/fields.ts'

export const ForkCreate = z
  .strictObject({
    name: Name.optional().describe('Name of the fork; the name of the flow by default.'),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(2000)
      .optional()
      .describe('Why the flow is forked.')
      .meta({ example: 'Our printers sit behind another print server' }),
  })
  .prefault({})
  .meta({ id: 'ForkCreate' })
export type ForkCreate = z.infer<typeof ForkCreate>
