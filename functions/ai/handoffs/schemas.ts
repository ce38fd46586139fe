import { z } from 'zod'
import { exampleIds, Id } from '../../../lib/http/fields.ts'
import { Urgency } from '../sessions/schemas.ts'

const Told = z.string().trim().max(20_000)

const fields = {
  target_user_id: Id.optional().describe('The colleague it is aimed at, who is told of it; any engineer may take it all the same.'),
  reason: Told.default('').describe('Why.'),
  summary: Told.default('').describe('The problem and where it stands.'),
  what_was_tried: Told.default('').describe('What was done, with its results.'),
  next_steps: Told.default('').describe('What comes next.'),
  urgency: Urgency.default('normal').describe('How soon somebody must look at it.'),
}
const example = {
  target_user_id: exampleIds.user,
  reason: 'Needs rights on the print server.',
  summary: 'Reception cannot print; the spooler of the server stops.',
  what_was_tried: 'Restarted the spooler: partly.',
  next_steps: 'Replace the driver.',
  urgency: 'high' as const,
}

export const HandoffCreate = z
  .strictObject({ intent: z.enum(['park', 'escalate']).describe('To lay it aside for myself, or to give it to a colleague.'), ...fields })
  .meta({ id: 'HandoffCreate', examples: [{ intent: 'escalate', ...example }] })
export type HandoffCreate = z.infer<typeof HandoffCreate>

export const Escalate = z
  .strictObject(fields)
  .prefault({})
  .meta({ id: 'HandoffEscalate', examples: [example] })
export type Escalate = z.infer<typeof Escalate>
