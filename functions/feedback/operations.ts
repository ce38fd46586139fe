import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as feedback from './service.ts'

export const feedbackOperations = [
  operation({
    id: 'feedback.create',
    route: 'POST /feedback',
    summary: 'Send feedback',
    description:
      'Sends an e-mail to the platform, if it has a feedback address, and a receipt to the author.',
    access: 'user',
    limit: '10/minute',
    strictLimit: 'mail',
    body: schemas.FeedbackCreate,
    returns: schemas.Feedback,
    handle: ({ ctx, body }) => feedback.create(ctx, body),
  }),

  operation({
    id: 'feedback.createBeta',
    route: 'POST /feedback/beta',
    summary: 'Send beta feedback',
    description: 'Stores what I think of the service for the people who build it.',
    access: 'user',
    limit: '10/minute',
    body: schemas.BetaFeedbackCreate,
    returns: schemas.BetaFeedback,
    handle: ({ ctx, body }) => feedback.createBeta(ctx, body),
  }),

  operation({
    id: 'feedback.listBeta',
    route: 'GET /feedback/beta',
    summary: 'List beta feedback',
    description:
      'Newest first. Account admins see the feedback of their account, super admins that of all accounts.',
    access: 'account_or_super_admin',
    platform: 'a super admin reads the feedback of every account',
    limit: 'read',
    paged: true,
    query: schemas.BetaFeedbackQuery,
    returns: z.array(schemas.BetaFeedback),
    handle: ({ ctx, query }) => feedback.listBeta(ctx, query),
  }),
]
