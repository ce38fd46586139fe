import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as schedules from './service.ts'

export const onCallScheduleOperations = [
  operation({
    id: 'oncall.schedules.listOnCall',
    route: 'GET /on-call/now',
    summary: 'List who is on call now',
    description: 'One entry per schedule of the account, sorted by name.',
    access: 'user',
    limit: 'read',
    query: schemas.OnCallQuery,
    returns: z.array(schemas.OnCall),
    handle: ({ ctx, query }) => schedules.listOnCall(ctx, query.team_id),
  }),

  operation({
    id: 'oncall.schedules.listOfMember',
    route: 'GET /accounts/me/members/{user_id}/on-call',
    summary: 'List the on-call duties of a member',
    description:
      'The on-call schedules and escalation policies that name the member, sorted by name. Read it before and after you deactivate a member: they stay in them, but are not notified.',
    access: 'user',
    limit: 'read',
    params: schemas.OnCallMemberId,
    returns: schemas.OnCallDuties,
    handle: ({ ctx, params }) => schedules.listOfMember(ctx, params.user_id),
  }),

  operation({
    id: 'oncall.schedules.list',
    route: 'GET /on-call-schedules',
    summary: 'List on-call schedules',
    description: 'Sorted by name.',
    access: 'user',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.OnCallSchedule),
    handle: ({ ctx, query }) => schedules.list(ctx, query),
  }),

  operation({
    id: 'oncall.schedules.create',
    route: 'POST /on-call-schedules',
    summary: 'Create an on-call schedule',
    description:
      'A team admin creates schedules of their team. An account has at most 50 schedules. Whoever is on call is told of an escalation of the team at once, or, by the schedules of the whole account, where nobody of the team is on call. `hint` says when a schedule reaches nobody.',
    access: 'team_admin',
    limit: 'write',
    body: schemas.ScheduleCreate,
    returns: schemas.CreatedSchedule,
    errors: ['not_found', 'limit_reached'],
    handle: ({ ctx, body }) => schedules.create(ctx, body),
  }),

  operation({
    id: 'oncall.schedules.get',
    route: 'GET /on-call-schedules/{schedule_id}',
    summary: 'Get an on-call schedule',
    description: 'The rotations of the schedule with their people, and its exceptions.',
    access: 'user',
    limit: 'read',
    params: schemas.ScheduleId,
    returns: schemas.OnCallSchedule,
    handle: ({ ctx, params }) => schedules.get(ctx, params.schedule_id),
  }),

  operation({
    id: 'oncall.schedules.update',
    route: 'PUT /on-call-schedules/{schedule_id}',
    summary: 'Update an on-call schedule',
    description:
      'Applies from now on: shifts that have been stay as they were. The answer says who was on call before the change and who is after it, and `hint` when it reaches nobody. For a new order from a later day on, add a rotation.',
    access: 'team_admin',
    limit: 'write',
    params: schemas.ScheduleId,
    body: schemas.ScheduleUpdate,
    returns: schemas.UpdatedSchedule,
    errors: ['stale_version'],
    handle: ({ ctx, params, body }) => schedules.update(ctx, params.schedule_id, body),
  }),

  operation({
    id: 'oncall.schedules.delete',
    route: 'DELETE /on-call-schedules/{schedule_id}',
    summary: 'Delete an on-call schedule',
    description:
      'A schedule that escalation policies notify returns 409 `in_use` with these policies in `policies`.',
    access: 'team_admin',
    limit: 'write',
    params: schemas.ScheduleId,
    errors: ['in_use'],
    handle: ({ ctx, params }) => schedules.remove(ctx, params.schedule_id),
  }),

  operation({
    id: 'oncall.schedules.listShifts',
    route: 'GET /on-call-schedules/{schedule_id}/shifts',
    summary: 'List the shifts of an on-call schedule',
    description:
      'Rotations and overrides together. The first and the last shift are cut to `from` and `to`. Times without anybody on call are left out. The past is shown as it was, also before a change of the schedule or of a member, for 92 days.',
    access: 'user',
    limit: 'read',
    params: schemas.ScheduleId,
    query: schemas.ShiftQuery,
    returns: z.array(schemas.Shift),
    handle: ({ ctx, params, query }) => schedules.listScheduleShifts(ctx, params.schedule_id, query),
  }),

  operation({
    id: 'oncall.schedules.listOverrides',
    route: 'GET /on-call-schedules/{schedule_id}/overrides',
    summary: 'List the overrides of an on-call schedule',
    description: 'The last to end first.',
    access: 'user',
    limit: 'read',
    params: schemas.ScheduleId,
    paged: true,
    returns: z.array(schemas.Override),
    handle: ({ ctx, params, query }) => schedules.listOverrides(ctx, params.schedule_id, query),
  }),

  operation({
    id: 'oncall.schedules.createOverride',
    route: 'POST /on-call-schedules/{schedule_id}/overrides',
    summary: 'Put a user on call for a time',
    description:
      'Every engineer may take over themselves; admins may name anyone. Of overrides at the same time, the newest applies. A schedule has at most 500; they are deleted 92 days after their end.',
    access: 'engineer',
    limit: 'write',
    params: schemas.ScheduleId,
    body: schemas.OverrideCreate,
    returns: schemas.Override,
    errors: ['limit_reached'],
    handle: ({ ctx, params, body }) => schedules.createOverride(ctx, params.schedule_id, body),
  }),

  operation({
    id: 'oncall.schedules.deleteOverride',
    route: 'DELETE /on-call-schedules/{schedule_id}/overrides/{override_id}',
    summary: 'Delete an override',
    description: 'Only its creator and admins may delete it.',
    access: 'engineer',
    limit: 'write',
    params: schemas.OverrideId,
    handle: ({ ctx, params }) => schedules.removeOverride(ctx, params.schedule_id, params.override_id),
  }),
]
