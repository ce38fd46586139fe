import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import { Tree, TreeId, TreeListItem } from '../trees/schemas.ts'
import * as schemas from './schemas.ts'
import * as forks from './service.ts'

export const treeForkOperations = [
  operation({
    id: 'flows.forks.create',
    method: 'post',
    path: '/trees/{tree_id}/fork',
    summary: 'Make a draft of my own from a flow',
    description: 'Flows of the account and those that ship with the service. The fork remembers what it came from.',
    access: 'engineer',
    limit: 'write',
    params: TreeId,
    body: schemas.ForkCreate,
    success: 201,
    returns: Tree,
    handle: ({ ctx, params, body }) => forks.fork(ctx, params.tree_id, body),
  }),

  operation({
    id: 'flows.forks.list',
    method: 'get',
    path: '/trees/{tree_id}/forks',
    summary: 'The forks of a flow that I see, newest first',
    access: 'user',
    limit: 'read',
    params: TreeId,
    paged: true,
    success: 200,
    returns: z.array(TreeListItem),
    handle: ({ ctx, params, query }) => forks.list(ctx, params.tree_id, query),
  }),
]
