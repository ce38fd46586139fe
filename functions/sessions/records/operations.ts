import { SessionId } from '#functions/sessions/sessions/schemas.ts'
import { operation } from '#http/operation.ts'
import { jobSteps } from '#rules/budget.ts'
import * as schemas from './schemas.ts'
import * as records from './service.ts'

export const sessionRecordOperations = [
  operation({
    id: 'sessions.records.get',
    route: 'GET /sessions/{session_id}/record',
    summary: 'Get the signed record of a session',
    description:
      'Everything that is stored of a run and its sub-flows: what was asked, answers, evidence with the SHA-256 of images, approvals, scripts and times. It is not masked, and people are ids. `verifyRecord` of the typed client verifies it offline. A record of more than 8 MiB returns 409 `limit_reached`.',
    access: 'user',
    limit: '30/minute',
    params: SessionId,
    maxSteps: jobSteps,
    returns: schemas.SignedRecord,
    errors: ['limit_reached'],
    handle: ({ ctx, params }) => records.get(ctx, params.session_id),
  }),
]
