import * as z from 'zod'
import { Id, idParams, Time } from '#http/fields.ts'

export const AiSessionId = idParams('session_id', 'AI session')

export const Reminder = z
  .strictObject({
    id: Id,
    handoff_id: Id.describe('Id of the handoff with which the session was escalated.'),
    round: z.int().describe('The round of the escalation policy, from 1.'),
    step: z.int().describe('The step of the round, from 1.'),
    state: z
      .enum(['waiting', 'sent', 'unreached', 'stopped', 'failed'])
      .meta({ id: 'ReminderState' })
      .describe(
        '`waiting`: it is not due yet. `sent`: people or channels were notified. `unreached`: there was nobody to notify, such as when no one was on call; the next step followed. `stopped`: somebody had taken the escalation. `failed`: it could not be taken.',
      ),
    due_at: Time.nullable().describe('When a waiting step is due; null for the others.'),
    taken_at: Time.nullable().describe(
      'When the step was taken; null before, and if it was stopped or failed.',
    ),
  })
  .meta({ id: 'EscalationReminder' })
