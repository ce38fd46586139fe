import { TreeId } from '#functions/flows/trees/schemas.ts'
import { TemplateId } from '#functions/scripts/scripts/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as gallery from './service.ts'

export const adminGalleryOperations = [
  operation({
    id: 'admin.gallery.putFlow',
    route: 'PUT /admin/gallery/flows/{tree_id}',
    summary: "Update a flow's gallery entry",
    description: `Features, sorts or hides a flow of any account. The gallery shows a published flow while its account has made it public and staff
have not hidden it.`,
    access: 'super_admin',
    platform: 'staff manage the gallery entries of every account',
    limit: 'write',
    params: TreeId,
    body: schemas.GalleryFlowUpdate,
    returns: schemas.GalleryFlowState,
    handle: ({ ctx, params, body }) => gallery.putFlow(ctx, params.tree_id, body),
  }),

  operation({
    id: 'admin.gallery.putScript',
    route: 'PUT /admin/gallery/scripts/{template_id}',
    summary: 'Feature or unfeature a script',
    description: 'The gallery shows featured scripts, without their bodies.',
    access: 'super_admin',
    platform: 'staff manage the gallery entries of every account',
    limit: 'write',
    params: TemplateId,
    body: schemas.GalleryScriptUpdate,
    returns: schemas.GalleryScriptState,
    handle: ({ ctx, params, body }) => gallery.putScript(ctx, params.template_id, body),
  }),
]
