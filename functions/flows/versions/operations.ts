import * as z from 'zod'
import { Tree, TreeId } from '#functions/flows/trees/schemas.ts'
import * as presence from '#functions/presence/service.ts'
import { operation } from '#http/operation.ts'
import { Comparison, ComparisonQuery } from '#rules/versions/schema.ts'
import * as schemas from './schemas.ts'
import * as versions from './service.ts'

export const treeVersionOperations = [
  operation({
    id: 'flows.versions.list',
    method: 'get',
    path: '/trees/{tree_id}/versions',
    summary: 'List the versions of a flow',
    description: 'Newest first.',
    access: 'user',
    limit: 'read',
    params: TreeId,
    paged: true,
    success: 200,
    returns: z.array(schemas.TreeVersionItem),
    handle: ({ ctx, params, query }) => versions.list(ctx, params.tree_id, query),
  }),

  operation({
    id: 'flows.versions.get',
    method: 'get',
    path: '/trees/{tree_id}/versions/{version}',
    summary: 'Get a version of a flow',
    access: 'user',
    limit: 'read',
    params: schemas.VersionId,
    success: 200,
    returns: schemas.TreeVersion,
    handle: ({ ctx, params }) => versions.get(ctx, params.tree_id, params.version),
  }),

  operation({
    id: 'flows.versions.compare',
    method: 'get',
    path: '/trees/{tree_id}/versions/{version}/diff',
    summary: 'Compare two versions of a flow',
    access: 'user',
    limit: 'read',
    params: schemas.VersionId,
    query: ComparisonQuery,
    success: 200,
    returns: Comparison,
    produces: ['application/json', 'text/html'],
    handle: ({ ctx, params, query }) => versions.compare(ctx, params.tree_id, params.version, query),
  }),

  operation({
    id: 'flows.versions.restore',
    method: 'post',
    path: '/trees/{tree_id}/versions/{version}/restore',
    summary: 'Restore an old version',
    description:
      'Saves the content of the old version as the newest version. A published flow stays published: an old version that cannot be published returns 400 `flow_invalid`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.VersionId,
    success: 200,
    returns: Tree,
    errors: ['flow_invalid', 'limit_reached', 'stale_version'],
    handle: ({ ctx, params }) => presence.addColleagues(ctx, 'flow', params.tree_id, versions.restore(ctx, params.tree_id, params.version)),
  }),
]
