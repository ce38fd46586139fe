import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as reminders from './service.ts'

export const reminderOperations = [
  operation({
    id: 'oncall.reminders.list',
    route: 'GET /ai-sessions/{session_id}/reminders',
    summary: 'List the reminders of an escalation',
    description: 'The steps of the escalation policy that were taken, and the next one. Newest first.',
    access: 'user',
    limit: 'read',
    feature: 'ai_sessions',
    params: schemas.AiSessionId,
    paged: true,
    returns: z.array(schemas.Reminder),
    handle: ({ ctx, params, query }) => reminders.list(ctx, params.session_id, query),
  }),
]
