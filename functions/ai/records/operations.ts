import { AiSessionId } from '#functions/ai/sessions/schemas.ts'
import { SignedRecord } from '#functions/sessions/records/schemas.ts'
import { operation } from '#http/operation.ts'
import { jobSteps } from '#rules/budget.ts'
import * as records from './service.ts'

export const aiRecordOperations = [
  operation({
    id: 'ai.records.get',
    route: 'GET /ai-sessions/{session_id}/record',
    summary: 'Get the signed record of an AI session',
    description:
      'Everything that is stored of a case: messages, steps, facts, fixes, outputs, escalations with who claimed and acknowledged them, scripts and times, with the SHA-256 of images. It is not masked, and people are ids. `verifyRecord` of the typed client verifies it offline. A record of more than 8 MiB returns 409 `limit_reached`.',
    access: 'user',
    limit: '30/minute',
    feature: 'ai_sessions',
    params: AiSessionId,
    maxSteps: jobSteps,
    returns: SignedRecord,
    errors: ['limit_reached'],
    handle: ({ ctx, params }) => records.get(ctx, params.session_id),
  }),
]
