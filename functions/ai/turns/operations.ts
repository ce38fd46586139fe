import { AiSessionCreate, AiSessionDetail, AiSessionId } from '#functions/ai/sessions/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as turns from './service.ts'

const feature = 'ai_sessions'

/** The operations that ask the model for its next message or step. */
export const aiTurnOperations = [
  operation({
    id: 'ai.turns.createSession',
    route: 'POST /ai-sessions',
    summary: 'Create an AI session',
    description:
      'Creates a guided session or a chat from a problem, a PSA ticket, or neither. The ticket provides the summary and company that the body leaves out. If the PSA cannot be reached, only the ticket id is stored. A guided session includes its first step. If the model gives no usable answer, the first step has a `failure` and cites sources that may fit. If no provider answers, the session is created anyway: the 502 has its `session_id`, and `respond` continues it.',
    access: 'engineer',
    limit: 'ai',
    strictLimit: 'ai',
    feature,
    body: AiSessionCreate,
    returns: AiSessionDetail,
    errors: ['ai_budget_exhausted', 'ai_provider_error', 'limit_reached', 'not_found', 'wrong_flow_type'],
    idempotent: 'leased',
    handle: ({ ctx, body }) => turns.createSession(ctx, body),
  }),

  operation({
    id: 'ai.turns.sendMessage',
    route: 'POST /ai-sessions/{session_id}/chat',
    summary: 'Send a message to the model',
    description:
      'If no published flow fits the case, the reply has a `flow_offer`. If the model gives no usable answer, the reply has a `failure` and cites sources that may fit. If no provider answers, the 502 leaves the message stored; sending it again asks again. With `Accept: text/event-stream` the reply arrives as `delta` events `{text}` and ends with one `message` event that contains the JSON response. `restart` means that the text streamed so far is void. A failure after the first event is an `error` event with its `status`. A replay by `Idempotency-Key` is the `message` event alone.',
    access: 'engineer',
    limit: 'ai',
    strictLimit: 'ai',
    feature,
    params: AiSessionId,
    body: schemas.ChatMessage,
    success: 200,
    returns: schemas.ChatReply,
    produces: ['application/json', 'text/event-stream'],
    events: schemas.ReplyEvents,
    errors: ['ai_budget_exhausted', 'ai_provider_error', 'stale_version', 'wrong_state'],
    idempotent: 'leased',
    background: true,
    handle: ({ ctx, params, body }) => turns.sendMessage(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.turns.listMessages',
    route: 'GET /ai-sessions/{session_id}/messages',
    summary: 'List the messages of an AI session',
    description: 'The messages of one branch, oldest first.',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    query: schemas.TranscriptQuery,
    paged: true,
    returns: schemas.Transcript,
    handle: ({ ctx, params, query }) => turns.listMessages(ctx, params.session_id, query),
  }),

  operation({
    id: 'ai.turns.respondToStep',
    route: 'POST /ai-sessions/{session_id}/respond',
    summary: 'Respond to the current guided step',
    description:
      'Returns the next step, with a `flow_offer` if no published flow fits the case. If the model gives no usable answer, it has a `failure` and cites sources that may fit, and its response asks again. If no provider answers, the 502 leaves the response stored; a request without a response then returns the next step.',
    access: 'engineer',
    limit: 'ai',
    strictLimit: 'ai',
    feature,
    params: AiSessionId,
    body: schemas.GuidedResponse,
    success: 200,
    returns: schemas.GuidedReply,
    errors: [
      'ai_budget_exhausted',
      'ai_provider_error',
      'stale_version',
      'step_not_current',
      'wrong_session_type',
      'wrong_state',
    ],
    idempotent: 'leased',
    background: true,
    handle: ({ ctx, params, body }) => turns.respondToStep(ctx, params.session_id, body),
  }),
]
