import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as trees from './service.ts'

const flowBody = { maxBody: 4 * 1024 * 1024, maxDepth: 128 } as const

export const treeOperations = [
  operation({
    id: 'flows.trees.list',
    method: 'get',
    path: '/trees',
    summary: 'The flows I see, most used first',
    description: 'The account’s as far as they are shared with me, and those that ship with the service.',
    access: 'user',
    limit: 'read',
    paged: true,
    query: schemas.TreeQuery,
    success: 200,
    returns: z.array(schemas.TreeListItem),
    handle: ({ ctx, query }) => trees.list(ctx, query),
  }),

  operation({
    id: 'flows.trees.create',
    method: 'post',
    path: '/trees',
    summary: 'Create a flow',
    description:
      'Published when it passes validation, unless `status: "draft"` is given. What stops it is 400 `flow_invalid` with `errors`: `[{node_id, path, message}]`, all at once.',
    access: 'engineer',
    limit: 'write',
    body: schemas.TreeCreate,
    ...flowBody,
    success: 201,
    returns: schemas.Tree,
    errors: ['bad_request'],
    handle: ({ ctx, body }) => trees.create(ctx, body),
  }),

  operation({
    id: 'flows.trees.get',
    method: 'get',
    path: '/trees/{tree_id}',
    summary: 'One flow, with its structure and intake form',
    access: 'user',
    limit: 'read',
    params: schemas.TreeId,
    success: 200,
    returns: schemas.Tree,
    handle: ({ ctx, params }) => trees.get(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.trees.update',
    method: 'put',
    path: '/trees/{tree_id}',
    summary: 'Save a flow as its next version',
    description:
      'Changes what is given. A published flow stays published and must pass validation (400 `flow_invalid`), unless `status: "draft"` takes it back. ' +
      'With a stale `expected_version`: 409 `stale_version` with `current_version`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.TreeId,
    body: schemas.TreeUpdate,
    ...flowBody,
    success: 200,
    returns: schemas.Tree,
    errors: ['bad_request', 'conflict'],
    handle: ({ ctx, params, body }) => trees.update(ctx, params.tree_id, body),
  }),

  operation({
    id: 'flows.trees.delete',
    method: 'delete',
    path: '/trees/{tree_id}',
    summary: 'Delete a flow',
    description: 'Sessions that run it go on; its shares end and its steps leave the library.',
    access: 'engineer',
    limit: 'write',
    params: schemas.TreeId,
    success: 204,
    handle: ({ ctx, params }) => trees.remove(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.trees.validatePublish',
    method: 'post',
    path: '/trees/{tree_id}/can-publish',
    summary: 'Everything that stops a flow from being published',
    access: 'user',
    limit: 'read',
    params: schemas.TreeId,
    idempotent: false,
    success: 200,
    returns: schemas.PublishCheck,
    handle: ({ ctx, params }) => trees.canPublish(ctx, params.tree_id),
  }),
]
