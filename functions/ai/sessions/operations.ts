import * as z from 'zod'
import * as presence from '#functions/presence/service.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as aiSessions from './service.ts'

const feature = 'ai_sessions'

export const aiSessionOperations = [
  operation({
    id: 'ai.sessions.list',
    route: 'GET /ai-sessions',
    summary: 'List my AI sessions',
    description:
      'My own sessions, those escalated to me and those I picked up; with `owner_left`, those of members who can no longer work, for their admins. Newest first.',
    access: 'user',
    limit: 'read',
    feature,
    query: schemas.AiSessionQuery,
    paged: true,
    returns: z.array(schemas.AiSessionListItem),
    handle: ({ ctx, query }) => aiSessions.list(ctx, query),
  }),

  operation({
    id: 'ai.sessions.get',
    route: 'GET /ai-sessions/{session_id}',
    summary: 'Get an AI session',
    description:
      'Includes its steps, messages, fixes, facts and handoffs. Visible to its user, to the colleague it is escalated to, and to the one who claimed or picked it up. While it waits for a colleague, the whole account may read it. When its user can no longer work, account admins and admins of its team may read it, hand it over and close it.',
    access: 'user',
    limit: 'read',
    feature,
    params: schemas.AiSessionId,
    returns: schemas.AiSessionDetail,
    handle: ({ ctx, params }) => aiSessions.get(ctx, params.session_id),
  }),

  operation({
    id: 'ai.sessions.delete',
    route: 'DELETE /ai-sessions/{session_id}',
    summary: 'Delete an AI session',
    description: 'Deletes everything that belongs to it.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.AiSessionId,
    handle: ({ ctx, params }) => aiSessions.remove(ctx, params.session_id),
  }),

  operation({
    id: 'ai.sessions.resolve',
    route: 'POST /ai-sessions/{session_id}/resolve',
    summary: 'Resolve an AI session',
    description:
      'Closes the session with an outcome and writes its documentation, which goes to the linked ticket as an internal note. The ticket’s resolution gets what the client may read: the problem, the outcome, your `resolution` and the fixes that helped. With it the ticket gets the status that the connection has for resolved cases on its board. `GET /integrations/psa/pushes?source_id=…` shows a refusal of the ticketing system. Returns 409 `wrong_state` for a closed session, and 409 `unsettled_items` with `fixes`, `questions` and `actions` that nobody has decided on: give their `outcomes`, or set `accept_proposals`.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.AiSessionId,
    body: schemas.AiSessionResolve,
    success: 200,
    returns: schemas.SessionClose,
    errors: ['already_decided', 'unsettled_items', 'wrong_state'],
    handle: ({ ctx, params, body }) =>
      presence.addColleagues(
        ctx,
        'ai_session',
        params.session_id,
        aiSessions.resolve(ctx, params.session_id, body),
      ),
  }),

  operation({
    id: 'ai.sessions.previewResolution',
    route: 'POST /ai-sessions/{session_id}/resolve/preview',
    summary: 'Preview the resolution of an AI session',
    description:
      'Returns both texts that resolving it with this body would add to the ticket now, and changes nothing. Returns 409 when resolving would.',
    access: 'engineer',
    limit: '30/minute',
    feature,
    params: schemas.AiSessionId,
    body: schemas.AiSessionResolve,
    success: 200,
    returns: schemas.ResolutionPreview,
    errors: ['already_decided', 'unsettled_items', 'wrong_state'],
    handle: ({ ctx, params, body }) => aiSessions.previewResolution(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.sessions.abandon',
    route: 'POST /ai-sessions/{session_id}/abandon',
    summary: 'Abandon an AI session',
    description: 'Closes the session without an outcome. A closed session is not changed.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.AiSessionId,
    success: 200,
    returns: schemas.SessionClose,
    errors: ['wrong_state'],
    handle: ({ ctx, params }) => aiSessions.abandon(ctx, params.session_id),
  }),
]
