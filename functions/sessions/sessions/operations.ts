import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as sessions from './service.ts'

export const sessionOperations = [
  operation({
    id: 'sessions.list',
    method: 'get',
    path: '/sessions',
    summary: 'The sessions of the account, newest first',
    description: 'Filters narrow the list together: a session is listed when it meets all of them.',
    access: 'user',
    limit: 'read',
    paged: true,
    query: schemas.SessionQuery,
    success: 200,
    returns: z.array(schemas.SessionListItem),
    handle: ({ ctx, query }) => sessions.list(ctx, query),
  }),

  operation({
    id: 'sessions.start',
    method: 'post',
    path: '/sessions',
    summary: 'Run a flow for a ticket or client',
    description:
      'A draft is 400 `flow_not_published`. Answers the intake form requires and that are missing or do not fit are 422, each at `body.variables.<key>`.',
    access: 'engineer',
    limit: 'write',
    body: schemas.SessionStart,
    success: 201,
    returns: schemas.Session,
    errors: ['bad_request', 'not_found'],
    handle: ({ ctx, body }) => sessions.start(ctx, body),
  }),

  operation({
    id: 'sessions.prepare',
    method: 'post',
    path: '/sessions/prepare',
    summary: 'Fill in a session beforehand',
    description: 'Answers that are given must fit the intake form (422); those that are missing are asked for when it starts.',
    access: 'engineer',
    limit: 'write',
    body: schemas.SessionPrepare,
    success: 201,
    returns: schemas.Session,
    errors: ['bad_request', 'not_found'],
    handle: ({ ctx, body }) => sessions.prepare(ctx, body),
  }),

  operation({
    id: 'sessions.get',
    method: 'get',
    path: '/sessions/{session_id}',
    summary: 'One session, with the flow as it was and the way so far',
    access: 'user',
    limit: 'read',
    params: schemas.SessionId,
    success: 200,
    returns: schemas.Session,
    handle: ({ ctx, params }) => sessions.get(ctx, params.session_id),
  }),

  operation({
    id: 'sessions.update',
    method: 'patch',
    path: '/sessions/{session_id}',
    summary: 'Change ticket, client, notes or next steps, or give the session up',
    description:
      'What a session is about may be put right in every state. `state: "abandoned"` gives up one that is prepared or in progress (409 `not_in_progress` otherwise). For its user and account admins.',
    access: 'engineer',
    limit: 'write',
    params: schemas.SessionId,
    body: schemas.SessionUpdate,
    success: 200,
    returns: schemas.Session,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => sessions.update(ctx, params.session_id, body),
  }),

  operation({
    id: 'sessions.delete',
    method: 'delete',
    path: '/sessions/{session_id}',
    summary: 'Delete a session with all it holds',
    description: 'For its user and account admins.',
    access: 'engineer',
    limit: 'write',
    params: schemas.SessionId,
    success: 204,
    handle: ({ ctx, params }) => sessions.remove(ctx, params.session_id),
  }),

  operation({
    id: 'sessions.startPrepared',
    method: 'post',
    path: '/sessions/{session_id}/start',
    summary: 'Start a prepared session, with the answers that are still missing',
    description:
      'A session that is not prepared is 409 `not_prepared`; an answer that is missing or does not fit is 422 at `body.variables.<key>`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.SessionId,
    body: schemas.PreparedStart,
    success: 200,
    returns: schemas.Session,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => sessions.startPrepared(ctx, params.session_id, body.variables),
  }),

  operation({
    id: 'sessions.updateVariables',
    method: 'patch',
    path: '/sessions/{session_id}/variables',
    summary: 'Change variables of a session that is not over',
    description:
      'The body is the variables to set, the answer all of them. A value that does not fit the intake form is 422 at `body.<key>`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.SessionId,
    body: schemas.VariablesUpdate,
    success: 200,
    returns: schemas.SessionVariables,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => sessions.updateVariables(ctx, params.session_id, body),
  }),
]
