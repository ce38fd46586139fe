import { SessionId } from '#functions/sessions/sessions/schemas.ts'
import { stream } from '#http/operation.ts'
import { jobSteps } from '#rules/budget.ts'
import * as schemas from './schemas.ts'
import * as exports from './service.ts'

export const sessionExportOperations = [
  stream({
    id: 'sessions.exports.export',
    route: 'GET /sessions/{session_id}/export',
    summary: 'Export a session as a document',
    description:
      'Creates a document for a ticket or for the client. Every format includes supporting data; the PDF uses the branding of the team. The first export of a completed session sets its `exported_at`. Texts that take too much work to mask or to write are left out, with a mark in their place. If masking fails, nothing is exported: 500 `masking_failed`.',
    access: 'user',
    limit: '30/minute',
    transport: { writes: true },
    params: SessionId,
    query: schemas.ExportQuery,
    maxSteps: jobSteps,
    errors: ['masking_failed', 'provider_error'],
    produces: ['text/markdown', 'text/plain', 'text/html', 'application/pdf'],
    handle: ({ ctx, params, query }) => exports.exportSession(ctx, params.session_id, query),
  }),
]
