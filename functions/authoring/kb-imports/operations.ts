import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import { Tree } from '../../flows/trees/schemas.ts'
import * as schemas from './schemas.ts'
import * as imports from './service.ts'

const common = { access: 'engineer', feature: 'kb_import' } as const

export const kbImportOperations = [
  operation({
    id: 'authoring.kbImports.getQuota',
    method: 'get',
    path: '/kb-imports/quota',
    summary: 'How many imports my account has made, and may make in all',
    ...common,
    limit: 'read',
    success: 200,
    returns: schemas.KbQuota,
    handle: ({ ctx }) => imports.quota(ctx),
  }),

  operation({
    id: 'authoring.kbImports.create',
    method: 'post',
    path: '/kb-imports',
    summary: 'Upload an article: markdown, text, HTML or docx',
    description:
      'A form with one `file`, by its name and its content, or JSON. At most 5 MB and 900,000 characters. Over the plan’s lifetime limit: 403 `kb_quota_exceeded`; an article that is refused is not counted.',
    ...common,
    limit: '10/minute',
    takes: 'file',
    body: schemas.KbImportCreate,
    maxBody: 10 * 1024 * 1024,
    success: 201,
    returns: schemas.KbImport,
    handle: ({ ctx, body }) => imports.create(ctx, body),
  }),

  operation({
    id: 'authoring.kbImports.list',
    method: 'get',
    path: '/kb-imports',
    summary: 'The imports of my team, newest first',
    ...common,
    limit: 'read',
    query: schemas.KbImportQuery,
    paged: true,
    success: 200,
    returns: z.array(schemas.KbImportItem),
    handle: ({ ctx, query }) => imports.list(ctx, query),
  }),

  operation({
    id: 'authoring.kbImports.get',
    method: 'get',
    path: '/kb-imports/{import_id}',
    summary: 'One import with its nodes',
    ...common,
    limit: 'read',
    params: schemas.ImportId,
    success: 200,
    returns: schemas.KbImport,
    handle: ({ ctx, params }) => imports.get(ctx, params.import_id),
  }),

  operation({
    id: 'authoring.kbImports.convert',
    method: 'post',
    path: '/kb-imports/{import_id}/convert',
    summary: 'Make nodes of an article, at most 100',
    description:
      'Every text of the article is in one of them, in its order and word for word: the model only groups and names them. Nodes that were there are replaced. Of a committed import: 409 `already_committed` with `tree_id`.',
    ...common,
    limit: 'ai',
    params: schemas.ImportId,
    success: 200,
    returns: schemas.KbImport,
    errors: ['conflict', 'ai_provider_error'],
    idempotent: 'leased',
    handle: ({ ctx, params }) => imports.convert(ctx, params.import_id),
  }),

  operation({
    id: 'authoring.kbImports.updateNode',
    method: 'patch',
    path: '/kb-imports/{import_id}/nodes/{node_id}',
    summary: 'Change a node, or move it with all that is below it',
    description:
      'A move makes room: the positions of the others are counted anew. Of a committed import: 409 `already_committed` with `tree_id`.',
    ...common,
    limit: 'write',
    params: schemas.NodeId,
    body: schemas.KbNodeUpdate,
    success: 200,
    returns: schemas.KbNode,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => imports.updateNode(ctx, params.import_id, params.node_id, body),
  }),

  operation({
    id: 'authoring.kbImports.commit',
    method: 'post',
    path: '/kb-imports/{import_id}/commit',
    summary: 'Make a published flow of the nodes',
    description:
      'What would stop the flow from being published is 422, with a message for each node. A second commit is 409 `already_committed` with `tree_id`, one before the conversion 409 `not_converted`.',
    ...common,
    limit: 'write',
    params: schemas.ImportId,
    body: schemas.KbImportCommit,
    success: 201,
    returns: Tree,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => imports.commit(ctx, params.import_id, body),
  }),

  operation({
    id: 'authoring.kbImports.delete',
    method: 'delete',
    path: '/kb-imports/{import_id}',
    summary: 'Delete an import; the flow that it became stays',
    description: 'The quota does not grow again.',
    ...common,
    limit: 'write',
    params: schemas.ImportId,
    success: 204,
    handle: ({ ctx, params }) => imports.remove(ctx, params.import_id),
  }),
]
