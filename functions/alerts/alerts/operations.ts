import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as alerts from './service.ts'

export const alertOperations = [
  operation({
    id: 'alerts.list',
    route: 'GET /alerts',
    summary: 'List recent alerts',
    description: 'Newest first, with what became of each. Alerts stay for 90 days after their last report.',
    access: 'account_admin',
    limit: 'read',
    query: schemas.AlertQuery,
    paged: true,
    returns: z.array(schemas.Alert),
    handle: ({ ctx, query }) => alerts.list(ctx, query),
  }),

  operation({
    id: 'alerts.receive',
    route: 'POST /alerts/{token}',
    summary: 'Receive alerts of monitoring',
    description:
      'Records up to 200 alerts in the format of the source, and queues the cases of those that fire for the first time. The same alert again joins its case while that is open; one that is over is noted in its case and closes nothing. A report that is repeated counts once. Accepts 600 calls per minute.',
    access: 'signed',
    platform: 'only the secret of the address identifies the account',
    limit: 'none',
    bodyFormat: 'raw',
    maxBody: 512 * 1024,
    params: schemas.AlertParams,
    success: 200,
    returns: schemas.Receipt,
    errors: ['bad_request', 'rate_limited'],
    handle: ({ ctx, params, body }) => alerts.receive(ctx, params.token, body),
  }),
]
