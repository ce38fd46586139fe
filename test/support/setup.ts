import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { build } from '../../lib/local/build.ts'
import { startPostgres, withSuperuser } from '../../lib/local/postgres.ts'
import { startStack } from '../../lib/local/stack.ts'
import { writeRelease } from './release.ts'
import { startStatementRecorder } from './statement-recorder.ts'

export interface SharedService {
  api: string
  localOrigin: string
  ownerUrl: string
  postgresPort: number
  /** Port of PostgreSQL for the services under test. It differs from `postgresPort` while statements are recorded. */
  servicePort: number
  settings: Record<string, string>
}

declare module 'vitest' {
  interface ProvidedContext {
    shared: SharedService
  }
}

// Test files run in parallel. With the default time-out the rate limiter would treat Redis as unavailable on a busy machine.
export const longTimeouts = { REDIS_TIMEOUT_MS: '5000' }

export const templateDatabase = 'flow_template'

// biome-ignore lint/style/noDefaultExport: vitest expects a default export
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'flow-test-'))
  const [cluster] = await Promise.all([startPostgres(join(folder, 'data'), { durable: false }), build()])
  await cluster.createDatabase(templateDatabase)
  const recorder = process.env.RECORD_STATEMENTS ? await startStatementRecorder(cluster.port) : undefined
  const servicePort = recorder?.port ?? cluster.port
  const stack = await startStack({
    cluster: { ...cluster, port: servicePort },
    database: 'flow_shared',
    template: templateDatabase,
    port: 0,
    localPort: 0,
    settings: longTimeouts,
  })
  const { api, ownerUrl, settings } = stack
  const { origin } = stack.localServer
  project.provide('shared', { api, localOrigin: origin, ownerUrl, postgresPort: cluster.port, servicePort, settings })
  return async () => {
    await stack.close()
    const failed = project.vitest.state.getCountOfFailedTests()
    if (recorder && failed === 0) await withSuperuser(cluster.port, templateDatabase, (client) => writeRelease(client, recorder.list()))
    await recorder?.close()
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
