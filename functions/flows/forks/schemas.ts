import { z } from 'zod'
import { Name } from '../../../lib/http/fields.ts'

export const ForkCreate = z
  .strictObject({
    name: Name.optional().describe('What the fork is called; the flow’s own name when not said.'),
    reason: z.string().trim().min(1).max(2000).optional().describe('Why it is forked.'),
  })
  .prefault({})
  .meta({ id: 'ForkCreate', examples: [{ reason: 'Our printers sit behind another print server' }] })
export type ForkCreate = z.infer<typeof ForkCreate>
