import * as z from 'zod'
import { Session, SessionId, SessionListItem } from '#functions/sessions/sessions/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as subflows from './service.ts'

export const sessionSubflowOperations = [
  operation({
    id: 'sessions.subflows.list',
    route: 'GET /sessions/{session_id}/subflows',
    summary: 'List the sub-flows of a session',
    description: 'Lists the sessions of sub-flows that the steps of this session started, oldest first.',
    access: 'user',
    limit: 'read',
    params: SessionId,
    paged: true,
    returns: z.array(SessionListItem),
    handle: ({ ctx, params, query }) => subflows.list(ctx, params.session_id, query),
  }),

  operation({
    id: 'sessions.subflows.start',
    route: 'POST /sessions/{session_id}/subflows',
    summary: 'Start the sub-flow of the current step',
    description:
      'Starts a session of the flow that the step runs, in its current version. The session waits until the sub-flow is completed, abandoned or deleted. A flow that cannot be run returns 409 `subflow_unavailable` with a `reason`; the step can then be answered by hand. A missing or invalid answer returns 422 at `body.variables.<key>`.',
    access: 'engineer',
    limit: 'write',
    params: SessionId,
    body: schemas.SubflowStart,
    returns: Session,
    errors: ['limit_reached', 'stale_version', 'subflow_running', 'subflow_unavailable', 'wrong_state'],
    handle: ({ ctx, params, body }) => subflows.start(ctx, params.session_id, body),
  }),
]
