import * as z from 'zod'
import { Receipt } from '#functions/alerts/alerts/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as sources from './service.ts'

export const alertSourceOperations = [
  operation({
    id: 'alerts.sources.list',
    route: 'GET /alert-sources',
    summary: 'List alert sources',
    description: 'The sources of my account, newest first, without their addresses.',
    access: 'account_admin',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.Source),
    handle: ({ ctx, query }) => sources.list(ctx, query),
  }),

  operation({
    id: 'alerts.sources.create',
    route: 'POST /alert-sources',
    summary: 'Create an alert source',
    description:
      'Enter the address of the answer in the monitoring: whoever knows it can open cases. An alert that fires opens a case of `user_id`, an AI session or a prepared session of `tree_id`; the same alert again joins its case while that is open.',
    access: 'account_admin',
    stepUp: true,
    limit: '10/minute',
    // A stored response would contain the secret.
    idempotent: false,
    body: schemas.SourceCreate,
    returns: schemas.SourceWithAddress,
    errors: ['limit_reached', 'not_found', 'not_published'],
    handle: ({ ctx, body }) => sources.create(ctx, body),
  }),

  operation({
    id: 'alerts.sources.update',
    route: 'PATCH /alert-sources/{source_id}',
    summary: 'Change an alert source',
    description: 'Fields left out stay as they are.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.SourceId,
    body: schemas.SourceUpdate,
    returns: schemas.Source,
    errors: ['not_published'],
    handle: ({ ctx, params, body }) => sources.update(ctx, params.source_id, body),
  }),

  operation({
    id: 'alerts.sources.delete',
    route: 'DELETE /alert-sources/{source_id}',
    summary: 'Delete an alert source',
    description: 'Deletes its alerts too. Cases that it has opened stay.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.SourceId,
    handle: ({ ctx, params }) => sources.remove(ctx, params.source_id),
  }),

  operation({
    id: 'alerts.sources.rotate',
    route: 'POST /alert-sources/{source_id}/rotate',
    summary: 'Replace the address of a source',
    description: 'The earlier address stops working.',
    access: 'account_admin',
    stepUp: true,
    limit: '10/minute',
    // A stored response would contain the secret.
    idempotent: false,
    params: schemas.SourceId,
    success: 200,
    returns: schemas.SourceWithAddress,
    handle: ({ ctx, params }) => sources.rotate(ctx, params.source_id),
  }),

  operation({
    id: 'alerts.sources.test',
    route: 'POST /alert-sources/{source_id}/test',
    summary: 'Send a test alert',
    description:
      'Acts as if the source had sent an alert with this title: it opens a case. Sent again while the case is open, it joins it.',
    access: 'account_admin',
    platform: 'records the alert as its address does',
    limit: '5/minute',
    params: schemas.SourceId,
    success: 200,
    returns: Receipt,
    handle: ({ ctx, params }) => sources.test(ctx, params.source_id),
  }),
]
