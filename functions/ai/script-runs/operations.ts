import * as z from 'zod'
import { AiSessionId } from '#functions/ai/sessions/schemas.ts'
import { AiScriptRunCreate, ScriptRun } from '#functions/sessions/script-runs/schemas.ts'
import { operation } from '#http/operation.ts'
import * as scriptRuns from './service.ts'

const feature = 'ai_sessions'

export const aiScriptRunOperations = [
  operation({
    id: 'ai.scriptRuns.list',
    route: 'GET /ai-sessions/{session_id}/script-runs',
    summary: 'List script runs of an AI session',
    description: 'What scripts did on machines, oldest first.',
    access: 'user',
    limit: 'read',
    feature,
    params: AiSessionId,
    paged: true,
    returns: z.array(ScriptRun),
    handle: ({ ctx, params, query }) => scriptRuns.list(ctx, params.session_id, query),
  }),

  operation({
    id: 'ai.scriptRuns.create',
    route: 'POST /ai-sessions/{session_id}/script-runs',
    summary: 'Record a script run in an AI session',
    description:
      'Records what a script did on a machine. The model reads the last 10 runs with the end of their output; documentation, notes of the ticket and escalations show the last 20. Returns 409 `limit_reached` if the session has 40, and 409 `wrong_state` for a closed session.',
    access: 'engineer',
    limit: 'write',
    feature,
    params: AiSessionId,
    body: AiScriptRunCreate,
    returns: ScriptRun,
    errors: ['limit_reached', 'wrong_state'],
    handle: ({ ctx, params, body }) => scriptRuns.create(ctx, params.session_id, body),
  }),
]
