import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as lists from './service.ts'

export const targetListOperations = [
  operation({
    id: 'maintenance.targetLists.list',
    route: 'GET /target-lists/',
    summary: 'List target lists',
    description: 'Lists the target lists that I can see, sorted by name.',
    access: 'user',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.TargetListItem),
    handle: ({ ctx, query }) => lists.list(ctx, query),
  }),

  operation({
    id: 'maintenance.targetLists.create',
    route: 'POST /target-lists/',
    summary: 'Create a target list for my team',
    description: 'The machines that a maintenance flow is run for, one session each.',
    access: 'engineer',
    limit: 'write',
    body: schemas.TargetListCreate,
    returns: schemas.TargetList,
    handle: ({ ctx, body }) => lists.create(ctx, body),
  }),

  operation({
    id: 'maintenance.targetLists.get',
    route: 'GET /target-lists/{list_id}',
    summary: 'Get a target list',
    description: 'The list with all its targets.',
    access: 'user',
    limit: 'read',
    params: schemas.ListId,
    returns: schemas.TargetList,
    handle: ({ ctx, params }) => lists.get(ctx, params.list_id),
  }),

  operation({
    id: 'maintenance.targetLists.update',
    route: 'PUT /target-lists/{list_id}',
    summary: 'Update a target list',
    description: 'Changes the given fields. Runs that have started keep the targets that they had.',
    access: 'engineer',
    limit: 'write',
    params: schemas.ListId,
    body: schemas.TargetListUpdate,
    returns: schemas.TargetList,
    errors: ['stale_version'],
    handle: ({ ctx, params, body }) => lists.update(ctx, params.list_id, body),
  }),

  operation({
    id: 'maintenance.targetLists.delete',
    route: 'DELETE /target-lists/{list_id}',
    summary: 'Delete a target list',
    description:
      'A list that maintenance schedules use returns 409 `in_use` with the first 20 of them in `schedules`.',
    access: 'engineer',
    limit: 'write',
    params: schemas.ListId,
    errors: ['in_use'],
    handle: ({ ctx, params }) => lists.remove(ctx, params.list_id),
  }),
]
