import * as z from 'zod'
import { TreeId } from '#functions/flows/trees/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'

// Loaded on first use: it is not needed at start.
const loadService = () => import('./service.ts')

export const flowHealthOperations = [
  operation({
    id: 'flows.health.list',
    route: 'GET /trees/health',
    summary: 'List the health of flows',
    description:
      'Lists the published flows of the account that I can see. Those with the most sessions of the last 90 days that ended unresolved come first, then those with the most broken links.',
    access: 'engineer',
    limit: '30/minute',
    paged: true,
    returns: z.array(schemas.FlowHealth),
    handle: async ({ ctx, query }) => (await loadService()).list(ctx, query),
  }),

  operation({
    id: 'flows.health.get',
    route: 'GET /trees/{tree_id}/health',
    summary: 'Get the health of a flow',
    description:
      'Lists what an author should look at, such as options that nobody chooses, steps that many skip, broken links and a low share of resolved sessions. With fewer than 20 sessions, steps are not judged: `not_enough_sessions`.',
    access: 'engineer',
    limit: '30/minute',
    params: TreeId,
    returns: schemas.FlowHealth,
    handle: async ({ ctx, params }) => (await loadService()).get(ctx, params.tree_id),
  }),
]
