import * as z from 'zod'
import * as presence from '#functions/presence/service.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as sessions from './service.ts'

export const sessionOperations = [
  operation({
    id: 'sessions.list',
    route: 'GET /sessions',
    summary: 'List sessions',
    description: 'Lists the sessions of the account that match every filter, newest first.',
    access: 'user',
    limit: 'read',
    paged: true,
    query: schemas.SessionQuery,
    returns: z.array(schemas.SessionListItem),
    handle: ({ ctx, query }) => sessions.list(ctx, query),
  }),

  operation({
    id: 'sessions.start',
    route: 'POST /sessions',
    summary: 'Start a session',
    description:
      'Runs a flow for a ticket or a client. A draft returns 400 `not_published`. A missing or invalid answer to the intake form returns 422 at `body.variables.<key>`.',
    access: 'engineer',
    limit: 'write',
    body: schemas.SessionStart,
    returns: schemas.Session,
    errors: ['not_found', 'not_published', 'stale_version'],
    handle: ({ ctx, body }) => sessions.start(ctx, body),
  }),

  operation({
    id: 'sessions.prepare',
    route: 'POST /sessions/prepare',
    summary: 'Prepare a session',
    description:
      'Stores a session to start later. An invalid answer to the intake form returns 422; missing answers are required when the session starts.',
    access: 'engineer',
    limit: 'write',
    body: schemas.SessionPrepare,
    returns: schemas.Session,
    errors: ['not_found', 'not_published', 'stale_version'],
    handle: ({ ctx, body }) => sessions.prepare(ctx, body),
  }),

  operation({
    id: 'sessions.get',
    route: 'GET /sessions/{session_id}',
    summary: 'Get a session',
    description: 'Includes the version of the flow that the session runs, and the answers so far.',
    access: 'user',
    limit: 'read',
    params: schemas.SessionId,
    returns: schemas.Session,
    handle: ({ ctx, params }) => sessions.get(ctx, params.session_id),
  }),

  operation({
    id: 'sessions.update',
    route: 'PATCH /sessions/{session_id}',
    summary: 'Update or abandon a session',
    description:
      'Ticket, client, notes and next steps can be changed in every state. `state: "abandoned"` needs a session that is prepared or in progress (409 `wrong_state` otherwise). Only the user of the session and account admins may change it.',
    access: 'engineer',
    limit: 'write',
    params: schemas.SessionId,
    body: schemas.SessionUpdate,
    returns: schemas.Session,
    errors: ['wrong_state'],
    handle: ({ ctx, params, body }) =>
      presence.addColleagues(
        ctx,
        'session',
        params.session_id,
        sessions.update(ctx, params.session_id, body),
      ),
  }),

  operation({
    id: 'sessions.delete',
    route: 'DELETE /sessions/{session_id}',
    summary: 'Delete a session',
    description:
      'Also deletes the answers, notes and supporting data. Only the user of the session and account admins may delete it. A sub-flow of a completed session stays: 409 `wrong_state`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.SessionId,
    errors: ['wrong_state'],
    handle: ({ ctx, params }) => sessions.remove(ctx, params.session_id),
  }),

  operation({
    id: 'sessions.startPrepared',
    route: 'POST /sessions/{session_id}/start',
    summary: 'Start a prepared session',
    description:
      'The body adds or replaces answers. A session that is not prepared returns 409 `wrong_state`. A missing or invalid answer returns 422 at `body.variables.<key>`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.SessionId,
    body: schemas.PreparedStart,
    success: 200,
    returns: schemas.Session,
    errors: ['stale_version', 'wrong_state'],
    handle: ({ ctx, params, body }) => sessions.startPrepared(ctx, params.session_id, body.variables),
  }),

  operation({
    id: 'sessions.reassign',
    route: 'POST /sessions/{session_id}/reassign',
    summary: 'Hand a session over to a colleague',
    description:
      'For the user of a session that is prepared or in progress, for admins of its team and for account admins. The colleague becomes its user, with its approvals, its timer and the sub-flow that it waits for; earlier answers keep who gave them. A session that has ended, or that is a sub-flow, returns 409 `wrong_state`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.SessionId,
    body: schemas.SessionReassign,
    success: 200,
    returns: schemas.Session,
    errors: ['stale_version', 'wrong_state'],
    handle: ({ ctx, params, body }) => sessions.reassign(ctx, params.session_id, body.user_id),
  }),

  operation({
    id: 'sessions.take',
    route: 'POST /sessions/{session_id}/take',
    summary: 'Take a prepared session',
    description:
      'For members of the session’s team and account admins, such as whoever is on shift when a batch is due. The caller becomes its user. Of simultaneous callers one takes it. A session that was given to or taken by a colleague who can work returns 409 `already_claimed` with `user_id`; it can be reassigned. One that is not prepared returns 409 `wrong_state`.',
    access: 'engineer',
    limit: 'write',
    closedToKeys: true,
    params: schemas.SessionId,
    success: 200,
    returns: schemas.Session,
    errors: ['already_claimed', 'wrong_state'],
    handle: ({ ctx, params }) => sessions.take(ctx, params.session_id),
  }),

  operation({
    id: 'sessions.updateVariables',
    route: 'PATCH /sessions/{session_id}/variables',
    summary: 'Update session variables',
    description:
      'Needs a session that is prepared or in progress (409 `wrong_state` otherwise). The body contains the variables to set; the response contains all variables. An invalid answer to the intake form returns 422 at `body.<key>`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.SessionId,
    body: schemas.VariablesUpdate,
    returns: schemas.SessionVariables,
    errors: ['stale_version', 'wrong_state'],
    handle: ({ ctx, params, body }) => sessions.updateVariables(ctx, params.session_id, body),
  }),
]
