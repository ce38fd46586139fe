import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as schedules from './service.ts'

const feature = 'maintenance_schedules'

export const maintenanceOperations = [
  operation({
    id: 'maintenance.schedules.list',
    method: 'get',
    path: '/maintenance-schedules',
    summary: 'Maintenance schedules of my team, by name, with next run and last result',
    access: 'user',
    limit: 'read',
    feature,
    paged: true,
    success: 200,
    returns: z.array(schemas.Schedule),
    handle: ({ ctx, query }) => schedules.list(ctx, query),
  }),

  operation({
    id: 'maintenance.schedules.create',
    method: 'post',
    path: '/maintenance-schedules',
    summary: 'Run a maintenance flow on a target list, again and again',
    description:
      'The flow must be a published maintenance flow of my team: a draft is 400 `flow_not_published`, another type 400 `not_maintenance`, another team’s or the platform’s 400 `not_own_team`. Each run prepares one session per target, in batches of at most 100.',
    access: 'engineer',
    limit: 'write',
    feature,
    body: schemas.ScheduleCreate,
    success: 201,
    returns: schemas.Schedule,
    errors: ['bad_request', 'not_found'],
    handle: ({ ctx, body }) => schedules.create(ctx, body),
  }),

  operation({
    id: 'maintenance.schedules.get',
    method: 'get',
    path: '/maintenance-schedules/{schedule_id}',
    summary: 'One maintenance schedule with its next five runs',
    access: 'user',
    limit: 'read',
    feature,
    params: schemas.ScheduleId,
    success: 200,
    returns: schemas.ScheduleDetail,
    handle: ({ ctx, params }) => schedules.get(ctx, params.schedule_id),
  }),

  operation({
    id: 'maintenance.schedules.update',
    method: 'patch',
    path: '/maintenance-schedules/{schedule_id}',
    summary: 'Change, pause or resume a maintenance schedule',
    description:
      'A run that is due already when its time is changed takes place all the same, once; pausing records it as missed. Its flow stays what it is.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.ScheduleId,
    body: schemas.ScheduleUpdate,
    success: 200,
    returns: schemas.Schedule,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => schedules.update(ctx, params.schedule_id, body),
  }),

  operation({
    id: 'maintenance.schedules.delete',
    method: 'delete',
    path: '/maintenance-schedules/{schedule_id}',
    summary: 'Delete a maintenance schedule with its record of runs; their sessions stay',
    access: 'engineer',
    limit: 'write',
    feature,
    params: schemas.ScheduleId,
    success: 204,
    handle: ({ ctx, params }) => schedules.remove(ctx, params.schedule_id),
  }),
]
