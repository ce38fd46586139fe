import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as gallery from './service.ts'

const publicRead = {
  access: 'public',
  platform: 'the gallery lists the public flows of every account',
  limit: '30/minute/ip',
  strictLimit: 'public',
  transport: { maxAgeSeconds: 60 },
} as const
// While the gallery is switched off.
const errors = ['not_found'] as const

export const galleryOperations = [
  operation({
    id: 'flows.gallery.list',
    route: 'GET /public/templates',
    summary: 'List public flows and scripts',
    description: 'Returns 404 while the gallery is switched off, like every operation of the gallery.',
    ...publicRead,
    errors,
    query: schemas.GalleryQuery,
    returns: schemas.GalleryPage,
    handle: ({ ctx, query }) => gallery.list(ctx, query),
  }),

  operation({
    id: 'flows.gallery.listCategories',
    route: 'GET /public/templates/categories',
    summary: 'List gallery categories',
    description: 'Includes the number of items in each category.',
    ...publicRead,
    errors,
    returns: z.array(schemas.GalleryCategory),
    handle: ({ ctx }) => gallery.listCategories(ctx),
  }),

  operation({
    id: 'flows.gallery.search',
    route: 'GET /public/templates/search',
    summary: 'Search the gallery',
    description: 'Published flows and scripts whose name or description has the words, the best match first.',
    ...publicRead,
    errors,
    query: schemas.GallerySearch,
    returns: schemas.GalleryPage,
    handle: ({ ctx, query }) => gallery.search(ctx, query),
  }),

  operation({
    id: 'flows.gallery.getFlow',
    route: 'GET /public/templates/flows/{tree_id}',
    summary: 'Get a public flow',
    description: 'Includes the first three levels of a tree, or all steps of a list.',
    ...publicRead,
    params: schemas.FlowId,
    returns: schemas.GalleryFlow,
    handle: ({ ctx, params }) => gallery.getFlow(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.gallery.getScript',
    route: 'GET /public/templates/scripts/{slug}',
    summary: 'Get a script of the gallery',
    description: 'Includes the parameters of the script, but not its body.',
    ...publicRead,
    params: schemas.Slug,
    returns: schemas.GalleryScript,
    handle: ({ ctx, params }) => gallery.getScript(ctx, params.slug),
  }),
]
