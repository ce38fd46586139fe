import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as gallery from './service.ts'

const open = {
  access: 'public',
  platform: 'the gallery shows what every account made public',
  limit: '30/minute/ip',
  errors: ['not_found'],
  freshSeconds: 60,
} as const

export const galleryOperations = [
  operation({
    id: 'flows.gallery.list',
    method: 'get',
    path: '/public/templates',
    summary: 'Public flows and scripts, a page at a time',
    description: '404 while the gallery is switched off, like all of its operations.',
    ...open,
    query: schemas.GalleryQuery,
    success: 200,
    returns: schemas.GalleryPage,
    handle: ({ ctx, query }) => gallery.list(ctx, query),
  }),

  operation({
    id: 'flows.gallery.listCategories',
    method: 'get',
    path: '/public/templates/categories',
    summary: 'The gallery’s categories, with how many items each has',
    ...open,
    success: 200,
    returns: z.array(schemas.GalleryCategory),
    handle: ({ ctx }) => gallery.categories(ctx),
  }),

  operation({
    id: 'flows.gallery.search',
    method: 'get',
    path: '/public/templates/search',
    summary: 'Look for words in the gallery',
    ...open,
    query: schemas.GallerySearch,
    success: 200,
    returns: schemas.GalleryPage,
    handle: ({ ctx, query }) => gallery.search(ctx, query),
  }),

  operation({
    id: 'flows.gallery.getFlow',
    method: 'get',
    path: '/public/templates/flows/{tree_id}',
    summary: 'A public flow, with the first three levels of its structure',
    ...open,
    params: schemas.FlowId,
    success: 200,
    returns: schemas.GalleryFlow,
    handle: ({ ctx, params }) => gallery.flow(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.gallery.getScript',
    method: 'get',
    path: '/public/templates/scripts/{slug}',
    summary: 'A script of the gallery, with what it asks for and without its body',
    ...open,
    params: schemas.Slug,
    success: 200,
    returns: schemas.GalleryScript,
    handle: ({ ctx, params }) => gallery.script(ctx, params.slug),
  }),
]
