import { restoredKinds } from '#db/restored-columns.ts'
import {
  type Archive,
  firstPosition,
  openArchive,
  sumSizes,
} from '#functions/accounts/import-records/service.ts'
import type { FormFile, ReadContext, WriteContext } from '#http/operation.ts'
import { Problem, throwNotFound } from '#problem.ts'
import * as queries from './queries.ts'
import type { AccountImport } from './schemas.ts'

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<AccountImport> {
  return (await queries.selectImport.first(db, id)) ?? throwNotFound('Import')
}

/**
 * Store an archive and start its import. A job does it in slices. Throw 409 unless the account is empty, and
 * while another import is open.
 */
export async function create(ctx: WriteContext, { bytes }: FormFile): Promise<AccountImport> {
  const earlier = ctx.isRepeat ? await queries.selectImport.first(ctx.db, ctx.workId) : undefined
  if (earlier) return earlier
  const archive = await openArchive(bytes)
  if (!(await queries.isEmpty.one(ctx.db)).is_empty) throw new Problem('account_not_empty')
  const id = ctx.workId
  const object_key = `accounts/${ctx.caller.accountId}/imports/${id}.zip`
  await ctx.uploads.put(object_key, bytes, 'application/zip').catch((cause: unknown) => {
    throw new Problem('provider_error', undefined, { cause })
  })
  const progress = { stage: 'check', at: firstPosition, skipped: { records: [], count: 0 } }
  const row = { id, object_key, progress, total: sumSizes(archive) * 2, not_restored: countOthers(archive) }
  // A crash between the two writes leaves an object without a row, which is deleted with the account.
  const createdImport = await queries.insertImport.first(ctx.db, row).catch(async (error) => {
    await ctx.uploads.remove(object_key).catch(() => {})
    throw error
  })
  if (!createdImport) {
    await ctx.uploads.remove(object_key).catch(() => {})
    throw new Problem(
      'already_pending',
      'Another import into this account is running; wait until it is finished',
    )
  }
  ctx.db.outbox({ kind: 'import', id, attempt: 1 })
  return createdImport
}

const ownKinds = new Set(['flow_files', 'upload_files', ...Object.keys(restoredKinds)])

/** Return the numbers of records of the kinds that an import never restores. */
function countOthers({ manifest }: Archive): Record<string, number> {
  return Object.fromEntries(
    Object.entries(manifest.counts)
      .filter(([kind, count]) => !ownKinds.has(kind) && count > 0)
      .slice(0, 100),
  )
}
