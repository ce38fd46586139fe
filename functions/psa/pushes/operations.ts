import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import { SessionId } from '../../sessions/sessions/schemas.ts'
import * as schemas from './schemas.ts'
import * as pushes from './service.ts'

export const psaPushOperations = [
  operation({
    id: 'psa.pushes.list',
    method: 'get',
    path: '/integrations/psa/pushes',
    summary: 'Notes for tickets and how far they have come, newest first',
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
    summary: 'Try a failed note once more',
    description: 'It is written at most once, however often it is tried. A note that has not failed is 409.',
    access: 'engineer',
    limit: '10/minute',
    params: schemas.PushId,
    success: 202,
    returns: schemas.Push,
    errors: ['conflict'],
    handle: ({ ctx, params }) => pushes.retry(ctx, params.push_id),
  }),

  operation({
    id: 'psa.pushes.createForSession',
    method: 'post',
    path: '/sessions/{session_id}/push',
    summary: 'Write what a session came to on its ticket',
    description:
      'The note is written a moment later and tried again for a quarter of an hour. A session whose ticket number is no id of the ticketing system is 409 `no_ticket`; without an active connection: 409 `psa_not_connected`. For its user and account admins.',
    access: 'engineer',
    limit: '10/minute',
    params: SessionId,
    body: schemas.SessionPush,
    success: 202,
    returns: schemas.Push,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => pushes.pushSession(ctx, params.session_id, body.internal),
  }),
]
