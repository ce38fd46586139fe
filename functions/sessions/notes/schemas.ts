import * as z from 'zod'
import { exampleItem } from '#functions/sessions/sessions/schemas.ts'
import { exampleIds, Id, Text, Time } from '#http/fields.ts'
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
    title: z.string().describe('Title of the item.'),
    content: z.string().nullable().describe('The text, or a comment on the screenshot.'),
    upload_id: Id.nullable().describe('The uploaded image of a screenshot.'),
    step_id: z.string().nullable().describe('The step of the flow that it belongs to.'),
    created_by: Id.describe('The user who added it.'),
    created_by_name: z.string().nullable().describe('The name of that user.'),
    created_at: Time,
    updated_at: Time.describe('When it last changed.'),
  })
  .meta({
    id: 'SupportingDataResponse',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e33',
        session_id: exampleItem.id,
        kind: 'text',
        title: 'Output of ping',
        content: '4 packets transmitted, 0 received',
        upload_id: null,
        step_id: 'ping',
        created_by: exampleIds.user,
        created_by_name: 'Dana Reyes',
        created_at: '2026-11-21T09:31:00.000Z',
        updated_at: '2026-11-21T09:31:00.000Z',
      },
    ],
  })
export type SupportingItem = z.infer<typeof SupportingItem>

export const SupportingCreate = z
  .strictObject({
    kind: Kind,
    title: Title,
    content: Content.optional(),
    upload_id: UploadId.optional(),
    step_id: StepId.optional(),
  })
  .superRefine(({ kind, content, upload_id }, ctx) => {
    if (kind === 'text' && content === undefined)
      ctx.addIssue({ code: 'custom', path: ['content'], message: 'is required for a text' })
    if (kind === 'text' && upload_id !== undefined)
      ctx.addIssue({ code: 'custom', path: ['upload_id'], message: 'must be absent for a text' })
  })
  .meta({
    id: 'SupportingDataCreate',
    examples: [{ kind: 'text', title: 'Output of ping', content: '0 received', step_id: 'ping' }],
  })
export type SupportingCreate = z.infer<typeof SupportingCreate>

export const SupportingUpdate = z
  .strictObject({
    title: Title,
    content: Content.nullable().describe(
      'The text, or a comment on the screenshot. Null removes a comment; a text must keep its content.',
    ),
    upload_id: UploadId.nullable().describe('The uploaded image of a screenshot; null removes it.'),
    step_id: StepId.nullable().describe('The step of the flow that it belongs to; null for none.'),
  })
  .partial()
  .meta({ id: 'SupportingDataUpdate', examples: [{ title: 'Output of ping, before the repair' }] })
export type SupportingUpdate = z.infer<typeof SupportingUpdate>

export const RatingPut = z
  .strictObject({
    score: z.int().min(1).max(5).describe('Satisfaction of the client; 5 is the best.'),
    comment: z.string().max(20_000).optional().describe('Comment of the client.'),
  })
  .meta({ id: 'SessionRatingPut', examples: [{ score: 5, comment: 'Fast and friendly' }] })
export type RatingPut = z.infer<typeof RatingPut>

export const Rating = z
  .strictObject({
    score: z.int().describe('Satisfaction of the client, from 1 to 5.'),
    comment: z.string().nullable().describe('Comment of the client.'),
    rated_by: Id.describe('The user who entered the rating.'),
    rated_by_name: z.string().nullable().describe('The name of that user.'),
    rated_at: Time.describe('When the rating was entered.'),
  })
  .meta({
    id: 'SessionRatingResponse',
    examples: [
      {
        score: 5,
        comment: 'Fast and friendly',
        rated_by: exampleIds.user,
        rated_by_name: 'Dana Reyes',
        rated_at: '2026-11-21T10:00:00.000Z',
      },
    ],
  })
export type Rating = z.infer<typeof Rating>

export const FeedbackPut = z
  .strictObject({
    helpful: z.boolean().describe('Whether the step helped.'),
    comment: z.string().max(20_000).optional().describe('What could be better.'),
  })
  .meta({ id: 'StepFeedbackPut', examples: [{ helpful: true }] })
export type FeedbackPut = z.infer<typeof FeedbackPut>

export const StepFeedback = z
  .strictObject({
    step_id: z.string().describe('The rated step.'),
    user_id: Id.describe('The user who rated it.'),
    helpful: z.boolean().describe('Whether the step helped.'),
    comment: z.string().nullable().describe('What could be better.'),
    given_at: Time.describe('When it was rated.'),
  })
  .meta({
    id: 'StepFeedbackResponse',
    examples: [
      {
        step_id: 'ping',
        user_id: exampleIds.user,
        helpful: true,
        comment: null,
        given_at: '2026-11-21T10:00:00.000Z',
      },
    ],
  })
export type StepFeedback = z.infer<typeof StepFeedback>
