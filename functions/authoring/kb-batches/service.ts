import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import * as kbImports from '#functions/authoring/kb-imports/service.ts'
import { requireAllowedAddress } from '#http/allowed-address.ts'
import type { FormFile, ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, Problem, throwNotFound } from '#problem.ts'
import { ArchiveError } from '#rules/archive/zip.ts'
import { listArticles } from '#rules/knowledge/article-archive.ts'
import { toArticlesAddress } from '#vendors/articles/address.ts'
import { sealArticlesKey } from '#vendors/articles/sealed-key.ts'
import * as queries from './queries.ts'
import type { KbBatch, KbBatchCreate } from './schemas.ts'

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectBatches.all(db, page), page, newestFirst)
}

export async function get(ctx: Pick<ReadContext, 'db'>, id: string): Promise<KbBatch> {
  const { may_change: _, ...batch } = await find(ctx, id)
  return batch
}

/** Start a batch. A job imports its articles in slices. Throw 409 while another one is open. */
export async function create(ctx: WriteContext, input: FormFile | KbBatchCreate): Promise<KbBatch> {
  const earlier = ctx.isRepeat ? await queries.selectBatch.first(ctx.db, ctx.workId) : undefined
  if (earlier) return get(ctx, earlier.id)
  if ((await kbImports.getQuota(ctx)).remaining === 0) throw new Problem('kb_quota_exceeded')
  const id = ctx.workId
  if ('source' in input) return insert(ctx, { id, ...(await readSource(ctx, input)) })
  const total = countArticles(input)
  const object_key = `accounts/${ctx.caller.accountId}/kb-batches/${id}.zip`
  await ctx.uploads.put(object_key, input.bytes, 'application/zip').catch((cause: unknown) => {
    throw new Problem('provider_error', undefined, { cause })
  })
  // A crash between the two writes leaves an object without a row, which is deleted with the account.
  return insert(ctx, { id, source: 'zip', object_key, total }).catch(async (error: unknown) => {
    await ctx.uploads.remove(object_key).catch(() => {})
    throw error
  })
}

export async function cancel(ctx: WriteContext, id: string): Promise<KbBatch> {
  if (!(await queries.cancelBatch.first(ctx.db, id))) {
    const { status, may_change } = await find(ctx, id)
    if (!may_change)
      throw new Problem(
        'forbidden',
        'Only its creator, an admin of its team or an account admin may cancel this batch',
      )
    if (status !== 'canceled') throw new Problem('wrong_state', 'This batch has ended')
  }
  return get(ctx, id)
}

/** Check the address, and encrypt the key. Throw 422 for an address that is not public. */
async function readSource(ctx: WriteContext, input: KbBatchCreate): Promise<Omit<queries.NewBatch, 'id'>> {
  const { source } = input
  if (source === 'url') {
    await requireAllowedAddress(ctx, 'url', input.url)
    return { source, address: input.url, total: 1 }
  }
  await requireAllowedAddress(ctx, 'base_url', input.base_url)
  return {
    source,
    address: toArticlesAddress(source, input.base_url),
    api_key: await sealArticlesKey(ctx.vault, ctx.caller.accountId, ctx.workId, input.api_key),
  }
}

async function insert(ctx: WriteContext, batch: queries.NewBatch): Promise<KbBatch> {
  const createdBatch = await queries.insertBatch.first(ctx.db, batch)
  if (!createdBatch)
    throw new Problem(
      'already_pending',
      'Another batch of this account is running; wait until it is finished, or cancel it',
    )
  ctx.db.outbox({ kind: 'kb_batch', id: createdBatch.id, attempt: 1 })
  return createdBatch
}

function countArticles({ bytes }: FormFile): number {
  try {
    const { length } = listArticles(bytes)
    if (length > 0) return length
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    throw invalidField(['body', 'file'], error.message, 'unreadable_archive')
  }
  throw invalidField(['body', 'file'], 'The archive has no files', 'unreadable_archive')
}

async function find({ db }: Pick<ReadContext, 'db'>, id: string) {
  return (await queries.selectBatch.first(db, id)) ?? throwNotFound('Batch')
}
