import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import { ScriptTemplate } from '../scripts/schemas.ts'
import * as schemas from './schemas.ts'
import * as drafts from './service.ts'

export const draftTemplateOperations = [
  operation({
    id: 'scripts.drafts.list',
    method: 'get',
    path: '/draft-templates',
    summary: 'Scripts that wait to become templates, newest first',
    access: 'engineer',
    limit: 'read',
    paged: true,
    query: schemas.DraftQuery,
    success: 200,
    returns: z.array(schemas.DraftTemplate),
    handle: ({ ctx, query }) => drafts.list(ctx, query),
  }),

  operation({
    id: 'scripts.drafts.get',
    method: 'get',
    path: '/draft-templates/{draft_id}',
    summary: 'One draft',
    access: 'engineer',
    limit: 'read',
    params: schemas.DraftId,
    success: 200,
    returns: schemas.DraftTemplate,
    handle: ({ ctx, params }) => drafts.get(ctx, params.draft_id),
  }),

  operation({
    id: 'scripts.drafts.accept',
    method: 'post',
    path: '/draft-templates/{draft_id}/accept',
    summary: 'Make a template of a draft, edited or as it is',
    description: 'One that was accepted or rejected already is 409 `draft_resolved`, a category that is not there 400 `unknown_category`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.DraftId,
    body: schemas.DraftAccept,
    success: 201,
    returns: ScriptTemplate,
    errors: ['bad_request', 'conflict'],
    handle: ({ ctx, params, body }) => drafts.accept(ctx, params.draft_id, body),
  }),

  operation({
    id: 'scripts.drafts.reject',
    method: 'post',
    path: '/draft-templates/{draft_id}/reject',
    summary: 'Reject a draft',
    description: 'One that was accepted or rejected already is 409 `draft_resolved`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.DraftId,
    success: 200,
    returns: schemas.DraftTemplate,
    errors: ['conflict'],
    handle: ({ ctx, params }) => drafts.reject(ctx, params.draft_id),
  }),
]
