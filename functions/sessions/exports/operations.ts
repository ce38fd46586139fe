import { stream } from '../../../lib/http/operation.ts'
import { SessionId } from '../sessions/schemas.ts'
import * as schemas from './schemas.ts'
import * as exports from './service.ts'

export const sessionExportOperations = [
  stream({
    id: 'sessions.exports.export',
    method: 'get',
    path: '/sessions/{session_id}/export',
    summary: 'A session as a document to paste into a ticket or to hand to the client',
    description:
      'Supporting data is in all formats; the PDF wears the look of the team. The first export of a completed session is noted in its `exported_at`. What cannot be masked is not exported: 500 `masking_failed`.',
    access: 'user',
    limit: '30/minute',
    writes: true,
    params: SessionId,
    query: schemas.ExportQuery,
    errors: ['provider_error'],
    produces: ['text/markdown', 'text/plain', 'text/html', 'application/pdf'],
    handle: ({ ctx, params, query }) => exports.exportSession(ctx, params.session_id, query),
  }),
]
