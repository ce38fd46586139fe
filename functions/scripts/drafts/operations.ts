import * as z from 'zod'
import { ScriptTemplate } from '#functions/scripts/scripts/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as drafts from './service.ts'

export const draftTemplateOperations = [
  operation({
    id: 'scripts.drafts.list',
    route: 'GET /draft-templates',
    summary: 'List draft templates',
    description: 'Lists scripts that were proposed as templates, newest first.',
    access: 'engineer',
    limit: 'read',
    paged: true,
    query: schemas.DraftQuery,
    returns: z.array(schemas.DraftTemplate),
    handle: ({ ctx, query }) => drafts.list(ctx, query),
  }),

  operation({
    id: 'scripts.drafts.get',
    route: 'GET /draft-templates/{draft_id}',
    summary: 'Get a draft template',
    description: 'The draft with its text, before someone accepted or rejected it.',
    access: 'engineer',
    limit: 'read',
    params: schemas.DraftId,
    returns: schemas.DraftTemplate,
    handle: ({ ctx, params }) => drafts.get(ctx, params.draft_id),
  }),

  operation({
    id: 'scripts.drafts.accept',
    route: 'POST /draft-templates/{draft_id}/accept',
    summary: 'Accept a draft template',
    description:
      'Creates a script template from the draft. Fields of the body replace those of the draft. A draft that was already accepted or rejected returns 409 `already_decided`, an unknown category 400 `unknown_category`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.DraftId,
    body: schemas.DraftAccept,
    returns: ScriptTemplate,
    errors: ['already_decided', 'unknown_category'],
    handle: ({ ctx, params, body }) => drafts.accept(ctx, params.draft_id, body),
  }),

  operation({
    id: 'scripts.drafts.reject',
    route: 'POST /draft-templates/{draft_id}/reject',
    summary: 'Reject a draft template',
    description: 'A draft that was already accepted or rejected returns 409 `already_decided`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.DraftId,
    success: 200,
    returns: schemas.DraftTemplate,
    errors: ['already_decided'],
    handle: ({ ctx, params }) => drafts.reject(ctx, params.draft_id),
  }),
]
