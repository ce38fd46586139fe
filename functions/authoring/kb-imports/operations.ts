import * as z from 'zod'
import { Tree } from '#functions/flows/trees/schemas.ts'
import { operation } from '#http/operation.ts'
import { jobSteps } from '#rules/budget.ts'
import * as schemas from './schemas.ts'
import * as imports from './service.ts'

const common = { access: 'engineer', feature: 'kb_import' } as const

export const kbImportOperations = [
  operation({
    id: 'authoring.kbImports.getQuota',
    route: 'GET /kb-imports/quota',
    summary: 'Get the knowledge import quota',
    description: 'Returns how many articles my account has imported, and how many its plan allows in total.',
    ...common,
    limit: 'read',
    returns: schemas.KbQuota,
    handle: ({ ctx }) => imports.getQuota(ctx),
  }),

  operation({
    id: 'authoring.kbImports.create',
    route: 'POST /kb-imports',
    summary: 'Import an article',
    description:
      'Accepts markdown, text, HTML, docx or PDF, as a form with one `file` or as JSON. The extension of a file name determines the format, or else the media type. An article has at most 5 MiB and 900,000 characters of text, a PDF at most 300 pages. A PDF without texts, such as a scan, is a 422. Returns 403 `kb_quota_exceeded` when the plan’s lifetime limit is reached. A rejected article is not counted.',
    ...common,
    limit: '10/minute',
    bodyFormat: 'file',
    body: schemas.KbImportCreate,
    maxBody: 10 * 1024 * 1024,
    maxSteps: jobSteps,
    returns: schemas.KbImport,
    errors: ['kb_quota_exceeded'],
    handle: ({ ctx, body }) => imports.create(ctx, body),
  }),

  operation({
    id: 'authoring.kbImports.list',
    route: 'GET /kb-imports',
    summary: 'List knowledge imports',
    description: 'Lists the imports of my team and my own, newest first. Account admins see all.',
    ...common,
    limit: 'read',
    query: schemas.KbImportQuery,
    paged: true,
    returns: z.array(schemas.KbImportItem),
    handle: ({ ctx, query }) => imports.list(ctx, query),
  }),

  operation({
    id: 'authoring.kbImports.get',
    route: 'GET /kb-imports/{import_id}',
    summary: 'Get a knowledge import',
    description: 'The article as it was read, and its conversion when it has one.',
    ...common,
    limit: 'read',
    params: schemas.ImportId,
    returns: schemas.KbImport,
    handle: ({ ctx, params }) => imports.get(ctx, params.import_id),
  }),

  operation({
    id: 'authoring.kbImports.convert',
    route: 'POST /kb-imports/{import_id}/convert',
    summary: 'Convert an article to nodes',
    description:
      'Creates at most 100 nodes. They contain the whole text of the article, in order and word for word: the model only groups the pieces and names the groups. Existing nodes are replaced. Returns 409 `already_committed` with `tree_id` for a committed import.',
    ...common,
    limit: 'ai',
    strictLimit: 'ai',
    params: schemas.ImportId,
    success: 200,
    returns: schemas.KbImport,
    errors: ['ai_budget_exhausted', 'ai_provider_error', 'already_committed'],
    idempotent: 'leased',
    background: true,
    handle: ({ ctx, params }) => imports.convert(ctx, params.import_id),
  }),

  operation({
    id: 'authoring.kbImports.updateNode',
    route: 'PATCH /kb-imports/{import_id}/nodes/{node_id}',
    summary: 'Update or move a node',
    description:
      'A node moves together with its descendants, and the positions of the other nodes are renumbered. Returns 409 `already_committed` with `tree_id` for a committed import.',
    ...common,
    limit: 'write',
    params: schemas.NodeId,
    body: schemas.KbNodeUpdate,
    returns: schemas.KbNode,
    errors: ['already_committed', 'stale_version'],
    handle: ({ ctx, params, body }) => imports.updateNode(ctx, params.import_id, params.node_id, body),
  }),

  operation({
    id: 'authoring.kbImports.commit',
    route: 'POST /kb-imports/{import_id}/commit',
    alsoNeeds: ['flows:write'],
    summary: 'Publish the nodes as a flow',
    description:
      'Returns 422 with every problem that prevents publishing, 409 `already_committed` with `tree_id` for a committed import, and 409 `not_converted` before the conversion.',
    ...common,
    limit: 'write',
    params: schemas.ImportId,
    body: schemas.KbImportCommit,
    returns: Tree,
    errors: ['already_committed', 'limit_reached', 'not_converted'],
    handle: ({ ctx, params, body }) => imports.commit(ctx, params.import_id, body),
  }),

  operation({
    id: 'authoring.kbImports.delete',
    route: 'DELETE /kb-imports/{import_id}',
    summary: 'Delete a knowledge import',
    description:
      'The flow that was created from the import stays. The import still counts towards the quota.',
    ...common,
    limit: 'write',
    params: schemas.ImportId,
    handle: ({ ctx, params }) => imports.remove(ctx, params.import_id),
  }),
]
