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
      'Lists what an author should look at: what the structure proves, such as steps that cannot be reached, and what sessions show, such as options that nobody chooses. With fewer than 20 sessions, steps are not judged: `not_enough_sessions`.',
    access: 'engineer',
    limit: '30/minute',
    params: TreeId,
    returns: schemas.FlowHealth,
    handle: async ({ ctx, params }) => (await loadService()).get(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.health.dismiss',
    route: 'POST /trees/{tree_id}/health/{finding_id}/dismiss',
    summary: 'Dismiss a finding of a flow',
    description:
      'Says that the finding is not for this flow. It stays dismissed over versions until its step changes, and is no warning of `can-publish` either. Repeating it changes nothing.',
    access: 'engineer',
    limit: 'write',
    params: schemas.FindingId,
    success: 200,
    returns: schemas.FlowHealth,
    handle: async ({ ctx, params }) => (await loadService()).dismiss(ctx, params.tree_id, params.finding_id),
  }),

  operation({
    id: 'flows.health.undismiss',
    route: 'DELETE /trees/{tree_id}/health/{finding_id}/dismiss',
    summary: 'Show a dismissed finding again',
    description: 'A finding that is not dismissed stays as it is.',
    access: 'engineer',
    limit: 'write',
    params: schemas.FindingId,
    handle: async ({ ctx, params }) =>
      (await loadService()).undismiss(ctx, params.tree_id, params.finding_id),
  }),
]
