import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as batches from './service.ts'

export const sessionBatchOperations = [
  operation({
    id: 'sessions.batches.create',
    method: 'post',
    path: '/sessions/batch',
    summary: 'Prepare one session per target of a maintenance flow',
    description:
      'All or none. A draft is 400 `flow_not_published`, another type of flow 400 `not_maintenance`, another team’s or the platform’s 400 `not_own_team`. A target without a required answer is 422 at `body.targets.<n>.variables.<key>`. Each session is started by itself.',
    access: 'engineer',
    limit: '10/minute',
    body: schemas.BatchCreate,
    success: 201,
    returns: schemas.Batch,
    errors: ['bad_request', 'not_found'],
    handle: ({ ctx, body }) => batches.create(ctx, body),
  }),

  operation({
    id: 'sessions.batches.getProgress',
    method: 'get',
    path: '/sessions/batches/{batch_id}',
    summary: 'How far a batch has come',
    access: 'user',
    limit: 'read',
    params: schemas.BatchId,
    success: 200,
    returns: schemas.BatchProgress,
    handle: ({ ctx, params }) => batches.progress(ctx, params.batch_id),
  }),
]
