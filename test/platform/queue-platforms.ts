import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { inject, onTestFinished } from 'vitest'
import * as z from 'zod'
import { parseSettings, settings } from '#config.ts'
import { createApp } from '#http/app.ts'
import { job, mountJobs, runJobMessage } from '#http/job.ts'
import { runCronJob, waitUntilJobsSettled } from '#local/node-jobs.ts'
import { moveDatabaseClock, openCluster, openSuperuser, platformPassword } from '#local/postgres.ts'
import { startRelay } from '#local/vendors/relay.ts'
import { createJobs } from '#platform/node/jobs.ts'
import { closeJobsPool, openJobsPool } from '#platform/node/jobs-pool.ts'
import type { WorkerSettings } from '#platform/node/jobs-worker.ts'
import { secrets, startTestServer } from '#test/local/test-server.ts'
import { sampleSettings } from '#test/support/settings.ts'
import { createStubServices } from '#test/support/stub-services.ts'
import { templateDatabase } from '#test/support/template-database.ts'
import { qstashQueue } from '#vendors/queue/qstash.ts'
import type { QueuePort } from '#vendors/queue/queue.ts'

export const jobPath = '/jobs/test/run'

/** The queue of one platform, and what its jobs do. */
export interface TestQueue {
  queue: QueuePort
  /** The numbers of the jobs that have started, in this order. */
  started: number[]
  /** What each job does. A test may replace it. */
  handle: (n: number) => Promise<void>
  log: Record<string, unknown>[]
  /** Resolve when no job is due or running. */
  settle(): Promise<void>
  advanceClock(seconds: number): Promise<void>
  /** `down` refuses connections, and `hang` never answers. */
  setMode(mode: 'open' | 'down' | 'hang'): void
}

type Recorder = Pick<TestQueue, 'started' | 'handle' | 'log'>

const createRecorder = (): Recorder => ({ started: [], handle: async () => {}, log: [] })

/** Create the services and the job of a test. The job needs a body `{n}`. */
function createTestJob(recorder: Recorder, changedSettings: Record<string, string> = {}) {
  const services = createStubServices({
    config: parseSettings(settings, { ...sampleSettings, ...changedSettings }),
    log: (line) => recorder.log.push(line),
  })
  const run = job({
    id: 'test.run',
    path: jobPath,
    body: z.object({ n: z.int() }),
    handle: ({ body }) => {
      recorder.started.push(body.n)
      return recorder.handle(body.n)
    },
  })
  return { services, jobs: [run] }
}

/** Open QStash's client with the emulator of QStash and an app that has the signed endpoints. */
export async function openQstash() {
  const local = await startTestServer()
  const recorder = createRecorder()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { services, jobs } = createTestJob(recorder, { PUBLIC_BASE_URL: origin })
  const app = createApp(services)
  mountJobs(app, jobs, services, [secrets.qstashCurrentSigningKey, secrets.qstashNextSigningKey])
  server.on('request', getRequestListener(app.fetch, { overrideGlobalObjects: false }))
  return Object.assign(recorder, {
    local,
    queue: qstashQueue({ url: `${local.origin}/qstash`, token: secrets.qstashToken, target: origin }),
    settle: () => local.qstash.waitUntilIdle(),
    advanceClock: async (advance_seconds: number) =>
      void (await local.call('POST', '/desk/clock', { advance_seconds })),
    setMode: (mode: 'open' | 'down' | 'hang') => {
      if (mode === 'open') local.faults.clear()
      else local.faults.set({ service: 'qstash', mode })
    },
  })
}

let databaseCount = 0
/** Databases whose test has ended. They are as new. */
const idleDatabases: string[] = []

/** Lease a migrated database for the queue of Node until the test ends, with a relay in front of PostgreSQL. */
export async function createQueueDatabase() {
  const { postgresPort: port } = inject('shared')
  const name = idleDatabases.pop() ?? `queue_${process.pid}_${++databaseCount}`
  const ownerUrl = await openCluster(port).createDatabase(name, templateDatabase)
  const relay = await startRelay(port)
  const superuser = openSuperuser(port, name)
  onTestFinished(async () => {
    await relay.close()
    await superuser.run(async (client) => {
      await client.query('truncate graphile_worker._private_jobs, queue_message_ids')
      await moveDatabaseClock(client, 0)
    })
    await superuser.close()
    idleDatabases.push(name)
  })
  let offsetMs = 0
  return {
    relay,
    ownerUrl,
    /** Connection string of app_platform, through the relay. */
    url: `postgres://app_platform:${platformPassword}@127.0.0.1:${relay.port}/${name}`,
    sql: <Row>(text: string, values: unknown[] = []) =>
      superuser.run(async (client) => (await client.query(text, values)).rows as Row[]),
    settle: () => superuser.run(waitUntilJobsSettled),
    runCron: () => superuser.run(runCronJob),
    advanceClock: async (seconds: number) => {
      offsetMs += seconds * 1000
      await superuser.run((client) => moveDatabaseClock(client, offsetMs))
      await superuser.run(waitUntilJobsSettled)
    },
  }
}

/**
 * Create the queue of Node in a database. Its worker runs after `start`. The periodic work is not scheduled,
 * unless the settings say so.
 */
export function openJobs(url: string, settings: Partial<WorkerSettings> = {}) {
  const recorder = createRecorder()
  const { services, jobs } = createTestJob(recorder)
  const pool = openJobsPool(url)
  const queue = createJobs(pool, { log: services.log, schedulesCron: false, ...settings })
  const cron = { count: 0, sweeps: 0, run: async () => {} }
  const start = () =>
    queue.start({
      run: (path, body) => runJobMessage(services, jobs, path, body),
      cron: async () => {
        cron.count++
        await cron.run()
      },
      sweep: async () => void cron.sweeps++,
    })
  onTestFinished(async () => {
    await queue.stop(2000)
    await closeJobsPool(pool)
  })
  return Object.assign(recorder, { queue, pool, cron, start })
}

/** Open the queue of Node with a worker. */
export async function openPostgresQueue() {
  const database = await createQueueDatabase()
  const jobs = openJobs(database.url)
  await jobs.start()
  const { settle, advanceClock } = database
  return Object.assign(jobs, {
    settle,
    advanceClock,
    setMode: (mode: 'open' | 'down' | 'hang') => database.relay.setMode(mode),
  })
}
