import { settleAll, settleInTurn } from '#async/settle-all.ts'
import { expiries } from '#db/retention.ts'
import { type AttemptKind, attemptKinds, workKinds } from '#db/work-kinds.ts'
import * as exportSlices from '#functions/accounts/export-slices/service.ts'
import * as importSlices from '#functions/accounts/import-slices/service.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import * as digests from '#functions/notifications/digests/service.ts'
import * as presence from '#functions/presence/service.ts'
import * as approvals from '#functions/sessions/approvals/service.ts'
import * as timers from '#functions/sessions/timers/service.ts'
import * as webhooks from '#functions/webhooks/attempts/service.ts'
import { loadWork } from '#functions/work.ts'
import { type JobContext, logFailure } from '#http/job.ts'
import { record } from '#metrics.ts'
import { sweepLiveEvents } from '#work/live-events.ts'
import { defaultSweepOptions, type SweepOptions, sweepWork } from '#work/sweep.ts'
import * as queries from './queries.ts'

/** What each minute does, by its name in the metrics and the log. */
const sweeps: Readonly<Record<string, (ctx: JobContext, options: SweepOptions) => Promise<void>>> = {
  ...Object.fromEntries(attemptKinds.map((kind) => [toSweepName(kind), createSweep(kind)])),
  // Work without a message.
  approvals: approvals.expireDue,
  case_returns: async (...sweep) => (await import('#functions/ai/returns/service.ts')).returnDue(...sweep),
  embeddings: async (...sweep) => (await import('#functions/ai/embeddings/service.ts')).embedDue(...sweep),
  flow_reviews: async (...sweep) =>
    (await import('#functions/flows/reviews/service.ts')).announceDue(...sweep),
  handovers: async (...sweep) => (await import('#functions/ai/handover/service.ts')).sendDue(...sweep),
  on_call_shifts: async (...sweep) =>
    (await import('#functions/oncall/shift-notices/service.ts')).announceShifts(...sweep),
  substitute_requests: async (...sweep) =>
    (await import('#functions/oncall/substitute-requests/service.ts')).noticeDue(...sweep),
  digests: digests.sendDue,
  live_events: sweepLiveEvents,
  presence: presence.sweep,
  session_timers: timers.remindDue,
  weekly_reports: async (...sweep) =>
    (await import('#functions/analytics/reports/service.ts')).sendDue(...sweep),
}

/** Return the name of a kind's sweep: `kbBatches` for the outbox `kb_batches`. */
function toSweepName(kind: AttemptKind): string {
  return workKinds[kind].outbox.replace(/_(\w)/, (_, letter: string) => letter.toUpperCase())
}

function createSweep(kind: AttemptKind) {
  return async (ctx: JobContext, options: SweepOptions) =>
    sweepWork(ctx, (await loadWork[kind]()).work, options)
}

/**
 * Publish all stored work whose message was lost, and do the work without a message. The cron trigger calls
 * this each minute. The kinds are swept at the same time, so that a backlog of one does not delay the others.
 * A kind that fails is logged and does not stop the others. Throw the first failure at the end.
 */
export async function sweep(ctx: JobContext, options: Partial<SweepOptions> = {}): Promise<void> {
  const settings = { ...defaultSweepOptions(), ...options }
  await settleAll(
    Object.entries(sweeps).map(([name, work]) =>
      logFailure(
        ctx,
        { sweep_failed: name },
        measureSweep(name, settings, () => work(ctx, settings)),
      ),
    ),
  )
}

/** Count how a sweep ended. One whose time is over has left work, which is still there a minute later. */
async function measureSweep(
  sweep: string,
  { budgetMs, now }: Pick<SweepOptions, 'budgetMs' | 'now'>,
  work: () => Promise<void>,
): Promise<void> {
  const end = now() + budgetMs
  let outcome = 'failed'
  try {
    await work()
    outcome = now() < end ? 'emptied' : 'unfinished'
  } finally {
    record('sweeps', { sweep, outcome })
  }
}

type DeletionContext = Pick<JobContext, 'platform' | 'uploads'>

interface DeletionOptions {
  batchSize: number
  /** Time for each kind of row, in milliseconds. */
  budgetMs: number
  now: () => number
}
const defaultOptions: DeletionOptions = { batchSize: 5000, budgetMs: 5000, now: Date.now }

/**
 * Delete expired rows and archive idle AI sessions. The cron trigger calls this each minute. Each kind of row
 * is processed in batches until none is left or its time is over. A kind that fails is logged and does not
 * stop the others. Throw the first failure at the end.
 */
