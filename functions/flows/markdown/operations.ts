import { ImportResult } from '#functions/flows/transfer/schemas.ts'
import { TreeId } from '#functions/flows/trees/schemas.ts'
import { operation, stream } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as markdown from './service.ts'

// Escaping can double the size of 4 MiB of markdown in JSON.
const fileBody = { body: schemas.MarkdownFlow, maxBody: 8 * 1024 * 1024 + 1024 } as const

export const treeMarkdownOperations = [
  stream({
    id: 'flows.markdown.export',
    route: 'GET /trees/{tree_id}/export/markdown',
    summary: 'Export a flow as markdown',
    description: 'The file is named `<slug>.md`. Importing it creates a draft with the same content.',
    access: 'user',
    limit: 'read',
    params: TreeId,
    produces: ['text/markdown'],
    handle: ({ ctx, params }) => markdown.exportMarkdown(ctx, params.tree_id),
  }),

  operation({
    id: 'flows.markdown.import',
    route: 'POST /trees/import/markdown',
    summary: 'Import a markdown flow as a draft',
    description:
      'A missing category is created; an existing one of the same name is used. A file that cannot be parsed returns 400 `markdown_invalid` with all `problems`: ' +
      '`[{line, message}]`. Problems that prevent publishing are returned as warnings.',
    access: 'engineer',
    limit: '10/minute',
    ...fileBody,
    returns: ImportResult,
    errors: ['limit_reached', 'markdown_invalid'],
    handle: ({ ctx, body }) => markdown.importMarkdown(ctx, body),
  }),

  operation({
    id: 'flows.markdown.validate',
    route: 'POST /trees/validate/markdown',
    summary: 'Validate a markdown flow',
    description:
      'Lists the lines that cannot be parsed. A file that can be parsed is also checked for problems that prevent publishing. Stores nothing.',
    access: 'engineer',
    limit: '30/minute',
    ...fileBody,
    idempotent: false,
    success: 200,
    returns: schemas.MarkdownCheck,
    handle: ({ ctx, body }) => markdown.validate(ctx, body),
  }),
]
