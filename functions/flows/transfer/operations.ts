import { TreeId } from '#functions/flows/trees/schemas.ts'
import { operation, stream } from '#http/operation.ts'
import { FlowEnvelope } from '#rules/flows/rfflow.ts'
import * as schemas from './schemas.ts'
import * as transfer from './service.ts'

export const treeTransferOperations = [
  stream({
    id: 'flows.transfer.export',
    route: 'GET /trees/{tree_id}/export',
    summary: 'Export a flow as a file',
    description: 'The file is named `<slug>.rfflow`.',
    access: 'user',
    limit: 'read',
    params: TreeId,
    produces: ['application/json'],
    returns: FlowEnvelope,
    handle: ({ ctx, params }) => transfer.exportFlow(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.transfer.import',
    route: 'POST /trees/import',
    summary: 'Import a flow file as a draft',
    description:
      'A missing category is created; an existing one of the same name is used. A file with another version of the format returns 400 `unsupported_version`. ' +
      'Problems that prevent publishing are returned as warnings. A flow that cannot even be a draft, such as one with an id twice, returns 400 `flow_invalid`.',
    access: 'engineer',
    limit: '10/minute',
    body: FlowEnvelope,
    maxBody: 4 * 1024 * 1024,
    transport: { maxDepth: 128 },
    returns: schemas.ImportResult,
    errors: ['flow_invalid', 'limit_reached', 'unsupported_version'],
    handle: ({ ctx, body }) => transfer.importFlow(ctx, body),
  }),
]
