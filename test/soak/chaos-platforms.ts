import { runCronJob } from '#local/node-jobs.ts'
import type { Fault } from '#local/vendors/faults.ts'
import { type OwnService, startOwnService } from '#test/support/app.ts'
import { startRedisProxy, startTestRedis } from '#test/support/redis.ts'
import { createNodeProcesses, createWorkerProcess, type Processes } from './chaos-processes.ts'

/** The service on one platform, with what can fail there. */
export interface ChaosTargets {
  service: OwnService
  processes: Processes
  setRedisFault(mode: 'down' | 'hang' | 'slow' | 'error' | undefined): void
  /** Delete the messages of the queue that wait, as a queue does that loses its data. */
  loseMessages(): Promise<void>
  /** Run the work of the minute. */
  runCron(): Promise<void>
}

export type ChaosPlatform = 'node' | 'cloudflare'
type Cluster = NonNullable<NonNullable<Parameters<typeof startOwnService>[1]>['cluster']>

export function openTargets(
  platform: ChaosPlatform,
  cluster: Cluster,
  folders: { objects: string; previous: string },
): Promise<ChaosTargets> {
  return platform === 'node' ? openNode(cluster, folders) : openWorker(cluster)
}

/** Two Node processes with jobs in PostgreSQL and one Redis. */
async function openNode(
  cluster: Cluster,
  folders: { objects: string; previous: string },
): Promise<ChaosTargets> {
  const service = await startOwnService({}, { cluster, databaseFaults: true })
  const redis = await startRedisProxy(await startTestRedis())
  const { superuser } = service.stack
  return {
    service,
    // The limits of a real service, instead of those of the tests.
    processes: createNodeProcesses(
      service.settings,
      { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: undefined },
      folders,
    ),
    setRedisFault: redis.setFault,
    loseMessages: () =>
      superuser.run(
        async (client) =>
          void (await client.query('delete from graphile_worker._private_jobs where locked_at is null')),
      ),
    runCron: () => superuser.run(runCronJob),
  }
}

/** One Worker with QStash, Redis over REST and a Durable Object. */
async function openWorker(cluster: Cluster): Promise<ChaosTargets> {
  const service = await startOwnService(
    { REDIS_TIMEOUT_MS: undefined },
    { cluster, platform: 'cloudflare', databaseFaults: true },
  )
  const { localServer, runCron } = service.stack
  const { QSTASH_URL, QSTASH_TOKEN } = service.settings
  return {
    service,
    processes: createWorkerProcess(service),
    setRedisFault: (mode) => setFault(service, 'redis', mode),
    async loseMessages() {
      const resume = localServer.qstash.pauseDeliveries()
      await fetch(`${QSTASH_URL}/v2/messages`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${QSTASH_TOKEN}` },
      })
      resume()
    },
    runCron,
  }
}

/** Let requests to a vendor fail, or end every fault. */
export function setFault(
  { stack }: OwnService,
  service: Fault['service'],
  mode: Fault['mode'] | undefined,
  times?: number,
): void {
  const { faults } = stack.localServer
  const pause = mode === 'rate_limit' ? { retry_after_s: 2 } : {}
  if (mode) faults.set({ service, mode, delay_ms: 2000, ...pause, ...(times === undefined ? {} : { times }) })
  else faults.clear()
}
