import * as z from 'zod'
import { ScheduleId } from '#functions/maintenance/schedules/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as runs from './service.ts'

const feature = 'maintenance_schedules'

export const maintenanceRunOperations = [
  operation({
    id: 'maintenance.runs.create',
    route: 'POST /maintenance-schedules/{schedule_id}/run',
    summary: 'Run a maintenance schedule now',
    description:
      'Also runs a paused schedule. The sessions belong to the caller, who must be in the team of the flow. Returns the same errors as `POST /sessions/batch`, except that invalid targets return 400 `invalid_targets`. A failed request records no run. The due times of the schedule do not change. Within 10 seconds after a run, the same caller gets that run again with 200, and another one gets 409 `already_started` with `run_id`.',
    access: 'engineer',
    limit: '10/minute',
    strictLimit: 'mail',
    feature,
    params: ScheduleId,
    returns: schemas.ManualRun,
    getOrCreate: true,
    errors: [
      'already_started',
      'invalid_targets',
      'no_target_list',
      'not_own_team',
      'not_published',
      'stale_version',
      'wrong_flow_type',
    ],
    handle: ({ ctx, params }) => runs.runNow(ctx, params.schedule_id),
  }),

  operation({
    id: 'maintenance.runs.list',
    route: 'GET /maintenance-schedules/{schedule_id}/runs',
    summary: 'List the runs of a maintenance schedule',
    description: 'One run per due time and per manual run, newest first.',
    access: 'user',
    limit: 'read',
    feature,
    paged: true,
    params: ScheduleId,
    returns: z.array(schemas.Run),
    handle: ({ ctx, params, query }) => runs.list(ctx, params.schedule_id, query),
  }),
]
