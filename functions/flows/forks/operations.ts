import * as z from 'zod'
import { Tree, TreeId, TreeListItem } from '#functions/flows/trees/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as forks from './service.ts'

export const treeForkOperations = [
  operation({
    id: 'flows.forks.create',
    route: 'POST /trees/{tree_id}/fork',
    summary: 'Fork a flow',
    description:
      'The fork is a draft that belongs to me. Flows of the account and flows that ship with the service can be forked.',
    access: 'engineer',
    limit: 'write',
    params: TreeId,
    body: schemas.ForkCreate,
    returns: Tree,
    errors: ['limit_reached'],
    handle: ({ ctx, params, body }) => forks.create(ctx, params.tree_id, body),
  }),

  operation({
    id: 'flows.forks.list',
    route: 'GET /trees/{tree_id}/forks',
    summary: 'List the forks of a flow',
    description: 'The forks that I can see, newest first.',
    access: 'user',
    limit: 'read',
    params: TreeId,
    paged: true,
    returns: z.array(TreeListItem),
    handle: ({ ctx, params, query }) => forks.list(ctx, params.tree_id, query),
  }),
]
