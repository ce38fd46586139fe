import * as z from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import { SessionId } from '../../sessions/sessions/schemas.ts'
import * as schemas from './schemas.ts'
import * as pushes from './service.ts'

export const psaPushOperations = [
  operation({
    id: 'psa.pushes.list',
    method: 'get',
    path: '/integrations/psa/pushes',
    summary: 'List ticket notes',
    description: 'Lists the notes for tickets with the state of their push, newest first.',
    access: 'engineer',
    limit: 'read',
    paged: true,
    query: schemas.PushQuery,
    success: 200,
    returns: z.array(schemas.Push),
    handle: ({ ctx, query }) => pushes.list(ctx, query),
  }),

  operation({
    id: 'psa.pushes.retry',
    method: 'post',
    path: '/integrations/psa/pushes/{push_id}/retry',
    summary: 'Retry a failed ticket note',
    description:
      'A note is added at most once, no matter how often it is retried. Returns 409 `not_failed` for a note that has not failed.',
    access: 'engineer',
    limit: '10/minute',
    params: schemas.PushId,
    success: 202,
    returns: schemas.Push,
    errors: ['not_failed'],
    handle: ({ ctx, params }) => pushes.retry(ctx, params.push_id),
  }),

  operation({
    id: 'psa.pushes.createForSession',
    method: 'post',
    path: '/sessions/{session_id}/push',
    summary: 'Push a session to its ticket',
    description:
      'Queues a note with the result of the session, which is retried for 15 minutes. Allowed for the session’s user and account admins. Returns 409 `no_ticket` if the session’s ticket number is not an id of the ticketing system, and 409 `psa_not_connected` without an active connection.',
    access: 'engineer',
    limit: '10/minute',
    params: SessionId,
    body: schemas.SessionPush,
    success: 202,
    returns: schemas.Push,
    errors: ['no_ticket', 'psa_not_connected'],
    handle: ({ ctx, params, body }) => pushes.createForSession(ctx, params.session_id, body.internal),
  }),
]
