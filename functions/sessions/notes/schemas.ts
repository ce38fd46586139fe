import { z } from 'zod'
import { exampleIds, Id, Text, Time } from '../../../lib/http/fields.ts'
import { exampleItem } from '../sessions/schemas.ts'

export const ItemId = z.object({ session_id: z.uuid().describe('Id of the session.'), item_id: z.uuid().describe('Id of the item.') })
export const SessionStepId = z.object({
  session_id: z.uuid().describe('Id of the session.'),
  step_id: z.string().min(1).max(100).describe('Id of the step in its flow.'),
})

const Kind = z.enum(['text', 'screenshot']).describe('A snippet of text, or a picture or the place of one that is still to come.')
const Title = z.string().trim().min(1).max(300).describe('What it shows.')
const Content = Text.describe('The text, or what is to be said of the picture.')
const UploadId = Id.describe('Of a screenshot: the uploaded picture.')
const StepId = z.string().min(1).max(100).describe('The step of the flow it belongs to.')

export const SupportingItem = z
  .strictObject({
    id: Id,
    session_id: Id.describe('The session it belongs to.'),
    kind: Kind,
    title: z.string().describe('What it shows.'),
    content: z.string().nullable().describe('The text, or what is to be said of the picture.'),
    upload_id: Id.nullable().describe('The uploaded picture.'),
    step_id: z.string().nullable().describe('The step of the flow it belongs to.'),
    created_by: Id.describe('Who added it.'),
    created_by_name: z.string().nullable().describe('Their name.'),
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
    if (kind === 'text' && content === undefined) ctx.addIssue({ code: 'custom', path: ['content'], message: 'A text has content' })
    if (kind === 'text' && upload_id !== undefined) ctx.addIssue({ code: 'custom', path: ['upload_id'], message: 'A text has no picture' })
  })
  .meta({ id: 'SupportingDataCreate', examples: [{ kind: 'text', title: 'Output of ping', content: '0 received', step_id: 'ping' }] })
export type SupportingCreate = z.infer<typeof SupportingCreate>

export const SupportingUpdate = z
  .strictObject({
    title: Title,
    content: Content.nullable().describe('The text, or what is to be said of the picture; null for nothing, which a text cannot have.'),
    upload_id: UploadId.nullable().describe('Of a screenshot: the uploaded picture; null for one that is still to come.'),
    step_id: StepId.nullable().describe('The step of the flow it belongs to; null for none.'),
  })
  .partial()
  .meta({ id: 'SupportingDataUpdate', examples: [{ title: 'Output of ping, before the repair' }] })
export type SupportingUpdate = z.infer<typeof SupportingUpdate>

export const RatingPut = z
  .strictObject({
    score: z.int().min(1).max(5).describe('How satisfied the client is, 5 most.'),
    comment: z.string().max(20_000).optional().describe('What they said.'),
  })
  .meta({ id: 'SessionRatingPut', examples: [{ score: 5, comment: 'Fast and friendly' }] })
export type RatingPut = z.infer<typeof RatingPut>

export const Rating = z
  .strictObject({
    score: z.int().describe('1 to 5.'),
    comment: z.string().nullable().describe('What they said.'),
    rated_by: Id.describe('Who entered it.'),
    rated_by_name: z.string().nullable().describe('Their name.'),
    rated_at: Time.describe('When it was entered.'),
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
    helpful: z.boolean().describe('Thumbs up or down.'),
    comment: z.string().max(20_000).optional().describe('What could be better.'),
  })
  .meta({ id: 'StepFeedbackPut', examples: [{ helpful: true }] })
export type FeedbackPut = z.infer<typeof FeedbackPut>

export const StepFeedback = z
  .strictObject({
    step_id: z.string().describe('The step it is about.'),
    user_id: Id.describe('Whose opinion it is.'),
    helpful: z.boolean().describe('Thumbs up or down.'),
    comment: z.string().nullable().describe('What could be better.'),
    given_at: Time.describe('When it was given.'),
  })
  .meta({
    id: 'StepFeedbackResponse',
    examples: [{ step_id: 'ping', user_id: exampleIds.user, helpful: true, comment: null, given_at: '2026-11-21T10:00:00.000Z' }],
  })
export type StepFeedback = z.infer<typeof StepFeedback>
