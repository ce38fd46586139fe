import { Tree, TreeId } from '#functions/flows/trees/schemas.ts'
import * as presence from '#functions/presence/service.ts'
import { declareVersions } from '#http/versions.ts'
import * as schemas from './schemas.ts'
import * as versions from './service.ts'

export const treeVersionOperations = declareVersions({
  group: 'flows.versions',
  name: 'a flow',
  path: '/trees/{tree_id}',
  params: TreeId,
  listDescription: 'Newest first.',
  restoreDescription:
    'Saves the content of the old version as the newest version. A published flow stays published: an old version that cannot be published returns 400 `flow_invalid`.',
  restoreErrors: ['flow_invalid', 'limit_reached', 'stale_version'],
  schemas: { item: schemas.TreeVersionItem, version: schemas.TreeVersion, resource: Tree },
  service: {
    ...versions,
    restore: (ctx, id, version) =>
      presence.addColleagues(ctx, 'flow', id, versions.restore(ctx, id, version)),
  },
})
