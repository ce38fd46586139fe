import { Envelope } from '../../../lib/flows/envelope.ts'
import { operation, stream } from '../../../lib/http/operation.ts'
import { TreeId } from '../trees/schemas.ts'
import * as schemas from './schemas.ts'
import * as transfer from './service.ts'

export const treeTransferOperations = [
  stream({
    id: 'flows.transfer.export',
    method: 'get',
    path: '/trees/{tree_id}/export',
    summary: 'A flow as a file, `<slug>.rfflow`',
    access: 'user',
    limit: 'read',
    params: TreeId,
    produces: ['application/json'],
    returns: Envelope,
    handle: ({ ctx, params }) => transfer.exportFile(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.transfer.import',
    method: 'post',
    path: '/trees/import',
    summary: 'Make a draft of a flow file',
    description:
      'Category and tags of the same name are used, missing ones made. Another version of the format is 400 `unsupported_version`. ' +
      'What would stop the flow from being published comes as warnings.',
    access: 'engineer',
    limit: '10/minute',
    body: Envelope,
    maxBody: 4 * 1024 * 1024,
    maxDepth: 128,
    success: 201,
    returns: schemas.ImportResult,
    errors: ['bad_request'],
    handle: ({ ctx, body }) => transfer.importFile(ctx, body),
  }),
]
