import * as z from 'zod'
import { TreeId, TreeListItem } from '#functions/flows/trees/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as pins from './service.ts'

export const treePinOperations = [
  operation({
    id: 'flows.pins.list',
    route: 'GET /trees/pinned',
    summary: 'List my pinned flows',
    description: 'Sorted in the order that I chose.',
    access: 'user',
    limit: 'read',
    returns: z.array(TreeListItem),
    handle: ({ ctx }) => pins.list(ctx),
  }),

  operation({
    id: 'flows.pins.reorder',
    route: 'PATCH /trees/pinned/reorder',
    summary: 'Reorder my pinned flows',
    description: 'Sends the ids in the new order, and answers the pinned flows in it.',
    access: 'user',
    limit: 'write',
    body: schemas.PinOrder,
    returns: z.array(TreeListItem),
    handle: ({ ctx, body }) => pins.reorder(ctx, body.tree_ids),
  }),

  operation({
    id: 'flows.pins.pin',
    route: 'POST /trees/{tree_id}/pin',
    summary: 'Pin a flow',
    description: `The flow becomes my last pin. Pinning it again changes nothing. I can have at most ${schemas.maxPins} pins: 409 \`limit_reached\`.`,
    access: 'user',
    limit: 'write',
    params: TreeId,
    success: 200,
    returns: z.array(TreeListItem),
    errors: ['limit_reached'],
    handle: ({ ctx, params }) => pins.pin(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.pins.unpin',
    route: 'DELETE /trees/{tree_id}/pin',
    summary: 'Unpin a flow',
    description: 'The flow itself stays as it is. Unpinning a flow that is not pinned has no effect.',
    access: 'user',
    limit: 'write',
    params: TreeId,
    handle: ({ ctx, params }) => pins.unpin(ctx, params.tree_id),
  }),
]
