import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { build } from '#local/build/build.ts'
import { writeClient } from '#local/build/write-client.ts'
import { startPostgres, withSuperuser } from '#local/postgres.ts'
import { createRoleUrls } from '#local/settings.ts'
import { createJobs } from '#platform/node/jobs.ts'
import { closeJobsPool, openJobsPool } from '#platform/node/jobs-pool.ts'
import { writeRelease } from './release.ts'
import { startStatementRecorder } from './statement-recorder.ts'
import { templateDatabase } from './template-database.ts'

/** What all processes of a test run share. */
export interface SharedResources {
  postgresPort: number
  /**
   * Port of PostgreSQL for the services under test. It differs from `postgresPort` while statements are
   * recorded.
   */
  servicePort: number
}

declare module 'vitest' {
  interface ProvidedContext {
    shared: SharedResources
  }
}

// A database that sets pg_stat_statements.track counts its statements. The others do not pay for it.
const statementCounters = ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track=none']
// A connection runs most statements of a test less often than the five times for which PostgreSQL plans each
// anew. Tests that look at plans set it back.
const genericPlans = ['plan_cache_mode=force_generic_plan']

// A copy of the template has 20 MB, and each process of the run has at most a few at a time; the log of
// PostgreSQL grows to 1 GB.
const memoryBytes = 3 * 2 ** 30

// biome-ignore lint/style/noDefaultExport: vitest expects a default export
export default async function setup(project: TestProject) {
  // The soak runs the tests of the database on older versions of PostgreSQL, which it starts itself.
  const runningPort = Number(process.env.TEST_POSTGRES_PORT ?? 0)
  if (runningPort) return project.provide('shared', { postgresPort: runningPort, servicePort: runningPort })
  // The tables of a soak grow too large for memory, and for plans that were made while they were empty.
  const isSoak = project.name === 'soak'
  const folder = await mkdtemp(join(isSoak ? tmpdir() : await chooseParentFolder(), 'flow-test-'))
  const flags = [...statementCounters, ...(isSoak ? [] : genericPlans)]
  const [cluster] = await Promise.all([
    startPostgres(join(folder, 'data'), { durable: false, flags }),
    build(),
    writeClient(),
  ])
  await cluster.createDatabase(templateDatabase)
  await createJobTables(cluster.port)
  const recorder = process.env.RECORD_STATEMENTS ? await startStatementRecorder(cluster.port) : undefined
  project.provide('shared', { postgresPort: cluster.port, servicePort: recorder?.port ?? cluster.port })
  return async () => {
    const failed = project.vitest.state.getCountOfFailedTests()
    if (recorder && failed === 0)
      await withSuperuser(cluster.port, templateDatabase, (client) => writeRelease(client, recorder.list()))
    await recorder?.close()
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Start the worker of the Node platform once, which creates its tables: in the template instead of in each copy. */
async function createJobTables(port: number): Promise<void> {
  const pool = openJobsPool(createRoleUrls(`127.0.0.1:${port}`, templateDatabase).DATABASE_PLATFORM_URL)
  const jobs = createJobs(pool, { log: () => {}, schedulesCron: false })
  await jobs.start({ run: async () => {}, cron: async () => {}, sweep: async () => {} })
  await jobs.stop(2000)
  await closeJobsPool(pool)
}

/**
 * Return a folder in memory where there is one with room, as on Linux. A copy of the template has 1,200
 * files, and creating these on a disk took a third of PostgreSQL's processor time.
 */
async function chooseParentFolder(): Promise<string> {
  const memory = '/dev/shm'
  const freeBytes = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return freeBytes > memoryBytes ? memory : tmpdir()
}
