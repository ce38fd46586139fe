import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as categories from './service.ts'

export const categoryOperations = [
  operation({
    id: 'flows.categories.list',
    route: 'GET /categories',
    summary: 'List flow categories',
    description: 'Sorted by name. `flow_count` counts the flows that I can see.',
    access: 'user',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.Category),
    handle: ({ ctx, query }) => categories.list(ctx, query),
  }),

  operation({
    id: 'flows.categories.create',
    route: 'POST /categories',
    summary: 'Create a category',
    description: 'Names are unique in the account, ignoring case: a duplicate returns 409 `name_taken`.',
    access: 'engineer',
    limit: 'write',
    body: schemas.CategoryCreate,
    returns: schemas.Category,
    errors: ['name_taken'],
    handle: ({ ctx, body }) => categories.create(ctx, body.name),
  }),

  operation({
    id: 'flows.categories.rename',
    route: 'PUT /categories/{category_id}',
    summary: 'Rename a category',
    description: 'The flows of the category keep it under its new name.',
    access: 'engineer',
    limit: 'write',
    params: schemas.CategoryId,
    body: schemas.CategoryUpdate,
    returns: schemas.Category,
    errors: ['name_taken'],
    handle: ({ ctx, params, body }) => categories.rename(ctx, params.category_id, body.name),
  }),

  operation({
    id: 'flows.categories.delete',
    route: 'DELETE /categories/{category_id}',
    summary: 'Delete a category',
    description: 'The flows of the category stay and have no category.',
    access: 'engineer',
    limit: 'write',
    params: schemas.CategoryId,
    handle: ({ ctx, params }) => categories.remove(ctx, params.category_id),
  }),

  operation({
    id: 'flows.categories.listTags',
    route: 'GET /tags',
    summary: 'List the tags in use',
    description: 'The tags of the flows that I can see, most used first.',
    access: 'user',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.Tag),
    handle: ({ ctx, query }) => categories.listTags(ctx, query),
  }),
]
