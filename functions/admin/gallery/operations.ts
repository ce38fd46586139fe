import { operation } from '../../../lib/http/operation.ts'
import { TreeId } from '../../flows/trees/schemas.ts'
import { TemplateId } from '../../scripts/scripts/schemas.ts'
import * as schemas from './schemas.ts'
import * as gallery from './service.ts'

export const adminGalleryOperations = [
  operation({
    id: 'admin.gallery.putFlow',
    method: 'put',
    path: '/admin/gallery/flows/{tree_id}',
    summary: 'Feature a flow in the public gallery, or take it out',
    description: 'Says nothing of whether its account makes it public: it is shown while both do.',
    access: 'super_admin',
    platform: 'staff look after what every account shows the world',
    limit: 'write',
    params: TreeId,
    body: schemas.GalleryFlowUpdate,
    success: 200,
    returns: schemas.GalleryFlowState,
    handle: ({ ctx, params, body }) => gallery.putFlow(ctx, params.tree_id, body),
  }),

  operation({
    id: 'admin.gallery.putScript',
    method: 'put',
    path: '/admin/gallery/scripts/{template_id}',
    summary: 'Put a script into the public gallery, or take it out',
    access: 'super_admin',
    platform: 'staff look after what every account shows the world',
    limit: 'write',
    params: TemplateId,
    body: schemas.GalleryScriptUpdate,
    success: 200,
    returns: schemas.GalleryScriptState,
    handle: ({ ctx, params, body }) => gallery.putScript(ctx, params.template_id, body),
  }),
]
