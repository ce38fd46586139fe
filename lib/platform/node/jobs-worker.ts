import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Runner, run, type WorkerEvents } from 'graphile-worker'
import type { Pool } from 'pg'
import { describe } from '#http/app.ts'
import { withTimeout } from '#vendors/net/send-result.ts'
import { jobsSchema } from './jobs-queue.ts'
import { createCronItems, createLogger, createTasks, type JobHandlers, type Work } from './jobs-tasks.ts'

export interface WorkerSettings {
  log(line: Record<string, unknown>): void
  /** Maximum number of jobs that run at the same time in this process. */
  concurrency?: number
  /** After this time a job no longer occupies its place. It is not cancelled. */
  jobTimeoutMs?: number
  /** How often an idle worker looks for delayed jobs. PostgreSQL announces the others. */
  pollIntervalMs?: number
  /** The library starts again when no fetch of a job has succeeded for this time. */
  giveUpMs?: number
  /** How long the library may take to stop while no job runs. After a failure, it may wait for ever. */
  libraryStopMs?: number
  /** Whether this process schedules the periodic work, true by default. Tests start it themselves. */
  schedulesCron?: boolean
}

export interface JobWorker {
  /** Resolves when the worker has asked PostgreSQL for a job, or when it is stopped before. */
  started: Promise<void>
  /** Take no more jobs. Return false if some still run after `timeoutMs`. */
  stop(timeoutMs: number): Promise<boolean>
}

const defaults = {
  concurrency: 10,
  jobTimeoutMs: 300_000,
  pollIntervalMs: 2000,
  giveUpMs: 30_000,
  libraryStopMs: 2000,
  schedulesCron: true,
}
const maxPauseMs = 10_000

interface State extends Work {
  settings: WorkerSettings & typeof defaults
  /** The library's runners that have not ended: one, and those that are stopping. */
  runners: Set<Runner>
  markStarted(): void
}

/**
 * Start to run jobs. The library ends when it loses its connection at the wrong moment, so it is started
 * again until `stop`.
 */
export function startJobWorker(
  pool: Pool,
  handlers: JobHandlers,
  changedSettings: WorkerSettings,
): JobWorker {
  const settings = { ...defaults, ...changedSettings }
  const { promise: started, resolve: markStarted } = Promise.withResolvers<void>()
  const { log, jobTimeoutMs } = settings
  const work: Work = {
    ...{ pool, handlers, log, jobTimeoutMs, concurrency: settings.concurrency },
    ...{ running: new Set(), stopping: new AbortController() },
  }
  const state: State = { ...work, settings, runners: new Set(), markStarted }
  const supervised = supervise(state).finally(markStarted)
  return { started, stop: (timeoutMs) => stopWorker(state, supervised, timeoutMs) }
}

async function supervise(state: State): Promise<void> {
  const { signal } = state.stopping
  for (let failures = 0; !signal.aborted; failures++) {
    await runUntilItEnds(state).then(
      () => {
        failures = 0
      },
      (error: unknown) =>
        state.log({
          at: new Date().toISOString(),
          worker: 'The worker does not start',
          error: describe(error),
        }),
    )
    await sleep(Math.min(500 * 2 ** failures, maxPauseMs), undefined, { signal }).catch(() => {})
  }
}

async function runUntilItEnds(state: State): Promise<void> {
  const { pool, settings, stopping, runners } = state
  const events: WorkerEvents = new EventEmitter()
  const { fetched, ended } = watchFetches(events, settings.giveUpMs)
  const runner = await run({
    pgPool: pool,
    schema: jobsSchema,
    events,
    concurrency: settings.concurrency,
    pollInterval: settings.pollIntervalMs,
    // The caller handles signals.
    noHandleSignals: true,
    taskList: createTasks(state),
    parsedCronItems: settings.schedulesCron ? createCronItems() : [],
    logger: createLogger(state.log),
    // Without a delay, a job that ends while the connection is lost rejects a promise that nothing handles,
    // which ends the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  })
  runners.add(runner)
  void fetched.then(state.markStarted)
  if (!stopping.signal.aborted) await ended
  // Jobs of this runner may still run. The next one need not wait for them.
  void stopRunner(runner).then(() => runners.delete(runner))
}

/**
 * Return promises of the first fetch of a job and of the runner's end. A runner that cannot fetch for
 * `giveUpMs` counts as ended, and so does one whose first fetch fails: the library stores the failure of its
 * first statement and repeats it for ever.
 */
function watchFetches(
  events: WorkerEvents,
  giveUpMs: number,
): { fetched: Promise<void>; ended: Promise<void> } {
  const fetched = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  let failingSince: number | undefined
  let hasFetched = false
  const markFetched = () => {
    failingSince = undefined
    hasFetched = true
    fetched.resolve()
  }
  events.on('worker:getJob:empty', markFetched)
  events.on('job:start', markFetched)
  events.on('worker:getJob:error', () => {
    failingSince ??= performance.now()
    if (!hasFetched || performance.now() - failingSince >= giveUpMs) ended.resolve()
  })
  events.once('pool:gracefulShutdown', () => ended.resolve())
  return { fetched: fetched.promise, ended: ended.promise }
}

async function stopWorker(
  { stopping, runners, running, settings }: State,
  supervised: Promise<void>,
  timeoutMs: number,
): Promise<boolean> {
  stopping.abort()
  const end = performance.now() + timeoutMs
  const waitFor = (work: Promise<unknown>, maxMs = timeoutMs) =>
    withTimeout(Math.max(Math.min(maxMs, end - performance.now()), 0), work).catch(() => {})
  const stopRunners = () => Promise.all([...runners].map(stopRunner))
  // A runner that starts right now is stopped once it has started.
  const ended = Promise.all([stopRunners(), supervised.then(stopRunners)])
  await waitFor(ended, settings.libraryStopMs)
  if (running.size === 0) return true
  while (running.size > 0 && performance.now() < end) await waitFor(Promise.all(running))
  // The library now deletes these jobs from its table.
  await waitFor(ended, settings.libraryStopMs)
  return running.size === 0
}

async function stopRunner(runner: Runner): Promise<void> {
  // It rejects when the runner is stopping already.
  await runner.stop().catch(() => {})
  await runner.promise.catch(() => {})
}
