import { TreeId } from '#functions/flows/trees/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'

// Loaded on first use: it is not needed at start.
const loadService = () => import('./service.ts')

export const flowReviewOperations = [
  operation({
    id: 'flows.reviews.get',
    route: 'GET /trees/{tree_id}/review',
    summary: 'Get the review of a flow',
    description: 'Says who reviews the flow and when, and what happened since the last review.',
    access: 'engineer',
    limit: '30/minute',
    params: TreeId,
    returns: schemas.FlowReview,
    handle: async ({ ctx, params }) => (await loadService()).get(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.reviews.update',
    route: 'PATCH /trees/{tree_id}/review',
    summary: 'Change who reviews a flow',
    description:
      'Sets the owner and the interval. Whoever becomes the owner of a flow whose review is overdue is told.',
    access: 'engineer',
    limit: 'write',
    params: TreeId,
    body: schemas.ReviewUpdate,
    returns: schemas.FlowReview,
    handle: async ({ ctx, params, body }) => (await loadService()).update(ctx, params.tree_id, body),
  }),

  operation({
    id: 'flows.reviews.confirm',
    route: 'POST /trees/{tree_id}/review/confirm',
    summary: 'Confirm that a flow is right',
    description:
      'Its owner, its author, and the admins of its team and account may confirm a published flow; another one is 409 `wrong_state`. The next review is due after the interval, from today on.',
    access: 'engineer',
    limit: 'write',
    closedToKeys: true,
    params: TreeId,
    success: 200,
    returns: schemas.FlowReview,
    errors: ['wrong_state'],
    handle: async ({ ctx, params }) => (await loadService()).confirm(ctx, params.tree_id),
  }),
]
