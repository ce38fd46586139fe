import { qstashQueue } from '#vendors/queue/qstash.ts'
import type { QueuePort } from '#vendors/queue/queue.ts'
import { createJobs, type JobHandlers } from './jobs.ts'
import { closeJobsPool, openJobsPool } from './jobs-pool.ts'
import type { WorkerSettings } from './jobs-worker.ts'
import type { NodeConfig } from './settings.ts'

/** The queue of a Node process, and what runs its jobs in this process. */
export interface NodeQueue {
  port: QueuePort
  start(handlers: JobHandlers): Promise<void>
  /** Take no more jobs, and wait for those that run, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>
  close(): Promise<void>
}

/**
 * Open the queue: QStash if it has a token, which calls this service over HTTP, and otherwise jobs in
 * PostgreSQL.
 */
export function openQueue(config: NodeConfig, log: WorkerSettings['log']): NodeQueue {
  const { QSTASH_TOKEN: token, QSTASH_URL: url, PUBLIC_BASE_URL: target } = config
  if (token) return { port: qstashQueue({ url, token, target }), ...idleWorker }
  const pool = openJobsPool(config.DATABASE_PLATFORM_URL)
  const { start, stop, ...port } = createJobs(pool, { log, concurrency: config.JOB_CONCURRENCY })
  return {
    port,
    start,
    async stop(timeoutMs) {
      if (!(await stop(timeoutMs)))
        log({ at: new Date().toISOString(), level: 'warn', worker: 'Some jobs still run' })
    },
    close: () => closeJobsPool(pool),
  }
}

const idleWorker: Omit<NodeQueue, 'port'> = { async start() {}, async stop() {}, async close() {} }
