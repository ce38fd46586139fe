import * as z from 'zod'
import { exampleSessionId } from '#functions/ai/sessions/schemas.ts'
import { exampleIds, Id, Time } from '#http/fields.ts'
import { Uuid } from '#rules/uuid.ts'

const FeedbackSubject = z
  .enum(['reply', 'step', 'fix', 'assessment'])
  .meta({ id: 'AIFeedbackSubject' })
  .describe(
    'What the model wrote: a reply of a chat, a guided step, a suggested fix, or the assessment of a handoff.',
  )

export const FeedbackPut = z
  .strictObject({
    subject: FeedbackSubject,
    subject_id: Uuid.describe('Id of the message, step, fix or handoff.'),
    helpful: z.boolean().describe('Whether it helped.'),
    correction: z
      .string()
      .trim()
      .min(1)
      .max(4000)
      .nullable()
      .default(null)
      .describe('What would have been right.'),
  })
  .meta({
    id: 'AIFeedbackPut',
    examples: [
      {
        subject: 'reply',
        subject_id: exampleIds.entry,
        helpful: false,
        correction: 'The queue was paused on the server.',
      },
    ],
  })
export type FeedbackPut = z.infer<typeof FeedbackPut>

export const Feedback = z
  .strictObject({
    id: Id,
    session_id: Id,
    subject: FeedbackSubject,
    subject_id: Id.describe('Id of the message, step, fix or handoff.'),
    user_id: Id.describe('Who gave it.'),
    helpful: z.boolean().describe('Whether it helped.'),
    correction: z.string().nullable().describe('What would have been right.'),
    prompt: z
      .string()
      .nullable()
      .describe('The prompt that wrote the answer; null if its call is no longer known.'),
    prompt_version: z.int().nullable().describe('The version of the prompt.'),
    model: z.string().nullable().describe('The model that answered.'),
    given_at: Time.describe('When it was given or changed.'),
  })
  .meta({
    id: 'AIFeedback',
    examples: [
      {
        ...{
          id: exampleIds.upload,
          session_id: exampleSessionId,
          subject: 'reply',
          subject_id: exampleIds.entry,
          user_id: exampleIds.user,
        },
        ...{
          helpful: false,
          correction: 'The queue was paused on the server.',
          prompt: 'chat_turn',
          prompt_version: 5,
        },
        ...{ model: 'gpt-6.1-terra', given_at: '2026-11-26T03:12:00.000Z' },
      },
    ],
  })
export type Feedback = z.infer<typeof Feedback>
