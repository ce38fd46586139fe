import * as z from 'zod'
import { Id, Text, Time } from '#http/fields.ts'
import { Uuid } from '#rules/uuid.ts'

export const ItemId = z.object({
  session_id: Uuid.describe('Id of the session.'),
  item_id: Uuid.describe('Id of the item.'),
})
export const SessionStepId = z.object({
  session_id: Uuid.describe('Id of the session.'),
  step_id: z.string().min(1).max(100).describe('Id of the step in its flow.'),
})

const Kind = z
  .enum(['text', 'screenshot'])
  .meta({ id: 'SupportingDataKind' })
  .describe('`text`: a text. `screenshot`: a screenshot, whose image may be uploaded later.')
const Title = z.string().trim().min(1).max(300).describe('Title of the item.')
const Content = Text.describe('The text, or a comment on the screenshot.')
const UploadId = Id.describe('The uploaded image of a screenshot.')
const StepId = z.string().min(1).max(100).describe('The step of the flow that it belongs to.')

export const SupportingItem = z
  .strictObject({
    id: Id,
    session_id: Id.describe('The session that it belongs to.'),
    kind: Kind,
    title: z.string().describe('Title of the item.').meta({ example: 'Output of ping' }),
    content: z
      .string()
      .nullable()
      .describe('The text, or a comment on the screenshot.')
      .meta({ example: '4 packets transmitted, 0 received' }),
    upload_id: Id.nullable().describe('The uploaded image of a screenshot.'),
    step_id: z.string().nullable().describe('The step of the flow that it belongs to.'),
    created_by: Id.describe('The user who added it.'),
    created_by_name: z.string().nullable().describe('The name of that user.'),
    created_at: Time,
    updated_at: Time.describe('When it last changed.'),
  })
  .meta({ id: 'SupportingDataResponse' })
export type SupportingItem = z.infer<typeof SupportingItem>

export const SupportingCreate = z
  .strictObject({
    kind: Kind,
    title: Title.meta({ example: 'Output of ping' }),
    content: Content.optional().meta({ example: '0 received' }),
    upload_id: UploadId.optional(),
    step_id: StepId.optional(),
  })
  .superRefine(({ kind, content, upload_id }, ctx) => {
    if (kind === 'text' && content === undefined)
      ctx.addIssue({ code: 'custom', path: ['content'], message: 'is required for a text' })
    if (kind === 'text' && upload_id !== undefined)
      ctx.addIssue({ code: 'custom', path: ['upload_id'], message: 'must be absent for a text' })
  })
  .meta({ id: 'SupportingDataCreate' })
export type SupportingCreate = z.infer<typeof SupportingCreate>

export const SupportingUpdate = z
  .strictObject({
    title: Title.meta({ example: 'Output of ping, before the repair' }),
    content: Content.nullable().describe(
      'The text, or a comment on the screenshot. Null removes a comment; a text must keep its content.',
    ),
    upload_id: UploadId.nullable().describe('The uploaded image of a screenshot; null removes it.'),
    step_id: StepId.nullable().describe('The step of the flow that it belongs to; null for none.'),
  })
  .partial()
  .meta({ id: 'SupportingDataUpdate' })
export type SupportingUpdate = z.infer<typeof SupportingUpdate>

export const RatingPut = z
  .strictObject({
    score: z.int().min(1).max(5).describe('Satisfaction of the client; 5 is the best.').meta({ example: 5 }),
    comment: z
      .string()
      .max(20_000)
      .optional()
      .describe('Comment of the client.')
      .meta({ example: 'Fast and friendly' }),
  })
  .meta({ id: 'SessionRatingPut' })
export type RatingPut = z.infer<typeof RatingPut>

export const Rating = z
  .strictObject({
    score: z.int().describe('Satisfaction of the client, from 1 to 5.').meta({ example: 5 }),
    comment: z.string().nullable().describe('Comment of the client.').meta({ example: 'Fast and friendly' }),
    rated_by: Id.describe('The user who entered the rating.'),
    rated_by_name: z.string().nullable().describe('The name of that user.').meta({ example: 'Dana Reyes' }),
    rated_at: Time.describe('When the rating was entered.'),
  })
  .meta({ id: 'SessionRatingResponse' })
export type Rating = z.infer<typeof Rating>

export const FeedbackPut = z
  .strictObject({
    helpful: z.boolean().describe('Whether the step helped.'),
    comment: z.string().max(20_000).optional().describe('What could be better.'),
  })
  .meta({ id: 'StepFeedbackPut' })
export type FeedbackPut = z.infer<typeof FeedbackPut>

export const StepFeedback = z
  .strictObject({
    step_id: z.string().describe('The rated step.'),
    user_id: Id.describe('The user who rated it.'),
    helpful: z.boolean().describe('Whether the step helped.'),
    comment: z.string().nullable().describe('What could be better.'),
    given_at: Time.describe('When it was rated.'),
  })
  .meta({ id: 'StepFeedbackResponse' })
export type StepFeedback = z.infer<typeof StepFeedback>
