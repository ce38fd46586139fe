import type { WriteDb } from '#db/scope.ts'
import * as kbImports from '#functions/authoring/kb-imports/service.ts'
import { describe } from '#http/app.ts'
import type { JobContext } from '#http/job.ts'
import { Problem } from '#problem.ts'
import { ArchiveError } from '#rules/archive/zip.ts'
import { createBudget, jobSteps, stepsPerSecond } from '#rules/budget.ts'
import type { Article } from '#rules/knowledge/article.ts'
import { listArticles, readArchived } from '#rules/knowledge/article-archive.ts'
import { ArticleError } from '#rules/knowledge/blocks.ts'
import { fetchPage } from '#vendors/net/page-fetcher.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { abandonedAttemptError, recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import { enqueueLiveEvent } from '#work/live-events.ts'
import type { SweptKind } from '#work/sweep.ts'
import * as queries from './queries.ts'

/** The parts of a job's context that a slice needs. */
export type BatchContext = Pick<JobContext, 'platform' | 'openAccountScope' | 'uploads' | 'guard' | 'log'>

/** What became of an article, before it is stored. */
interface Outcome {
  name: string
  article: Article | null
  problem: string | null
}
type Slice = Outcome[] | (SendResult & { ok: false })

// A slice ends after this work, or this number of articles.
const sliceSteps = stepsPerSecond / 4
const sliceArticles = 20
// With its redirects, a page takes less than the lease of an attempt.
const pageTimeoutMs = 10_000

/**
 * Import the next articles of a batch. The imports, the results and the progress are written in one transaction, so an attempt that crashes has
 * changed nothing. A duplicate message finds the attempt already claimed.
 */
export async function attempt(ctx: BatchContext, batchId: string, attemptNumber: number): Promise<void> {
  const claimed = await queries.claimBatch.first(ctx.platform, batchId, attemptNumber)
  if (!claimed) return
  try {
    const slice = await readSlice(ctx, claimed)
    if ('ok' in slice) return await recordFailure(ctx, claimed, slice)
    await recordSlice(ctx, claimed, slice)
    recordAttempt('kb_batch', { ok: true }, null)
  } catch (error) {
    if (error instanceof OvertakenError) return
    ctx.log({ kb_batch_slice_failed: claimed.id, error: describe(error) })
    await recordFailure(ctx, claimed, { ok: false, status: null, error: 'The articles could not be imported; try again' })
  }
}

/** Fail the batches whose last attempt never reported a result. */
export async function failAbandoned(ctx: BatchContext): Promise<void> {
  for (const abandoned of await queries.selectAbandonedBatches.all(ctx.platform))
    await recordFailure(ctx, abandoned, { ok: false, status: null, error: abandonedAttemptError, gone: true })
}

/** Return the functions with which the sweep claims and attempts due slices. */
export function toSweptKind(ctx: BatchContext): SweptKind {
  return {
    kind: 'kb_batch',
    parallel: 1,
    claimDue: (limit) => queries.claimDueBatches.all(ctx.platform, limit),
    attempt: (id, attemptNumber) => attempt(ctx, id, attemptNumber),
  }
}

/** A later attempt was claimed, or the batch was canceled. Thrown to roll back what this one has written. */
class OvertakenError extends Error {}

function readSlice(ctx: BatchContext, claimed: queries.ClaimedBatch): Promise<Slice> {
  switch (claimed.source) {
    case 'zip':
      return readFiles(ctx, claimed)
    case 'url':
      return readPage(ctx, claimed)
  }
}

async function readFiles({ uploads, log }: BatchContext, { object_key, done }: queries.ClaimedBatch): Promise<Slice> {
  const bytes = await uploads.get(object_key ?? '')
  if (!bytes) throw new Error('The archive of a batch is missing')
  const outcomes: Outcome[] = []
  let steps = 0
  for (const file of listArticles(bytes).slice(done, done + sliceArticles)) {
    if (steps >= sliceSteps) break
    const read = await readOne(log, file.name, async () => ({
      bytes: await readArchived(bytes, file),
      name: toFileName(file.name),
      type: '',
    }))
    outcomes.push(read.outcome)
    steps += read.steps
  }
  return outcomes
}

