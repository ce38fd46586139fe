import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'

// Loaded on first use: most processes never import many articles.
const load = () => import('./service.ts')

const common = { access: 'engineer', feature: 'kb_import' } as const

export const kbBatchOperations = [
  operation({
    id: 'authoring.kbBatches.create',
    route: 'POST /kb-imports/batches',
    summary: 'Import many articles',
    description: `Starts a job that imports the files of a ZIP archive, sent as a form with one \`file\`, or, sent as JSON, a page by its address or the published
articles of Hudu or IT Glue, at most 500. An article of a vendor takes its title from its name there; pictures and attachments are left out.
Each article has a result of its own: an import, or the reason why it was refused. An archive has at most 16 MiB and 200 files, each at most 5 MiB
and all at most 100 MiB after decompression. Archives inside the archive are not opened. One batch runs at a time.`,
    ...common,
    limit: '10/minute',
    bodyFormat: 'file',
    body: schemas.KbBatchCreate,
    maxBody: 16 * 1024 * 1024,
    idempotent: 'leased',
    success: 202,
    returns: schemas.KbBatch,
    errors: ['already_pending', 'kb_quota_exceeded', 'provider_error'],
    handle: async ({ ctx, body }) => (await load()).create(ctx, body),
  }),

  operation({
    id: 'authoring.kbBatches.list',
    route: 'GET /kb-imports/batches',
    summary: 'List batches of articles',
    description:
      'Lists the batches of my team and my own of the last 90 days, newest first. Account admins see all.',
    ...common,
    limit: 'read',
    paged: true,
    returns: z.array(schemas.KbBatchItem),
    handle: async ({ ctx, query }) => (await load()).list(ctx, query),
  }),

  operation({
    id: 'authoring.kbBatches.get',
    route: 'GET /kb-imports/batches/{batch_id}',
    summary: 'Get a batch with its progress',
    description: 'How many articles are read, imported and refused, with the reason of each refusal.',
    ...common,
    limit: 'read',
    params: schemas.BatchId,
    returns: schemas.KbBatch,
    handle: async ({ ctx, params }) => (await load()).get(ctx, params.batch_id),
  }),

  operation({
    id: 'authoring.kbBatches.cancel',
    route: 'POST /kb-imports/batches/{batch_id}/cancel',
    summary: 'Cancel a batch of articles',
    description:
      'The articles that are imported stay. A canceled batch may be canceled again; one that has ended otherwise is a 409.',
    ...common,
    limit: 'write',
    params: schemas.BatchId,
    success: 200,
    returns: schemas.KbBatch,
    errors: ['wrong_state'],
    handle: async ({ ctx, params }) => (await load()).cancel(ctx, params.batch_id),
  }),
]
