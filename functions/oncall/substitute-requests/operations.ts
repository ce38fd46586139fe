import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as requests from './service.ts'

export const substituteRequestOperations = [
  operation({
    id: 'oncall.substituteRequests.list',
    route: 'GET /on-call-schedules/{schedule_id}/substitute-requests',
    summary: 'List requests for a substitute',
    description: 'Newest first.',
    access: 'user',
    limit: 'read',
    params: schemas.ScheduleId,
    paged: true,
    returns: z.array(schemas.SubstituteRequest),
    handle: ({ ctx, params, query }) => requests.list(ctx, params.schedule_id, query),
  }),

  operation({
    id: 'oncall.substituteRequests.create',
    route: 'POST /on-call-schedules/{schedule_id}/substitute-requests',
    summary: 'Ask for a substitute',
    description:
      'For a time in which you alone are on call. The asked are told, with the time in the zone of each. A day before the shift, or after half of the time until it, you are told if nobody has accepted; it expires at its start. An open one for the same time is 409 `already_pending`. At most 500 per schedule, kept for 92 days.',
    access: 'engineer',
    limit: 'write',
    strictLimit: 'mail',
    params: schemas.ScheduleId,
    body: schemas.SubstituteCreate,
    returns: schemas.SubstituteRequest,
    errors: ['already_pending', 'limit_reached'],
    handle: ({ ctx, params, body }) => requests.create(ctx, params.schedule_id, body),
  }),

  operation({
    id: 'oncall.substituteRequests.accept',
    route: 'POST /on-call-schedules/{schedule_id}/substitute-requests/{request_id}/accept',
    summary: 'Take the shift of a colleague',
    description:
      'Puts you on call by an override. The first who accepts counts; later ones get 409 `already_decided`. Only who was asked may. Returns 409 `wrong_state` for a request that has ended, or whose user is no longer on call for the whole time.',
    access: 'engineer',
    limit: 'write',
    closedToKeys: true,
    params: schemas.RequestId,
    success: 200,
    returns: schemas.SubstituteRequest,
    errors: ['already_decided', 'limit_reached', 'wrong_state'],
    handle: ({ ctx, params }) => requests.accept(ctx, params),
  }),

  operation({
    id: 'oncall.substituteRequests.decline',
    route: 'POST /on-call-schedules/{schedule_id}/substitute-requests/{request_id}/decline',
    summary: 'Decline to be a substitute',
    description:
      'You may still accept while it is open. When everybody has declined, it ends and whose shift it is is told.',
    access: 'engineer',
    limit: 'write',
    closedToKeys: true,
    params: schemas.RequestId,
    success: 200,
    returns: schemas.SubstituteRequest,
    errors: ['already_decided', 'wrong_state'],
    handle: ({ ctx, params }) => requests.decline(ctx, params),
  }),

  operation({
    id: 'oncall.substituteRequests.withdraw',
    route: 'DELETE /on-call-schedules/{schedule_id}/substitute-requests/{request_id}',
    summary: 'Withdraw a request for a substitute',
    description:
      'For whose shift it is, who created it, and admins. The asked are told. Returns 409 `already_decided` if somebody has accepted; then delete the override.',
    access: 'engineer',
    limit: 'write',
    params: schemas.RequestId,
    errors: ['already_decided', 'wrong_state'],
    handle: ({ ctx, params }) => requests.withdraw(ctx, params),
  }),
]
