import type { WriteDb } from '#db/scope.ts'
import * as sources from '#functions/authoring/kb-batch-sources/service.ts'
import * as kbImports from '#functions/authoring/kb-imports/service.ts'
import { describe } from '#http/app.ts'
import type { JobContext } from '#http/job.ts'
import { Problem } from '#problem.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { enqueueNext, recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import { defineWork } from '#work/define-work.ts'
import { announceProgress } from '#work/job-progress.ts'
import { enqueueLiveEvent } from '#work/live-events.ts'
import { toSliceAttempt } from '#work/slices.ts'
import * as queries from './queries.ts'

/** The parts of a job's context that a slice needs. */
export type BatchContext = Pick<JobContext, 'platform' | 'openAccountScope'> & sources.SourceContext

/**
 * Import the next articles of a batch. The imports, the results and the progress are written in one
 * transaction, so an attempt that crashes has changed nothing.
 */
export const work = defineWork({
  kind: 'kb_batch',
  statements: queries.attempts,
  async attempt(ctx: BatchContext, claimed) {
    try {
      const slice = await sources.readSlice(ctx, claimed, (limit) =>
        queries.selectListed.all(ctx.platform, claimed, limit),
      )
      if ('ok' in slice) return await recordFailure(ctx, claimed, slice)
      if ('articles' in slice) await recordListing(ctx, claimed, slice)
      else await recordSlice(ctx, claimed, slice)
      recordAttempt('kb_batch', { ok: true }, null)
    } catch (error) {
      if (error instanceof OvertakenError) return
      ctx.log({ kb_batch_slice_failed: claimed.id, error: describe(error) })
      const message = 'The articles could not be imported; try again'
      await recordFailure(ctx, claimed, { ok: false, status: null, error: message })
    }
  },
  fail: recordFailure,
})

/** A later attempt was claimed, or the batch was canceled. Thrown to roll back what this one has written. */
class OvertakenError extends Error {}

/** Store the articles of a slice with their results, and enqueue the next slice. */
async function recordSlice(
  ctx: BatchContext,
  claimed: queries.ClaimedBatch,
  outcomes: readonly sources.Outcome[],
): Promise<void> {
  await ctx.openAccountScope(claimed.account_id, claimed.created_by).transaction(async (db) => {
    if (claimed.team_id) await queries.enterTeam.one(db, claimed.team_id)
    const items: queries.NewItem[] = []
    for (const [n, outcome] of outcomes.entries())
      items.push(await storeOutcome(db, outcome, claimed.done + n))
    await queries.saveItems.run(db, claimed.id, items)
    const done = claimed.done + outcomes.length
    const isLast = done >= claimed.total
    const recorded = isLast
      ? await queries.completeBatch.first(db, claimed, { ok: true, status: null }, null, done)
      : await queries.continueBatch.first(db, claimed, done)
    if (!recorded) throw new OvertakenError()
    await announceProgress(
      db,
      toProgress(claimed, { phase: isLast ? 'finished' : 'importing', done, total: claimed.total }),
    )
    if (isLast) await announce(db, claimed, 'succeeded')
    else enqueueNext(db, 'kb_batch', claimed)
  })
}

/** Store the articles that a vendor has listed, and enqueue the next slice. A batch without articles ends. */
async function recordListing(
  ctx: BatchContext,
  claimed: queries.ClaimedBatch,
  { articles, next, losses }: sources.Listing,
): Promise<void> {
  await ctx.openAccountScope(claimed.account_id, claimed.created_by).transaction(async (db) => {
    const { added, found } = await queries.addListed.one(db, claimed, articles, sources.maxVendorArticles)
    const total = claimed.total + added
    const isCut = found > added
    const position = isCut ? null : next
    const sentences = [...losses]
    if (isCut) sentences.unshift(`Only the first ${sources.maxVendorArticles} articles are imported`)
    const problem = sentences.join('; ') || null
    const isEmpty = position === null && total === 0
    const recordedBatch = isEmpty
      ? await queries.completeBatch.first(
          db,
          claimed,
          { ok: false, status: null, error: ['There are no published articles', ...sentences].join('; ') },
          null,
          0,
        )
      : await queries.recordListing.first(db, claimed, { position, total, problem })
    if (!recordedBatch) throw new OvertakenError()
    const phase = isEmpty ? 'finished' : position === null ? 'importing' : 'listing'
    await announceProgress(db, toProgress(claimed, { phase, done: 0, total }))
    if (isEmpty) await announce(db, claimed, 'failed')
    else enqueueNext(db, 'kb_batch', claimed)
  })
}

async function storeOutcome(
  db: WriteDb,
  { name, article, problem }: sources.Outcome,
  place: number,
): Promise<queries.NewItem> {
  const import_id = article ? await kbImports.store(db, article) : null
  return {
    place,
    name,
    import_id,
    problem: article && !import_id ? new Problem('kb_quota_exceeded').message : problem,
  }
}

async function recordFailure(
  ctx: BatchContext,
  claimed: queries.ClaimedBatch,
  result: SendResult & { ok: false },
): Promise<void> {
  if (result.isPostponed && !claimed.is_old) return postpone(ctx, claimed, result.retryAfterSeconds ?? 0)
  const delaySeconds = secondsUntilRetry(toSliceAttempt(claimed), result)
  recordAttempt('kb_batch', { ok: false }, delaySeconds)
  await ctx.openAccountScope(claimed.account_id, claimed.created_by).transaction(async (db) => {
    if (!(await queries.completeBatch.first(db, claimed, result, delaySeconds, claimed.done))) return
    if (delaySeconds === null) await announce(db, claimed, 'failed')
    else enqueueNext(db, 'kb_batch', claimed, delaySeconds)
  })
}

async function postpone(
  ctx: BatchContext,
  claimed: queries.ClaimedBatch,
  delaySeconds: number,
): Promise<void> {
  recordAttempt('kb_batch', { ok: false }, delaySeconds)
  await ctx.openAccountScope(claimed.account_id, claimed.created_by).transaction(async (db) => {
    if (await queries.postponeBatch.first(db, claimed, delaySeconds))
      enqueueNext(db, 'kb_batch', claimed, delaySeconds)
  })
}

const toProgress = (
  { id, created_by }: queries.ClaimedBatch,
  progress: { phase: string; done: number; total: number },
): Parameters<typeof announceProgress>[1] => ({ kind: 'kb_batch', id, user_id: created_by, ...progress })

function announce(
  db: WriteDb,
  { id, created_by }: queries.ClaimedBatch,
  status: 'succeeded' | 'failed',
): Promise<void> {
  return enqueueLiveEvent(db, 'kb_batch_finished', { batch_id: id, user_id: created_by, status })
}
