import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { build } from '../../lib/local/build.ts'
import { startPostgres } from '../../lib/local/postgres.ts'
import { startStack } from '../../lib/local/stack.ts'

export interface SharedService {
  api: string
  localOrigin: string
  ownerUrl: string
  postgresPort: number
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
  const stack = await startStack({
    cluster,
    database: 'flow_shared',
    template: templateDatabase,
    port: 0,
    localPort: 0,
    settings: longTimeouts,
  })
  const { api, ownerUrl, settings } = stack
  project.provide('shared', { api, localOrigin: stack.localServer.origin, ownerUrl, postgresPort: cluster.port, settings })
  return async () => {
    await stack.close()
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
