import { operation } from '../../../lib/http/operation.ts'
import { AiSessionCreate, AiSessionDetail, AiSessionId } from '../sessions/schemas.ts'
import * as schemas from './schemas.ts'
import * as turns from './service.ts'

const feature = 'ai_sessions'

/** What asks the model for its next turn. */
export const aiTurnOperations = [
  operation({
    id: 'ai.turns.createSession',
    method: 'post',
    path: '/ai-sessions',
    summary: 'Begin an AI session, guided or as a chat',
    description:
      'From a problem, a ticket at the PSA, or nothing yet. A ticket gives its summary and company where none are given; when the PSA cannot be asked now, its id is kept. A guided session comes with its first step; a 502 names the `session_id` that is there all the same, to go on with `respond`.',
    access: 'engineer',
    limit: 'ai',
    feature,
    body: AiSessionCreate,
    success: 201,
    returns: AiSessionDetail,
    errors: ['bad_request', 'not_found', 'ai_provider_error'],
    idempotent: 'leased',
    handle: ({ ctx, body }) => turns.create(ctx, body),
  }),

  operation({
    id: 'ai.turns.sendMessage',
    method: 'post',
    path: '/ai-sessions/{session_id}/chat',
    summary: 'Say something in an AI session and be answered',
    description:
      'What is said is in the transcript even when the model fails. With `Accept: text/event-stream` the answer comes as `delta` events `{text}` and ends with one `message` event of the JSON shape; `restart` says that what was heard so far is void, and a failure after the first event is an `error` event with its `status`.',
    access: 'engineer',
    limit: 'ai',
    feature,
    params: AiSessionId,
    body: schemas.ChatMessage,
    success: 200,
    returns: schemas.ChatReply,
    produces: ['application/json', 'text/event-stream'],
    errors: ['conflict', 'ai_provider_error'],
    idempotent: 'leased',
    handle: ({ ctx, params, body }) => turns.chat(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.turns.listMessages',
    method: 'get',
    path: '/ai-sessions/{session_id}/messages',
    summary: 'The transcript of an AI session, oldest first',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    query: schemas.TranscriptQuery,
    paged: true,
    success: 200,
    returns: schemas.Transcript,
    handle: ({ ctx, params, query }) => turns.messages(ctx, params.session_id, query),
  }),

  operation({
    id: 'ai.turns.respondToStep',
    method: 'post',
    path: '/ai-sessions/{session_id}/respond',
    summary: 'Answer the current step of a guided session and get the next',
    description: 'The answer is kept even when the model fails; asking without a response then gives the next step.',
    access: 'engineer',
    limit: 'ai',
    feature,
    params: AiSessionId,
    body: schemas.Respond,
    success: 200,
    returns: schemas.GuidedReply,
    errors: ['conflict', 'ai_provider_error'],
    idempotent: 'leased',
    handle: ({ ctx, params, body }) => turns.respond(ctx, params.session_id, body),
  }),
]
