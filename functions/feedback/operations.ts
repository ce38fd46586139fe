import { z } from 'zod'
import { operation } from '../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as feedback from './service.ts'

export const feedbackOperations = [
  operation({
    id: 'feedback.create',
    method: 'post',
    path: '/feedback',
    summary: 'Tell us something; we and you get a mail of it',
    access: 'user',
    limit: '10/minute',
    body: schemas.FeedbackCreate,
    success: 201,
    returns: schemas.Feedback,
    handle: ({ ctx, body }) => feedback.create(ctx, body),
  }),

  operation({
    id: 'feedback.createBeta',
    method: 'post',
    path: '/feedback/beta',
    summary: 'React to what you see',
    access: 'user',
    limit: '10/minute',
    body: schemas.BetaFeedbackCreate,
    success: 201,
    returns: schemas.BetaFeedback,
    handle: ({ ctx, body }) => feedback.createBeta(ctx, body),
  }),

  operation({
    id: 'feedback.listBeta',
    method: 'get',
    path: '/feedback/beta',
    summary: 'Beta feedback, newest first: of my account, or of all for a super admin',
    access: 'account_or_super_admin',
    platform: 'a super admin reads what every account says',
    limit: 'read',
    paged: true,
    query: schemas.BetaFeedbackQuery,
    success: 200,
    returns: z.array(schemas.BetaFeedback),
    handle: ({ ctx, query }) => feedback.listBeta(ctx, query),
  }),
]
