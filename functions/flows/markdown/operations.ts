import { operation, stream } from '../../../lib/http/operation.ts'
import { ImportResult } from '../transfer/schemas.ts'
import { TreeId } from '../trees/schemas.ts'
import * as schemas from './schemas.ts'
import * as markdown from './service.ts'

// 4 MiB of markdown are up to twice that in JSON.
const fileBody = { body: schemas.MarkdownFlow, maxBody: 8 * 1024 * 1024 + 1024 } as const

export const treeMarkdownOperations = [
  stream({
    id: 'flows.markdown.export',
    method: 'get',
    path: '/trees/{tree_id}/export/markdown',
    summary: 'A flow as markdown, `<slug>.md`',
    description: 'Importing it gives an equal flow.',
    access: 'user',
    limit: 'read',
    params: TreeId,
    produces: ['text/markdown'],
    handle: ({ ctx, params }) => markdown.exportFile(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.markdown.import',
    method: 'post',
    path: '/trees/import/markdown',
    summary: 'Make a draft of a flow in markdown',
    description:
      'Category and tags of the same name are used, missing ones made. A file that cannot be read is 400 `markdown_invalid` with `problems`: ' +
      '`[{line, message}]`, all at once. What would stop the flow from being published comes as warnings.',
    access: 'engineer',
    limit: '10/minute',
    ...fileBody,
    success: 201,
    returns: ImportResult,
    errors: ['bad_request'],
    handle: ({ ctx, body }) => markdown.importFile(ctx, body),
  }),

  operation({
    id: 'flows.markdown.validate',
    method: 'post',
    path: '/trees/validate/markdown',
    summary: 'Everything that is wrong with a flow in markdown, by line',
    description: 'What keeps it from being read or, once it can be read, from being published. Nothing is stored.',
    access: 'engineer',
    limit: '30/minute',
    ...fileBody,
    idempotent: false,
    success: 200,
    returns: schemas.MarkdownCheck,
    handle: ({ body }) => markdown.validate(body),
  }),
]
