import { z } from 'zod'
import { operation, stream } from '../../../lib/http/operation.ts'
import { AiSessionDetail, AiSessionId, Handoff, SessionClose } from '../sessions/schemas.ts'
import * as schemas from './schemas.ts'
import * as handoffs from './service.ts'

const feature = 'ai_sessions'

/** Giving a session out of one's hands, and taking it up again. */
export const handoffOperations = [
  stream({
    id: 'ai.handoffs.draft',
    method: 'post',
    path: '/ai-sessions/{session_id}/handoff-draft',
    summary: 'Have the handoff of a session drafted',
    description:
      'Server-sent events: `delta` `{text}` is what the summary grows by, `restart` says that what was heard so far is void, and `draft` ends it with `{summary, what_was_tried, next_steps, reason, urgency}`. Nothing is stored. A failure after the first event is an `error` event with its `status`.',
    access: 'engineer',
    limit: 'ai',
    feature,
    params: AiSessionId,
    produces: ['text/event-stream'],
    errors: ['conflict', 'ai_provider_error'],
    handle: ({ ctx, params }) => handoffs.draft(ctx, params.session_id),
  }),

  operation({
    id: 'ai.handoffs.create',
    method: 'post',
    path: '/ai-sessions/{session_id}/handoff',
    summary: 'Lay a session aside, or give it to a colleague',
    description: 'For whoever works on it, while it is active or parked. Laying aside tells nobody; giving away does what `escalate` does.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: schemas.HandoffCreate,
    success: 201,
    returns: Handoff,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => handoffs.create(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.handoffs.escalate',
    method: 'post',
    path: '/ai-sessions/{session_id}/escalate',
    summary: 'Give a session to a colleague',
    description:
      'Writes the handoff with its documentation, tells team admins and the target in the app, by mail and through the account’s channels, tells the account’s open streams, pushes the documentation to the linked ticket, and has the case assessed. None of it is waited for.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: schemas.Escalate,
    success: 200,
    returns: SessionClose,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => handoffs.escalate(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.handoffs.list',
    method: 'get',
    path: '/ai-sessions/{session_id}/handoffs',
    summary: 'The handoffs of a session, newest first',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    paged: true,
    success: 200,
    returns: z.array(Handoff),
    handle: ({ ctx, params, query }) => handoffs.list(ctx, params.session_id, query),
  }),

  operation({
    id: 'ai.handoffs.resume',
    method: 'post',
    path: '/ai-sessions/{session_id}/resume',
    summary: 'Take a parked session up again',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    success: 200,
    returns: AiSessionDetail,
    errors: ['conflict'],
    handle: ({ ctx, params }) => handoffs.resume(ctx, params.session_id),
  }),
]
