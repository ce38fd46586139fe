import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as aiSessions from './service.ts'

const feature = 'ai_sessions'

export const aiSessionOperations = [
  operation({
    id: 'ai.sessions.list',
    method: 'get',
    path: '/ai-sessions',
    summary: 'My AI sessions, those escalated to me and those I picked up, newest first',
    access: 'user',
    limit: 'read',
    feature,
    query: schemas.AiSessionQuery,
    paged: true,
    success: 200,
    returns: z.array(schemas.AiSessionListItem),
    handle: ({ ctx, query }) => aiSessions.list(ctx, query),
  }),

  operation({
    id: 'ai.sessions.get',
    method: 'get',
    path: '/ai-sessions/{session_id}',
    summary: 'One AI session with all it holds',
    description: 'For its user, whom it is escalated to, who claimed it or works on it; for the whole account while it waits for somebody.',
    access: 'user',
    limit: 'read',
    feature,
    params: schemas.AiSessionId,
    success: 200,
    returns: schemas.AiSessionDetail,
    handle: ({ ctx, params }) => aiSessions.get(ctx, params.session_id),
  }),

  operation({
    id: 'ai.sessions.delete',
    method: 'delete',
    path: '/ai-sessions/{session_id}',
    summary: 'Delete an AI session with all it holds',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.AiSessionId,
    success: 204,
    handle: ({ ctx, params }) => aiSessions.remove(ctx, params.session_id),
  }),

  operation({
    id: 'ai.sessions.resolve',
    method: 'post',
    path: '/ai-sessions/{session_id}/resolve',
    summary: 'Close an AI session with an outcome',
    description: 'Writes its documentation, which goes to the linked ticket as an internal note. 409 for a session that is over.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.AiSessionId,
    body: schemas.Resolve,
    success: 200,
    returns: schemas.SessionClose,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => aiSessions.resolve(ctx, params.session_id, body),
  }),

  operation({
    id: 'ai.sessions.abandon',
    method: 'post',
    path: '/ai-sessions/{session_id}/abandon',
    summary: 'Close an AI session without an outcome; one that is over stays as it is',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.AiSessionId,
    success: 200,
    returns: schemas.SessionClose,
    handle: ({ ctx, params }) => aiSessions.abandon(ctx, params.session_id),
  }),
]
