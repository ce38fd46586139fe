import * as z from 'zod'
import { SessionId } from '#functions/sessions/sessions/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as scriptRuns from './service.ts'

export const sessionScriptRunOperations = [
  operation({
    id: 'sessions.scriptRuns.list',
    route: 'GET /sessions/{session_id}/script-runs',
    summary: 'List script runs of a session',
    description: 'What scripts did on machines, oldest first.',
    access: 'user',
    limit: 'read',
    params: SessionId,
    paged: true,
    returns: z.array(schemas.ScriptRun),
    handle: ({ ctx, params, query }) => scriptRuns.list(ctx, params.session_id, query),
  }),

  operation({
    id: 'sessions.scriptRuns.create',
    route: 'POST /sessions/{session_id}/script-runs',
    summary: 'Record a script run in a session',
    description:
      'Records what a script did on a machine. Exports and ticket notes show it with its step. Only the user of the session and account admins may record runs, in every state of the session. Returns 409 `limit_reached` if the session has 40.',
    access: 'engineer',
    limit: 'write',
    params: SessionId,
    body: schemas.ScriptRunCreate,
    returns: schemas.ScriptRun,
    errors: ['limit_reached'],
    handle: ({ ctx, params, body }) => scriptRuns.create(ctx, params.session_id, body),
  }),
]
