import * as z from 'zod'
import { caseFields, HandoffIntent, textEvents, Urgency } from '#functions/ai/sessions/schemas.ts'
import { Id } from '#http/fields.ts'
import type { EventData } from '#http/operation.ts'

const LongText = z.string().trim().max(20_000)

const fields = {
  target_user_id: Id.optional().describe('The colleague to notify. Any engineer may claim the handoff.'),
  reason: LongText.default('').describe('Why the session is handed over.'),
  summary: LongText.default('')
    .describe('The problem and its current state.')
    .meta({ example: 'Reception cannot print; the spooler of the server stops.' }),
  what_was_tried: LongText.default('').describe('What was tried, with the results.'),
  next_steps: LongText.default('').describe('What to do next.'),
  urgency: Urgency.default('normal').describe('How soon an engineer must look at it.'),
}

export const HandoffCreate = z
  .strictObject({
    intent: HandoffIntent.describe(
      '`park`: keep the session for myself. `escalate`: hand it over to a colleague.',
    ),
    ...fields,
  })
  .meta({ id: 'HandoffCreate' })
export type HandoffCreate = z.infer<typeof HandoffCreate>

export const HandoffEscalate = z.strictObject(fields).prefault({}).meta({ id: 'HandoffEscalate' })
export type HandoffEscalate = z.infer<typeof HandoffEscalate>

export const DraftEvents = {
  ...textEvents,
  draft: z
    .strictObject({
      ...caseFields,
      reason: z.string().describe('Why the session is handed over.'),
      urgency: Urgency,
    })
    .meta({ id: 'HandoffDraft' }),
}
export type DraftEvents = EventData<typeof DraftEvents>
