import * as z from 'zod'
import { exampleIds, Id, InputTime, PageUrl, Text, Time } from '#http/fields.ts'
import { Uuid } from '#rules/uuid.ts'

const exampleTime = '2026-11-21T09:30:00.000Z'
const exampleFeedback = {
  subject: 'Keyboard shortcuts',
  message: 'I would like to answer a step with the number keys.',
  page_url: 'https://app.supportflow.example/sessions/1',
}

export const FeedbackCreate = z
  .strictObject({
    subject: z.string().trim().min(1).max(300).describe('The subject, in a few words.'),
    message: Text.describe('The feedback.'),
    page_url: PageUrl.optional().describe('The page that the user was on.'),
  })
  .meta({ id: 'FeedbackCreate', examples: [exampleFeedback] })
export type FeedbackCreate = z.infer<typeof FeedbackCreate>

export const Feedback = z
  .strictObject({
    id: Id,
    subject: z.string().describe('The subject.'),
    message: z.string().describe('The feedback.'),
    page_url: z.string().nullable().describe('The page that the user was on.'),
    created_at: Time,
  })
  .meta({
    id: 'FeedbackResponse',
    examples: [{ id: exampleIds.entry, ...exampleFeedback, created_at: exampleTime }],
  })
export type Feedback = z.infer<typeof Feedback>

export const Reaction = z
  .enum(['positive', 'neutral', 'negative'])
  .meta({ id: 'BetaReaction' })
  .describe('The reaction of the user.')
export const Category = z
  .enum(['general', 'bug', 'idea', 'ui', 'ai', 'performance'])
  .meta({ id: 'BetaFeedbackCategory' })
  .describe('What the feedback is about.')

const exampleBeta = {
  reaction: 'positive' as const,
  category: 'ai' as const,
  text: 'The second question found the cause at once.',
  page_url: 'https://app.supportflow.example/pilot/1',
  ai_session_id: exampleIds.entry,
}

export const BetaFeedbackCreate = z
  .strictObject({
    reaction: Reaction,
    category: Category,
    text: Text.describe('The feedback.'),
    page_url: PageUrl.optional().describe('The page that the user was on.'),
    ai_session_id: Uuid.optional().describe('The AI session that the feedback is about.'),
  })
  .meta({ id: 'BetaFeedbackCreate', examples: [exampleBeta] })
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
    text: z.string().describe('The feedback.'),
    page_url: z.string().nullable().describe('The page that the user was on.'),
    ai_session_id: Id.nullable().describe('The AI session that the feedback is about.'),
    created_at: Time,
  })
  .meta({
    id: 'BetaFeedbackResponse',
    examples: [
      {
        id: exampleIds.entry,
        account_id: exampleIds.account,
        account_name: 'Northwind IT',
        user_id: exampleIds.user,
        user_name: 'Dana Reyes',
        ...exampleBeta,
        created_at: exampleTime,
      },
    ],
  })
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
