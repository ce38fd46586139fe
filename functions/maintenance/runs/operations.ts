import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import { ScheduleId } from '../schedules/schemas.ts'
import * as schemas from './schemas.ts'
import * as runs from './service.ts'

const feature = 'maintenance_schedules'

export const maintenanceRunOperations = [
  operation({
    id: 'maintenance.runs.create',
    method: 'post',
    path: '/maintenance-schedules/{schedule_id}/run',
    summary: 'Run a maintenance schedule now, paused or not',
    description:
      'The sessions are the caller’s, who must be in the team of the flow. Where no batch can be made the answer says why, as for a batch, and nothing is recorded; targets that lack an answer are 400 `targets_unfit`. What the schedule is due for stays due.',
    access: 'engineer',
    limit: '10/minute',
    feature,
    params: ScheduleId,
    success: 201,
    returns: schemas.RunNow,
    errors: ['bad_request'],
    handle: ({ ctx, params }) => runs.runNow(ctx, params.schedule_id),
  }),

  operation({
    id: 'maintenance.runs.list',
    method: 'get',
    path: '/maintenance-schedules/{schedule_id}/runs',
    summary: 'What came of each time a schedule was due, newest first',
    access: 'user',
    limit: 'read',
    feature,
    paged: true,
    params: ScheduleId,
    success: 200,
    returns: z.array(schemas.Run),
    handle: ({ ctx, params, query }) => runs.list(ctx, params.schedule_id, query),
  }),
]
