import * as z from 'zod'
import { Id, InputTime, PageUrl, Text, Time } from '#http/fields.ts'
import { Uuid } from '#rules/uuid.ts'

export const FeedbackCreate = z
  .strictObject({
    subject: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .describe('The subject, in a few words.')
      .meta({ example: 'Keyboard shortcuts' }),
    message: Text.describe('The feedback.').meta({
      example: 'I would like to answer a step with the number keys.',
    }),
    page_url: PageUrl.optional()
      .describe('The page that the user was on.')
      .meta({ example: 'https://app.supportflow.example/sessions/1' }),
  })
  .meta({ id: 'FeedbackCreate' })
export type FeedbackCreate = z.infer<typeof FeedbackCreate>

export const Feedback = z
  .strictObject({
    id: Id,
    subject: z.string().describe('The subject.').meta({ example: 'Keyboard shortcuts' }),
    message: z
      .string()
      .describe('The feedback.')
      .meta({ example: 'I would like to answer a step with the number keys.' }),
    page_url: z
      .string()
      .nullable()
      .describe('The page that the user was on.')
      .meta({ example: 'https://app.supportflow.example/sessions/1' }),
    created_at: Time,
  })
  .meta({ id: 'FeedbackResponse' })
export type Feedback = z.infer<typeof Feedback>

export const Reaction = z
  .enum(['positive', 'neutral', 'negative'])
  .meta({ id: 'BetaReaction' })
  .describe('The reaction of the user.')
export const Category = z
  .enum(['general', 'bug', 'idea', 'ui', 'ai', 'performance'])
  .meta({ id: 'BetaFeedbackCategory' })
  .describe('What the feedback is about.')

export const BetaFeedbackCreate = z
  .strictObject({
    reaction: Reaction,
    category: Category,
    text: Text.describe('The feedback.').meta({ example: 'The second question found the cause at once.' }),
    page_url: PageUrl.optional()
      .describe('The page that the user was on.')
      .meta({ example: 'https://app.supportflow.example/pilot/1' }),
    ai_session_id: Uuid.optional()
      .describe('The AI session that the feedback is about.')
      .meta({ example: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d19' }),
  })
  .meta({ id: 'BetaFeedbackCreate' })
export type BetaFeedbackCreate = z.infer<typeof BetaFeedbackCreate>

export const BetaFeedback = z
  .strictObject({
    id: Id,
    account_id: Id.describe('The account of the author.'),
    account_name: z.string().describe('The name of that account.'),
    user_id: Id.describe('The author.'),
    user_name: z.string().describe('The name of the author.'),
    reaction: Reaction,
    category: Category,
    text: z
      .string()
      .describe('The feedback.')
      .meta({ example: 'The second question found the cause at once.' }),
    page_url: z
      .string()
      .nullable()
      .describe('The page that the user was on.')
      .meta({ example: 'https://app.supportflow.example/pilot/1' }),
    ai_session_id: Id.nullable()
      .describe('The AI session that the feedback is about.')
      .meta({ example: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d19' }),
    created_at: Time,
  })
  .meta({ id: 'BetaFeedbackResponse' })
export type BetaFeedback = z.infer<typeof BetaFeedback>

export const BetaFeedbackQuery = z.strictObject({
  reaction: Reaction.optional().describe('Only this reaction.'),
  category: Category.optional().describe('Only this category.'),
  account_id: Uuid.optional().describe('Only this account. For super admins.'),
  user_id: Uuid.optional().describe('Only this author.'),
  ai_session_id: Uuid.optional().describe('Only this AI session.'),
  created_after: InputTime.optional().describe('Only feedback at or after this time.'),
  created_before: InputTime.optional().describe('Only feedback before this time.'),
})
export type BetaFeedbackQuery = z.infer<typeof BetaFeedbackQuery>