export async function deleteExpiredRows(
  ctx: DeletionContext & Pick<JobContext, 'log'>,
  options: Partial<DeletionOptions> = {},
): Promise<void> {
  const settings = { ...defaultOptions, ...options }
  await settleInTurn(listKinds(ctx, settings.batchSize), (kind) =>
    logFailure(
      ctx,
      { deletion_failed: kind.name },
      measureSweep(`delete_${kind.name}`, settings, () => processUntilEmpty(kind, settings)),
    ),
  )
}

interface RowKind {
  name: string
  batchSize: number
  /** Process up to `limit` rows and return their number. */
  processBatch(limit: number): Promise<number>
}

function listKinds(ctx: DeletionContext, batchSize: number): RowKind[] {
  const expired = expiries.map((expiry) => ({
    name: expiry.table,
    batchSize: Math.min(batchSize, expiry.maxBatch ?? batchSize),
    processBatch: (limit: number) => queries.deleteExpired.run(ctx.platform, expiry, limit),
  }))
  return [
    ...expired,
    {
      name: 'audit_logs',
      batchSize,
      processBatch: async (limit) => (await queries.deleteAuditLogs.one(ctx.platform, limit)).deleted,
    },
    // Sessions, each with all of its messages.
    {
      name: 'ai_messages',
      batchSize: Math.min(batchSize, 100),
      processBatch: (limit) => queries.deleteAiMessages.run(ctx.platform, limit),
    },
    {
      name: 'psa_pushes',
      batchSize: Math.min(batchSize, 500),
      processBatch: (limit) => queries.clearPushBodies.run(ctx.platform, limit),
    },
    {
      name: 'user_traces',
      batchSize,
      processBatch: async (limit) =>
        (await queries.eraseUserTraces.one(ctx.platform, limit)).has_more ? limit : 0,
    },
    // Each with its library steps, shares and pins.
    {
      name: 'tree_versions',
      batchSize: Math.min(batchSize, 500),
      processBatch: (limit) => queries.deleteOldVersions.run(ctx.platform, limit),
    },
    {
      name: 'trees',
      batchSize: Math.min(batchSize, 100),
      processBatch: (limit) => queries.deleteOldTrees.run(ctx.platform, limit),
    },
    {
      name: 'uploads',
      batchSize: Math.min(batchSize, 500),
      processBatch: (limit) => queries.deleteUnusedUploads.run(ctx.platform, limit),
    },
    {
      name: 'objects',
      batchSize: Math.min(batchSize, 50),
      processBatch: (limit) => deleteObjects(ctx, limit),
    },
    {
      name: 'account_export_parts',
      batchSize: Math.min(batchSize, 100),
      processBatch: (limit) => exportSlices.removeExpired(ctx, limit),
    },
    {
      name: 'account_import_records',
      batchSize: Math.min(batchSize, 500),
      processBatch: (limit) => importSlices.deleteRecords(ctx, limit),
    },
    { name: 'webhook_log', batchSize, processBatch: (limit) => webhooks.deleteOverflow(ctx, limit) },
    { name: 'ai_sessions', batchSize, processBatch: (limit) => aiSessions.archiveIdle(ctx, limit) },
  ]
}

/**
 * Delete up to `limit` objects whose row was deleted. A crash repeats it, which changes nothing. Return their
 * number.
 */
async function deleteObjects({ platform, uploads }: DeletionContext, limit: number): Promise<number> {
  const keys = (await queries.selectDeletedObjects(platform, limit)).map(({ object_key }) => object_key)
  for (const key of keys) await uploads.remove(key)
  if (keys.length > 0) await queries.forgetDeletedObjects.run(platform, keys)
  return keys.length
}

async function processUntilEmpty(
  { batchSize, processBatch }: RowKind,
  { budgetMs, now }: DeletionOptions,
): Promise<void> {
  const end = now() + budgetMs
  while ((await processBatch(batchSize)) === batchSize && now() < end);
}

// Loaded on first use: no request needs them.
const eraseDueAccounts = async (ctx: JobContext) =>
  (await import('#functions/accounts/erasure/service.ts')).eraseDueAccounts(ctx)
const checkDueLinks = async (ctx: JobContext) =>
  (await import('#functions/flows/link-checks/service.ts')).checkDueLinks(ctx)

/** The periodic work that may be late. */
export const cleanUpWork = { deleteExpiredRows, eraseDueAccounts, checkDueLinks }

/** Do all of it. If a part fails, do the others, then throw the first failure. */
export async function cleanUp(ctx: JobContext): Promise<void> {
  await settleInTurn(Object.values(cleanUpWork), (work) => work(ctx))
}