async function readPage({ guard, log }: BatchContext, { address }: queries.ClaimedBatch): Promise<Slice> {
  const url = address ?? ''
  const page = await fetchPage(guard, url, { timeoutMs: pageTimeoutMs, maxBytes: kbImports.maxBytes })
  if ('ok' in page) return page
  const { bytes, type } = page
  return [(await readOne(log, url, async () => ({ bytes, name: nameOfPage(page), type }))).outcome]
}

type ArticleSource = () => Promise<{ bytes: Uint8Array<ArrayBuffer>; name: string; type: string }>

/** Read an article with the work of a job. Any error is the result of this article alone. */
async function readOne(log: BatchContext['log'], name: string, load: ArticleSource): Promise<{ outcome: Outcome; steps: number }> {
  const budget = createBudget({ steps: jobSteps })
  try {
    const { readArticleFile } = await import('#rules/knowledge/article.ts')
    return { outcome: { name, article: await readArticleFile(await load(), budget), problem: null }, steps: budget.getSpent().steps }
  } catch (error) {
    return { outcome: { name, article: null, problem: toReason(log, error) }, steps: budget.getSpent().steps }
  }
}

function toReason(log: BatchContext['log'], error: unknown): string {
  if (error instanceof ArticleError || error instanceof ArchiveError) return error.message
  // Only the budget throws one.
  if (error instanceof Problem && error.status < 500) return 'The article takes too much work to read; split it'
  log({ kb_article_unreadable: true, error: describe(error) })
  return 'The article could not be read'
}

const toFileName = (path: string) => path.split(/[/\\]/).at(-1) ?? path

/** Return a name whose extension decides the format only if the media type says nothing about it. */
function nameOfPage({ url, type }: { url: string; type: string }): string {
  const { pathname, hostname } = new URL(url)
  const name = toFileName(decodeOrKeep(pathname)) || hostname
  return /^(?:|text\/plain|application\/octet-stream)\s*(?:;|$)/i.test(type) ? name : `${name.replace(/\.\w{1,20}$/, '')}.`
}

function decodeOrKeep(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Store the articles of a slice with their results, and enqueue the next slice. */
async function recordSlice(ctx: BatchContext, claimed: queries.ClaimedBatch, outcomes: readonly Outcome[]): Promise<void> {
  await ctx.openAccountScope(claimed.account_id, claimed.created_by).transaction(async (db) => {
    if (claimed.team_id) await queries.enterTeam.one(db, claimed.team_id)
    const items: queries.NewItem[] = []
    for (const [n, outcome] of outcomes.entries()) items.push(await storeOutcome(db, outcome, claimed.done + n))
    await queries.insertItems.run(db, claimed.id, items)
    const done = claimed.done + outcomes.length
    const isLast = done >= claimed.total
    const recorded = isLast
      ? await queries.completeBatch.first(db, claimed, { ok: true, status: null }, null, done)
      : await queries.continueBatch.first(db, claimed, done)
    if (!recorded) throw new OvertakenError()
    if (isLast) await announce(db, claimed, 'succeeded')
    else db.outbox({ kind: 'kb_batch', id: claimed.id, attempt: claimed.attempts + 1 })
  })
}

async function storeOutcome(db: WriteDb, { name, article, problem }: Outcome, place: number): Promise<queries.NewItem> {
  const import_id = article ? await kbImports.store(db, article) : null
  return { place, name, import_id, problem: article && !import_id ? kbImports.quotaExceeded().message : problem }
}

async function recordFailure(ctx: BatchContext, claimed: queries.ClaimedBatch, result: SendResult & { ok: false }): Promise<void> {
  const failures = claimed.attempts - (claimed.max_attempts - queries.maxSliceAttempts)
  const delaySeconds = secondsUntilRetry({ ...claimed, attempts: failures, max_attempts: queries.maxSliceAttempts }, result)
  recordAttempt('kb_batch', { ok: false }, delaySeconds)
  await ctx.openAccountScope(claimed.account_id, claimed.created_by).transaction(async (db) => {
    if (!(await queries.completeBatch.first(db, claimed, result, delaySeconds, claimed.done))) return
    if (delaySeconds === null) await announce(db, claimed, 'failed')
    else db.outbox({ kind: 'kb_batch', id: claimed.id, attempt: claimed.attempts + 1, delaySeconds })
  })
}

function announce(db: WriteDb, { id, created_by }: queries.ClaimedBatch, status: 'succeeded' | 'failed'): Promise<void> {
  return enqueueLiveEvent(db, 'kb_batch_finished', { batch_id: id, user_id: created_by, status })
}
