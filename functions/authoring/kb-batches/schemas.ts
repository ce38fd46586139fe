import * as z from 'zod'
import { ApiAddress, Id, idParams, Time } from '#http/fields.ts'
import { progressField } from '#http/progress.ts'
import { itGlueAddress } from '#vendors/articles/address.ts'
import { articleVendors } from '#vendors/articles/articles.ts'

export const BatchId = idParams('batch_id', 'batch')

const ApiKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 characters of ASCII without spaces')
  .describe(
    'The key of its API. It is kept encrypted while the batch runs, deleted when it ends, and never returned.',
  )

const PageBatch = z
  .strictObject({
    source: z.literal('url').describe('A page of the web.'),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .describe('Address of a page: HTML, markdown, text, docx or PDF. It must be public.')
      .meta({ example: 'https://kb.example.com/print-spooler' }),
  })
  .meta({ id: 'KbPageBatchCreate' })
const HuduBatch = z
  .strictObject({
    source: z.literal('hudu').describe('The articles of Hudu.'),
    base_url: ApiAddress.describe('Address of the Hudu site.').meta({
      example: 'https://northwind.huducloud.com',
    }),
    api_key: ApiKey.meta({ example: 'n3tTkHq9WmXc' }),
  })
  .meta({ id: 'KbHuduBatchCreate' })
const ItGlueBatch = z
  .strictObject({
    source: z.literal('it_glue').describe('The documents of IT Glue.'),
    base_url: ApiAddress.default(itGlueAddress)
      .describe('Address of the API of the region, such as `https://api.eu.itglue.com`.')
      .meta({ example: 'https://api.eu.itglue.com' }),
    api_key: ApiKey.meta({ example: 'ITG.n3tTkHq9WmXc' }),
  })
  .meta({ id: 'KbItGlueBatchCreate' })
export const KbBatchCreate = z
  .discriminatedUnion('source', [PageBatch, HuduBatch, ItGlueBatch])
  .meta({ id: 'KbBatchCreate' })
export type KbBatchCreate = z.infer<typeof KbBatchCreate>

const KbBatchArticle = z
  .strictObject({
    name: z
      .string()
      .describe(
        'Name of the file in the archive, address of the page, or name of the article after that of its company or folder.',
      ),
    import_id: Id.nullable().describe(
      'The knowledge import; null if the article was refused, or the import was deleted.',
    ),
    problem: z
      .string()
      .nullable()
      .describe('Why the article was refused, as a sentence; null if it was imported.'),
  })
  .meta({ id: 'KbBatchArticle' })

const fields = {
  id: Id,
  source: z
    .enum(['zip', 'url', ...articleVendors])
    .meta({ id: 'KbBatchSource' })
    .describe('Where the articles come from.'),
  address: z.string().nullable().describe('Address of the page or of the vendor; null for an archive.'),
  status: z
    .enum(['queued', 'running', 'succeeded', 'failed', 'canceled'])
    .meta({ id: 'KbBatchStatus' })
    .describe(
      '`succeeded`: each article is imported or refused. `failed`, `canceled`: the imported articles stay.',
    ),
  progress: progressField('articles', {
    id: 'KbBatchPhase',
    phases: ['waiting', 'listing', 'importing', 'finished'],
    meaning:
      '`listing`: the articles of the vendor are being counted. `importing`: they are being imported. `finished`: nothing follows.',
  }),
  problem: z
    .string()
    .nullable()
    .describe('Why the batch has failed, or which articles it leaves out, as a sentence; null otherwise.'),
  created_by: Id.describe('The user who started it.'),
  created_at: Time,
  finished_at: Time.nullable().describe('When it ended.'),
}
export const KbBatchItem = z.strictObject(fields).meta({ id: 'KbBatchListItem' })
export type KbBatchItem = z.infer<typeof KbBatchItem>

export const KbBatch = z
  .strictObject({
    ...fields,
    articles: z.array(KbBatchArticle).describe('What became of each article so far, at most 500.'),
  })
  .meta({ id: 'KbBatch' })
export type KbBatch = z.infer<typeof KbBatch>
