import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as handover from './service.ts'

export const handoverOperations = [
  operation({
    id: 'ai.handover.get',
    route: 'GET /ai-sessions/handover',
    summary: 'Get the handover of a shift',
    description:
      'Open cases with what changed, what clients were told and what waits for a time, and who is on call now and next. It has the escalations that the queue lists, my own open sessions, for admins all open sessions of their team or account with who works on them, and the timers and notes of my team; account admins and users without a team see those of all teams. Only timers say until when: the times in notes are text.',
    access: 'engineer',
    limit: 'read',
    feature: 'ai_sessions',
    alsoNeeds: ['oncall:read', 'psa:read', 'sessions:read'],
    query: schemas.HandoverQuery,
    errors: ['not_found'],
    returns: schemas.ShiftHandover,
    handle: ({ ctx, query }) => handover.get(ctx, query),
  }),
]
