import { z } from 'zod'
import { exampleIds, Id, PageUrl, Text, Time } from '../../lib/http/fields.ts'

const createdAt = '2026-11-21T09:30:00.000Z'
const exampleFeedback = {
  subject: 'Keyboard shortcuts',
  message: 'I would like to answer a step with the number keys.',
  page_url: 'https://app.supportflow.example/sessions/1',
}

export const FeedbackCreate = z
  .strictObject({
    subject: z.string().trim().min(1).max(300).describe('What it is about, in a few words.'),
    message: Text.describe('What they have to say.'),
    page_url: PageUrl.optional().describe('The page they were on.'),
  })
  .meta({ id: 'FeedbackCreate', examples: [exampleFeedback] })
export type FeedbackCreate = z.infer<typeof FeedbackCreate>

export const Feedback = z
  .strictObject({
    id: Id,
    subject: z.string().describe('What it is about.'),
    message: z.string().describe('What they have to say.'),
    page_url: z.string().nullable().describe('The page they were on.'),
    created_at: Time,
  })
  .meta({ id: 'FeedbackResponse', examples: [{ id: exampleIds.entry, ...exampleFeedback, created_at: createdAt }] })
export type Feedback = z.infer<typeof Feedback>

export const Reaction = z.enum(['positive', 'neutral', 'negative']).describe('How they feel about it.')
export const Category = z.enum(['general', 'bug', 'idea', 'ui', 'ai', 'performance']).describe('What it is about.')

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
    text: Text.describe('What they have to say.'),
    page_url: PageUrl.optional().describe('The page they were on.'),
    ai_session_id: z.uuid().optional().describe('The AI session it is about.'),
  })
  .meta({ id: 'BetaFeedbackCreate', examples: [exampleBeta] })
export type BetaFeedbackCreate = z.infer<typeof BetaFeedbackCreate>

export const BetaFeedback = z
  .strictObject({
    id: Id,
    account_id: Id.describe('The account of whoever said it.'),
    account_name: z.string().describe('The name of that account.'),
    user_id: Id.describe('Who said it.'),
    user_name: z.string().describe('The name of that person.'),
    reaction: Reaction,
    category: Category,
    text: z.string().describe('What they have to say.'),
    page_url: z.string().nullable().describe('The page they were on.'),
    ai_session_id: Id.nullable().describe('The AI session it is about.'),
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
        created_at: createdAt,
      },
    ],
  })
export type BetaFeedback = z.infer<typeof BetaFeedback>

export const BetaFeedbackQuery = z.strictObject({
  reaction: Reaction.optional().describe('Of one feeling only.'),
  category: Category.optional().describe('About one thing only.'),
  account_id: z.uuid().optional().describe('Of one account only, for a super admin.'),
  user_id: z.uuid().optional().describe('Of one person only.'),
  ai_session_id: z.uuid().optional().describe('About one AI session only.'),
  created_after: z.iso.datetime({ offset: true }).optional().describe('From this moment on.'),
  created_before: z.iso.datetime({ offset: true }).optional().describe('Before this moment.'),
})
export type BetaFeedbackQuery = z.infer<typeof BetaFeedbackQuery>
