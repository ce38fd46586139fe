import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as batches from './service.ts'

export const sessionBatchOperations = [
  operation({
    id: 'sessions.batches.create',
    route: 'POST /sessions/batch',
    summary: 'Prepare a batch of sessions',
    description:
      'Prepares one session of a maintenance flow per target, all or none. Returns 400 `not_published` for a draft, `wrong_flow_type` for another type of flow, and `not_own_team` for a flow of another team or of the platform. A missing or invalid answer of a target returns 422 at `body.targets.<n>.variables.<key>`. Each session is started separately.',
    access: 'engineer',
    limit: '10/minute',
    body: schemas.BatchCreate,
    returns: schemas.Batch,
    errors: ['not_found', 'not_own_team', 'not_published', 'stale_version', 'wrong_flow_type'],
    handle: ({ ctx, body }) => batches.create(ctx, body),
  }),

  operation({
    id: 'sessions.batches.getProgress',
    route: 'GET /sessions/batches/{batch_id}',
    summary: 'Get the progress of a batch',
    description: 'How many of its sessions there are, and how many of them are in each state.',
    access: 'user',
    limit: 'read',
    params: schemas.BatchId,
    returns: schemas.BatchProgress,
    handle: ({ ctx, params }) => batches.getProgress(ctx, params.batch_id),
  }),
]
