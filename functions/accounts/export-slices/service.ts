import type { WriteDb } from '#db/scope.ts'
import { describe } from '#http/app.ts'
import type { JobContext } from '#http/job.ts'
import type { ExportProgress } from '#rules/exports/account-archive.ts'
import { encodeBase64 } from '#rules/text/bytes.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import type { UploadsPort } from '#vendors/uploads/uploads.ts'
import { enqueueNext, recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import { defineWork } from '#work/define-work.ts'
import { enqueueDeliveries } from '#work/deliveries.ts'
import { announceProgress } from '#work/job-progress.ts'
import { countSliceFailures, toSliceAttempt } from '#work/slices.ts'
import * as queries from './queries.ts'

/** The parts of a job's context that a slice needs. */
export type ExportContext = Pick<
  JobContext,
  'platform' | 'openAccountScope' | 'uploads' | 'recordSigner' | 'log'
> & {
  /** The time in milliseconds, which ends a slice. */
  now?: () => number
}

/**
 * Write the next slice of an export: one object, at most. An attempt that crashes has changed nothing, so the
 * next one starts at the same place.
 */
export const work = defineWork({
  kind: 'export',
  statements: queries.attempts,
  async attempt(ctx: ExportContext, claimed) {
    await removeObjects(ctx, claimed, listAttempts(claimed).slice(0, -1))
    const storedSlice = await storeSlice(ctx, claimed).catch((error: unknown) => {
      ctx.log({ export_slice_failed: claimed.id, error: describe(error) })
      return null
    })
    if (!storedSlice)
      return recordFailure(ctx, claimed, { ok: false, status: null, error: 'The slice could not be written' })
    if (!(await recordSlice(ctx, claimed, storedSlice))) await removeObjects(ctx, claimed, [claimed.attempts])
  },
  fail: recordFailure,
})

export type RemovalContext = Pick<JobContext, 'platform'> & { uploads: Pick<UploadsPort, 'remove'> }

/**
 * Delete up to `limit` objects of archives that have expired or failed, with their rows. Return the number of
 * objects.
 */
export async function removeExpired({ platform, uploads }: RemovalContext, limit: number): Promise<number> {
  const parts = await queries.selectExpiredParts.all(platform, limit)
  for (const { account_id, export_id, number, object_key } of parts) {
    await uploads.remove(object_key)
    await queries.deletePart(platform, account_id, export_id, number)
  }
  await queries.markRemoved.run(platform)
  return parts.length
}

interface StoredSlice {
  progress: ExportProgress
  isLast: boolean
  part: queries.NewPart | null
}

async function storeSlice(ctx: ExportContext, claimed: queries.ClaimedExport): Promise<StoredSlice> {
  const { db } = ctx.openAccountScope(claimed.account_id)
  // Loaded on first use: most processes never write an export.
  const { sliceBytes, writeSlice } = await import('#functions/accounts/export-files/service.ts')
  const maxBytes = sliceBytes / 2 ** countSliceFailures(claimed)
  const { content, directory, isLast, progress } = await writeSlice(
    { db, uploads: ctx.uploads, recordSigner: ctx.recordSigner },
    claimed,
    ctx.now ?? Date.now,
    maxBytes,
  )
  if (content.byteLength === 0) return { progress, isLast, part: null }
  const number = progress.parts + 1
  const object_key = nameObject(claimed, number, claimed.attempts)
  await ctx.uploads.put(object_key, content, 'application/octet-stream')
  const part = { number, object_key, bytes: content.byteLength, directory: encodeBase64(directory) }
  return { progress: { ...progress, parts: number }, isLast, part }
}

/** Record a slice and enqueue the next one. Return false if a later attempt was claimed meanwhile. */
async function recordSlice(
  ctx: ExportContext,
  claimed: queries.ClaimedExport,
  { part, progress, isLast }: StoredSlice,
): Promise<boolean> {
  const isRecorded = await ctx.openAccountScope(claimed.account_id).transaction(async (db) => {
    const recorded = isLast
      ? await queries.completeExport.first(db, claimed, { ok: true, status: null }, null, progress)
      : await queries.continueExport.first(db, claimed, progress)
    if (!recorded) return false
    if (part) await queries.insertPart.run(db, claimed.id, part)
    await announce(db, claimed, isLast ? 'finished' : 'writing', progress)
    if (!isLast) enqueueNext(db, 'export', claimed)
    else if (claimed.requested_by)
      enqueueDeliveries(
        db,
        (await queries.insertMail.all(db, claimed.requested_by, 'export_ready')).map(({ id }) => id),
      )
    return true
  })
  if (isRecorded) recordAttempt('export', { ok: true }, null)
  return isRecorded
}

function announce(
  db: WriteDb,
  { id, requested_by }: queries.ClaimedExport,
  phase: string,
  { stages }: Partial<ExportProgress>,
) {
  return announceProgress(db, {
    kind: 'export',
    id,
    user_id: requested_by,
    phase,
    ...(stages ?? { done: 0, total: 0 }),
  })
}

async function recordFailure(
  ctx: ExportContext,
  claimed: queries.ClaimedExport,
  result: SendResult,
): Promise<void> {
  const delaySeconds = secondsUntilRetry(toSliceAttempt(claimed), result)
  recordAttempt('export', { ok: false }, delaySeconds)
  if (delaySeconds === null) await removeObjects(ctx, claimed, listAttempts(claimed))
  await ctx.openAccountScope(claimed.account_id).transaction(async (db) => {
    if (!(await queries.completeExport.first(db, claimed, result, delaySeconds, null))) return
    if (delaySeconds !== null) return enqueueNext(db, 'export', claimed, delaySeconds)
    await announce(db, claimed, 'finished', claimed.progress)
    if (!claimed.requested_by) return
    const mails = await queries.insertMail.all(db, claimed.requested_by, 'export_failed')
    enqueueDeliveries(
      db,
      mails.map(({ id }) => id),
    )
  })
}

/** Return the numbers of the attempts of the current slice, this one last. */
function listAttempts(claimed: queries.ClaimedExport): number[] {
  const failures = countSliceFailures(claimed)
  return Array.from({ length: failures + 1 }, (_, n) => claimed.attempts - failures + n)
}

/**
 * Delete what attempts of the current slice have stored before they failed. An object that stays is deleted
 * with the account.
 */
async function removeObjects(
  ctx: ExportContext,
  claimed: queries.ClaimedExport,
  attempts: readonly number[],
): Promise<void> {
  const number = ((claimed.progress as Partial<ExportProgress>).parts ?? 0) + 1
  for (const attemptNumber of attempts)
    await ctx.uploads.remove(nameObject(claimed, number, attemptNumber)).catch(() => {})
}

/**
 * The attempt is part of the name, so that an attempt that outlives its lease cannot replace the object of
 * the next one.
 */
function nameObject({ account_id, id }: queries.ClaimedExport, part: number, attemptNumber: number): string {
  return `accounts/${account_id}/exports/${id}/${part}-${attemptNumber}`
}
