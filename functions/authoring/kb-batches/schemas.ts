import * as z from 'zod'
import { exampleIds, Id, idParams, Time } from '#http/fields.ts'
import { progressField } from '#http/progress.ts'

export const BatchId = idParams('batch_id', 'batch')

export const KbBatchCreate = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .describe('Address of a page: HTML, markdown, text, docx or PDF. It must be public.'),
  })
  .meta({ id: 'KbBatchCreate', examples: [{ url: 'https://kb.example.com/print-spooler' }] })
export type KbBatchCreate = z.infer<typeof KbBatchCreate>

const KbBatchArticle = z
  .strictObject({
    name: z.string().describe('Name of the file in the archive, or address of the page.'),
    import_id: Id.nullable().describe('The knowledge import; null if the article was refused, or the import was deleted.'),
    problem: z.string().nullable().describe('Why the article was refused, as a sentence; null if it was imported.'),
  })
  .meta({ id: 'KbBatchArticle' })

const fields = {
  id: Id,
  source: z.enum(['zip', 'url']).meta({ id: 'KbBatchSource' }).describe('Where the articles come from.'),
  address: z.string().nullable().describe('Address of the page; null for an archive.'),
  status: z
    .enum(['queued', 'running', 'succeeded', 'failed', 'canceled'])
    .meta({ id: 'KbBatchStatus' })
    .describe('`succeeded`: each article is imported or refused. `failed`, `canceled`: the imported articles stay.'),
  progress: progressField('articles')
    .extend({
      phase: z
        .enum(['waiting', 'importing', 'finished'])
        .meta({ id: 'KbBatchPhase' })
        .describe('`importing`: the first articles are being imported. `finished`: nothing follows.'),
    })
    .describe('How far the batch is. The unit is articles.'),
  problem: z.string().nullable().describe('Why the batch has failed, as a sentence; null otherwise.'),
  created_by: Id.describe('The user who started it.'),
  created_at: Time,
  finished_at: Time.nullable().describe('When it ended.'),
}
const example = {
  id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c4b01',
  source: 'zip' as const,
  address: null,
  status: 'succeeded' as const,
  progress: { phase: 'finished' as const, done: 2, total: 2 },
  problem: null,
  created_by: exampleIds.user,
  created_at: '2026-11-21T09:30:00.000Z',
  finished_at: '2026-11-21T09:30:02.000Z',
}
export const KbBatchItem = z.strictObject(fields).meta({ id: 'KbBatchListItem', examples: [example] })
export type KbBatchItem = z.infer<typeof KbBatchItem>

export const KbBatch = z
  .strictObject({ ...fields, articles: z.array(KbBatchArticle).describe('What became of each article so far, at most 200.') })
  .meta({
    id: 'KbBatch',
    examples: [
      {
        ...example,
        articles: [
          { name: 'printing/spooler.md', import_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e00', problem: null },
          { name: 'scan.pdf', import_id: null, problem: 'The PDF has no text' },
        ],
      },
    ],
  })
export type KbBatch = z.infer<typeof KbBatch>
