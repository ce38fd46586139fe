import * as z from 'zod'
import { AiSessionDetail, AiSessionId, Handoff, SessionClose } from '#functions/ai/sessions/schemas.ts'
import { operation, stream } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as handoffs from './service.ts'

const feature = 'ai_sessions'

/** The operations that draft, create and list handoffs, and resume a session. */
export const handoffOperations = [
  stream({
    id: 'ai.handoffs.draft',
    route: 'POST /ai-sessions/{session_id}/handoff-draft',
    summary: 'Draft a handoff with the model',
    description:
      'Server-sent events: each `delta` is the next part of the summary, `restart` means that the text streamed so far is void, and `draft` ends the stream. Nothing is stored. A failure after the first event is an `error` event with its `status`.',
    access: 'engineer',
    limit: 'ai',
    strictLimit: 'ai',
    feature,
    params: AiSessionId,
    produces: ['text/event-stream'],
    events: schemas.DraftEvents,
    errors: ['ai_budget_exhausted', 'ai_provider_error', 'wrong_state'],
    handle: ({ ctx, params }) => handoffs.draft(ctx, params.session_id),
  }),

  operation({
    id: 'ai.handoffs.create',
    route: 'POST /ai-sessions/{session_id}/handoff',
    summary: 'Park or escalate a session',
    description:
      'Allowed for the engineer who works on the session, while it is active or parked. Parking sends no notifications. Intent `escalate` does the same as the `escalate` operation.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: schemas.HandoffCreate,
    returns: Handoff,
    errors: ['stale_version', 'wrong_state'],
    handle: ({ ctx, params, body }) => handoffs.create(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.handoffs.escalate',
    route: 'POST /ai-sessions/{session_id}/escalate',
    summary: 'Escalate a session',
    description:
      'Stores the handoff with its documentation. Notifies team admins and the target in the app, by e-mail and through the account’s channels, and sends an event to the account’s open streams. Pushes the documentation to the linked ticket and asks the model for an assessment. The response waits for none of these.',
    access: 'engineer',
    limit: 'write',
    strictLimit: 'mail',
    feature,
    params: AiSessionId,
    body: schemas.HandoffEscalate,
    success: 200,
    returns: SessionClose,
    errors: ['stale_version', 'wrong_state'],
    handle: ({ ctx, params, body }) => handoffs.escalate(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.handoffs.list',
    route: 'GET /ai-sessions/{session_id}/handoffs',
    summary: 'List the handoffs of a session',
    description: 'Newest first.',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    paged: true,
    returns: z.array(Handoff),
    handle: ({ ctx, params, query }) => handoffs.list(ctx, params.session_id, query),
  }),

  operation({
    id: 'ai.handoffs.resume',
    route: 'POST /ai-sessions/{session_id}/resume',
    summary: 'Resume a parked session',
    description: 'The session goes on where it was parked, with its messages and items.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    success: 200,
    returns: AiSessionDetail,
    errors: ['wrong_state'],
    handle: ({ ctx, params }) => handoffs.resume(ctx, params.session_id),
  }),
]
