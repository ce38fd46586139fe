import * as z from 'zod'
import { AiSessionId } from '#functions/ai/sessions/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as feedback from './service.ts'

const feature = 'ai_sessions'

export const aiFeedbackOperations = [
  operation({
    id: 'ai.feedback.list',
    route: 'GET /ai-sessions/{session_id}/feedback',
    summary: 'List feedback on the model',
    description: 'What technicians think of the answers in a session, newest first.',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    paged: true,
    returns: z.array(schemas.Feedback),
    handle: ({ ctx, params, query }) => feedback.list(ctx, params.session_id, query),
  }),

  operation({
    id: 'ai.feedback.set',
    route: 'PUT /ai-sessions/{session_id}/feedback',
    summary: 'Give feedback on an answer',
    description:
      'Whether a reply, a step, a fix or an assessment helped, and what would have been right. A second one of the same person replaces the first. It is stored with the prompt, its version and the model, for whoever evaluates prompts; the client never sees it.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: schemas.FeedbackPut,
    returns: schemas.Feedback,
    handle: ({ ctx, params, body }) => feedback.set(ctx, params.session_id, body),
  }),
]
