import * as z from 'zod'
import { Id, Time } from '#http/fields.ts'
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
      .describe('What would have been right.')
      .meta({ example: 'The queue was paused on the server.' }),
  })
  .meta({ id: 'AIFeedbackPut' })
export type FeedbackPut = z.infer<typeof FeedbackPut>

export const Feedback = z
  .strictObject({
    id: Id,
    session_id: Id,
    subject: FeedbackSubject,
    subject_id: Id.describe('Id of the message, step, fix or handoff.'),
    user_id: Id.describe('Who gave it.'),
    helpful: z.boolean().describe('Whether it helped.'),
    correction: z
      .string()
      .nullable()
      .describe('What would have been right.')
      .meta({ example: 'The queue was paused on the server.' }),
    prompt: z
      .string()
      .nullable()
      .describe('The prompt that wrote the answer; null if its call is no longer known.')
      .meta({ example: 'chat_turn' }),
    prompt_version: z.int().nullable().describe('The version of the prompt.').meta({ example: 5 }),
    model: z.string().nullable().describe('The model that answered.').meta({ example: 'gpt-6.1-terra' }),
    given_at: Time.describe('When it was given or changed.'),
  })
  .meta({ id: 'AIFeedback' })
export type Feedback = z.infer<typeof Feedback>
