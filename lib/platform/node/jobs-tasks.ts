import { Logger, makeWorkerUtils, parseCronItems, type TaskList } from 'graphile-worker'
import type { Pool } from 'pg'
import { type WorkKind, workKinds } from '#db/work-kinds.ts'
import { describe } from '#http/app.ts'
import { runInTrace } from '#trace.ts'
import { withTimeout } from '#vendors/net/send-result.ts'
import { deleteExpiredIds, jobsSchema, messageTask } from './jobs-queue.ts'

export interface JobHandlers {
  /**
   * Run the job of a message. A failure is only logged: the row stays due, and the sweep publishes its next
   * attempt.
   */
  run(path: string, body: unknown): Promise<void>
  /** Run the periodic work. Of all processes, one calls this each minute. */
  cron(): Promise<void>
  /** Publish the stored work that is due. Of all processes, one calls this half a minute after `cron`. */
  sweep(): Promise<void>
}

/** What a worker does, and what it is doing. */
export interface Work {
  pool: Pool
  handlers: JobHandlers
  log(line: Record<string, unknown>): void
  jobTimeoutMs: number
  /** The jobs that run now. */
  running: Set<Promise<void>>
  /** How many jobs the library runs at once. */
  concurrency: number
  stopping: AbortController
}

// A receiver of a webhook may take 15 seconds. Its job only waits, so it does not occupy the place of another
// job. A job above the limit is dropped: its row stays due, and the sweep publishes it again.
const waitingPaths: ReadonlySet<string> = new Set([workKinds.webhook.job.path])
const maxWaitingJobs = 50
/** How many jobs of an account wait for its share. Any further one is dropped too. */
const maxWaitingInShare = 1000

/** The table of the row that each message names. An assessment is a part of its handoff. */
const rowsByPath = new Map(
  Object.values<WorkKind>(workKinds).flatMap(({ job, table }) =>
    job ? [[job.path as string, { table: table?.name ?? 'ai_handoffs', idField: job.idField }] as const] : [],
  ),
)

/** Return what the library calls for each message, and for the periodic work. */
export function createTasks(work: Work): TaskList {
  const { handlers, running, concurrency } = work
  const [runInShare, runInWaitingShare] = [concurrency, maxWaitingJobs].map((places) =>
    createShares(Math.max(1, Math.floor(places / 2)), work.stopping.signal),
  ) as [RunInShare, RunInShare]
  const track = async (job: Promise<void>) => {
    running.add(job)
    await job.finally(() => running.delete(job))
  }
  const runCron = async () => {
    await runLogged(work, 'cron', () => handlers.cron())
    await runLogged(work, 'queue clean-up', () => cleanUp(work))
  }
  const waitingJobs = new Set<Promise<void>>()
  const runBeside = (job: () => Promise<void>) => {
    if (waitingJobs.size >= maxWaitingJobs) return
    const running = job()
    waitingJobs.add(running)
    void running.finally(() => waitingJobs.delete(running))
  }
  return {
    [messageTask]: async (payload: unknown) => {
      const { path, body, traceparent } = payload as { path: string; body: unknown; traceparent?: string }
      const job = () =>
        track(runInTrace(traceparent, () => runLogged(work, path, () => handlers.run(path, body))))
      const accountId = await findAccount(work.pool, path, body)
      if (!waitingPaths.has(path)) return runInShare(accountId, job)
      runBeside(() => runInWaitingShare(accountId, job))
    },
    cron(_payload, { addJob }) {
      // The lease of a killed process ends after 30 s: with this its work goes on within a minute.
      const runAt = new Date(Date.now() + 30_000)
      return track(
        runInTrace(null, async () => {
          await addJob('sweep', {}, { runAt, jobKey: 'sweep', maxAttempts: 1, priority: -10 })
          await runCron()
        }),
      )
    },
    sweep: () => track(runInTrace(null, () => runLogged(work, 'sweep', () => handlers.sweep()))),
  }
}

type RunInShare = (accountId: string | undefined, job: () => Promise<void>) => Promise<void>

/**
 * Divide places among accounts. One that has `most` of them leaves its further jobs here, gives back the place that
 * each came with, and runs them in its own places: many jobs that hang do not stop those of other accounts.
 */
function createShares(most: number, stopping: AbortSignal): RunInShare {
  const shares = new Map<string, { running: number; waiting: (() => Promise<void>)[] }>()
  return async (accountId, job) => {
    if (accountId === undefined) return job()
    const share = shares.get(accountId) ?? { running: 0, waiting: [] }
    if (share.running >= most) {
      if (share.waiting.length < maxWaitingInShare) share.waiting.push(job)
      return
    }
    shares.set(accountId, share)
    share.running++
    // A job never rejects.
    for (
      let next: typeof job | undefined = job;
      next;
      next = stopping.aborted ? undefined : share.waiting.shift()
    )
      await next()
    if (--share.running === 0) shares.delete(accountId)
  }
}

/** Return the account of a message, or undefined if its row is gone or PostgreSQL is away: its attempt finds that too. */
async function findAccount(pool: Pool, path: string, body: unknown): Promise<string | undefined> {
  const row = rowsByPath.get(path)
  const id = row && (body as Record<string, unknown>)[row.idField]
  if (id === undefined) return undefined
  const text = `select account_id from ${row?.table} where id = $1`
  const query = pool.query<{ account_id: string }>({ name: `account of ${row?.table}`, text, values: [id] })
  return (await query.catch(() => undefined))?.rows[0]?.account_id
}

/**
 * Return the crontab of the periodic work. All processes have it; the library runs each minute once. The job
 * of a minute replaces one that still waits, and runs before all messages, because it publishes those that
 * were lost. https://worker.graphile.org/docs/cron
 */
export const createCronItems = () =>
  parseCronItems([
    {
      task: 'cron',
      match: '* * * * *',
      identifier: 'cron',
      options: { backfillPeriod: 0, maxAttempts: 1, jobKey: 'cron', priority: -10 },
    },
  ])

/** Run a job and log how it ended. Never throws: a failed job would stay in the library's table. */
async function runLogged({ log, jobTimeoutMs }: Work, job: string, run: () => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  const failure = await withTimeout(jobTimeoutMs, run()).then(
    () => ({}),
    (error: unknown) => ({ error: describe(error) }),
  )
  log({ at: new Date().toISOString(), job, ms: Math.round(performance.now() - startedAt), ...failure })
}

/**
 * Delete what is over: ids of old messages, and jobs of killed processes, which the library releases after
 * four hours.
 */
async function cleanUp({ pool, log }: Work): Promise<void> {
  await deleteExpiredIds(pool)
  const utils = await makeWorkerUtils({ pgPool: pool, schema: jobsSchema, logger: createLogger(log) })
  await utils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS'] }).finally(() => utils.release())
}

/** Log the library's warnings and errors. The rest of what it passes is left out: it contains payloads. */
export function createLogger(log: Work['log']): Logger {
  return new Logger(() => (level, message) => {
    // It warns of a pool that is smaller than the number of jobs, see jobs-pool.ts.
    if (level === 'info' || level === 'debug' || message.includes('maxPoolSize')) return
    log({ at: new Date().toISOString(), level, worker: message.slice(0, 300) })
  })
}
