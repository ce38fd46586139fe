import { OperationsStatus } from '#functions/staff/status.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as operationsStatus from './service.ts'

const staff = { access: 'super_admin', platform: 'the state of the service concerns every account' } as const

export const adminOperationsOperations = [
  operation({
    ...staff,
    id: 'admin.operations.get',
    route: 'GET /admin/operations',
    summary: 'Get the state of the service',
    description: 'The page `/admin/operations` shows the same.',
    limit: '60/minute',
    // It asks every dependency.
    callsExternalService: true,
    returns: OperationsStatus,
    handle: ({ ctx }) => operationsStatus.get(ctx),
  }),

  operation({
    ...staff,
    id: 'admin.operations.replay',
    route: 'POST /admin/operations/replay',
    summary: 'Attempt waiting work now',
    description: 'A sweep attempts it within a minute. What has failed for good stays as it is.',
    limit: '20/minute',
    body: schemas.OutboxReplay,
    success: 200,
    returns: schemas.OutboxReplayResult,
    handle: ({ ctx, body }) => operationsStatus.replay(ctx, body),
  }),
]
