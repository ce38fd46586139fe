import { operation } from '../../lib/http/operation.ts'
import { TreeId } from '../trees/schemas.ts'
import * as schemas from './schemas.ts'
import * as gallery from './service.ts'

export const adminGalleryOperations = [
  operation({
    id: 'admin.putGalleryFlow',
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
]
