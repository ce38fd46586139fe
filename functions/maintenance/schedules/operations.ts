import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as schedules from './service.ts'

const feature = 'maintenance_schedules'

export const maintenanceOperations = [
  operation({
    id: 'maintenance.schedules.list',
    route: 'GET /maintenance-schedules',
    summary: 'List maintenance schedules',
    description: 'Lists the schedules that I can see, sorted by name, each with its next and its last run.',
    access: 'user',
    limit: 'read',
    feature,
    paged: true,
    returns: z.array(schemas.Schedule),
    handle: ({ ctx, query }) => schedules.list(ctx, query),
  }),

  operation({
    id: 'maintenance.schedules.create',
    route: 'POST /maintenance-schedules',
    summary: 'Create a maintenance schedule',
    description:
      'Runs a maintenance flow on a target list regularly. A draft returns 400 `not_published`, another type of flow 400 `wrong_flow_type`, a flow of another team or of the platform 400 `not_own_team`. Each run prepares one session per target, in batches of at most 100.',
    access: 'engineer',
    limit: 'write',
    feature,
    body: schemas.ScheduleCreate,
    returns: schemas.Schedule,
    errors: ['limit_reached', 'not_found', 'not_own_team', 'not_published', 'wrong_flow_type'],
    handle: ({ ctx, body }) => schedules.create(ctx, body),
  }),

  operation({
    id: 'maintenance.schedules.get',
    route: 'GET /maintenance-schedules/{schedule_id}',
    summary: 'Get a maintenance schedule',
    description: 'Includes the next five due times.',
    access: 'user',
    limit: 'read',
    feature,
    params: schemas.ScheduleId,
    returns: schemas.ScheduleDetail,
    handle: ({ ctx, params }) => schedules.get(ctx, params.schedule_id),
  }),

  operation({
    id: 'maintenance.schedules.update',
    route: 'PATCH /maintenance-schedules/{schedule_id}',
    summary: 'Update, pause or resume a maintenance schedule',
    description:
      'A run that is already due when the timing changes still takes place; pausing the schedule records it as missed. The flow cannot be changed. If the owner can no longer run it (deactivated, a viewer, or moved to another team), whoever changes it becomes the owner.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.ScheduleId,
    body: schemas.ScheduleUpdate,
    returns: schemas.Schedule,
    errors: ['schedule_busy', 'stale_version'],
    handle: ({ ctx, params, body }) => schedules.update(ctx, params.schedule_id, body),
  }),

  operation({
    id: 'maintenance.schedules.delete',
    route: 'DELETE /maintenance-schedules/{schedule_id}',
    summary: 'Delete a maintenance schedule',
    description: 'Deletes its runs too. The sessions of the runs stay.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.ScheduleId,
    handle: ({ ctx, params }) => schedules.remove(ctx, params.schedule_id),
  }),
]
