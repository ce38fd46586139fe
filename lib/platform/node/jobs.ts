import type { Pool } from 'pg'
import type { QueuePort } from '#vendors/queue/queue.ts'
import { postgresQueue } from './jobs-queue.ts'
import type { JobHandlers } from './jobs-tasks.ts'
import { startJobWorker, type WorkerSettings } from './jobs-worker.ts'

export type { JobHandlers } from './jobs-tasks.ts'

/** The queue in PostgreSQL, and the worker of this process that runs its jobs. */
export interface Jobs extends QueuePort {
  /** Start to run jobs. Resolve when the worker runs; while PostgreSQL is away it tries again and again. */
  start(handlers: JobHandlers): Promise<void>
  /**
   * Take no more jobs, and wait for those that run. Return false if some still run after `timeoutMs`: the
   * sweep publishes their rows again. Publishing still works.
   */
  stop(timeoutMs: number): Promise<boolean>
}

/** Create the queue. The caller closes `pool`, after `stop`. */
export function createJobs(pool: Pool, settings: WorkerSettings): Jobs {
  let worker: ReturnType<typeof startJobWorker> | undefined
  return {
    ...postgresQueue(pool),
    async start(handlers) {
      worker ??= startJobWorker(pool, handlers, settings)
      await worker.started
    },
    stop: async (timeoutMs) => (worker ? worker.stop(timeoutMs) : true),
  }
}
