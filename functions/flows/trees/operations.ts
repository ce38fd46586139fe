import * as z from 'zod'
import * as presence from '#functions/presence/service.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as trees from './service.ts'

const flowBody = { maxBody: 4 * 1024 * 1024, transport: { maxDepth: 128 } } as const

export const treeOperations = [
  operation({
    id: 'flows.trees.list',
    route: 'GET /trees',
    summary: 'List flows',
    description:
      'Lists the flows of the account that I can see, and the flows that ship with the service. Most used first unless `sort_by` is set.',
    access: 'user',
    limit: 'read',
    paged: true,
    query: schemas.TreeQuery,
    returns: z.array(schemas.TreeListItem),
    handle: ({ ctx, query }) => trees.list(ctx, query),
  }),

  operation({
    id: 'flows.trees.create',
    route: 'POST /trees',
    summary: 'Create a flow',
    description:
      'The flow is published unless `status` is `draft`. A flow that fails validation returns 400 `flow_invalid` with all `errors`: `[{node_id, path, message}]`.',
    access: 'engineer',
    limit: 'write',
    body: schemas.TreeCreate,
    ...flowBody,
    returns: schemas.Tree,
    errors: ['flow_invalid', 'limit_reached'],
    handle: ({ ctx, body }) => trees.create(ctx, body),
  }),

  operation({
    id: 'flows.trees.get',
    route: 'GET /trees/{tree_id}',
    summary: 'Get a flow',
    description: 'Includes the structure and the intake form.',
    access: 'user',
    limit: 'read',
    params: schemas.TreeId,
    returns: schemas.Tree,
    handle: ({ ctx, params }) => trees.get(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.trees.update',
    route: 'PUT /trees/{tree_id}',
    summary: 'Update a flow',
    description:
      'Changes the fields of the body and saves a new version. A published flow stays published and must pass validation (400 `flow_invalid`), ' +
      'unless `status` is `draft`. `replay` also says with the version what became of earlier runs, and needs `sessions:read`. An outdated `expected_version` returns 409 `stale_version` with `current_version`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.TreeId,
    body: schemas.TreeUpdate,
    ...flowBody,
    returns: schemas.Tree,
    errors: ['flow_invalid', 'limit_reached', 'stale_version'],
    handle: ({ ctx, params, body }) =>
      presence.addColleagues(ctx, 'flow', params.tree_id, trees.update(ctx, params.tree_id, body)),
  }),

  operation({
    id: 'flows.trees.delete',
    route: 'DELETE /trees/{tree_id}',
    summary: 'Delete a flow',
    description:
      'Running sessions continue. The share links of the flow stop working, and its library steps become inactive.',
    access: 'engineer',
    limit: 'write',
    params: schemas.TreeId,
    handle: ({ ctx, params }) => trees.remove(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.trees.validatePublish',
    route: 'POST /trees/{tree_id}/can-publish',
    summary: 'Check whether a flow can be published',
    description: 'Lists every error that prevents publishing, and every warning.',
    access: 'user',
    limit: 'read',
    params: schemas.TreeId,
    idempotent: false,
    success: 200,
    returns: schemas.PublishCheck,
    handle: ({ ctx, params }) => trees.validatePublish(ctx, params.tree_id),
  }),
]
