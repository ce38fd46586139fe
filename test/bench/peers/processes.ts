import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { findFreePort } from '../../../lib/local/ports.ts'
import { createRoleUrls } from '../../../lib/local/settings.ts'
import { builtAssets } from '../../../lib/local/worker.ts'
import type { BenchServer } from '../server.ts'
import { waitForPort } from '../wait-for-port.ts'

/** A service that the bench measures in a process of its own. */
export interface MeasuredProcess {
  name: string
  port: number
  pid: number
  stop(): void
}

const root = join(import.meta.dirname, '../../..')

/** Start the Node entry, as `npm run serve` does. */
export async function startNodeEntry({ settings, postgresPort, database, folder }: BenchServer): Promise<MeasuredProcess> {
  const port = await findFreePort()
  const env = {
    ...settings,
    ...createRoleUrls(`127.0.0.1:${postgresPort}`, database),
    PORT: String(port),
    HOST: '127.0.0.1',
    OBJECTS_DIR: folder,
    ASSETS_DIR: builtAssets,
    CHECK_RESPONSES: 'false',
    ...(process.env.REDIS_URL ? { REDIS_URL: process.env.REDIS_URL } : {}),
  }
  return startProcess('Node entry', 'functions/node.ts', env, port)
}

/** Start the Fastify peer. It connects as the owner, for whom row level security does not hold. */
export async function startFastifyPeer({ settings, ownerUrl }: BenchServer): Promise<MeasuredProcess> {
  const port = await findFreePort()
  const [key] = JSON.parse(settings.JWT_KEYS ?? '[]') as { secret: string }[]
  return startProcess(
    'Fastify peer',
    'test/bench/peers/fastify-peer.ts',
    { DATABASE_URL: ownerUrl, JWT_SECRET: key?.secret ?? '', PORT: String(port) },
    port,
  )
}

async function startProcess(name: string, script: string, env: Record<string, string>, port: number): Promise<MeasuredProcess> {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [script], { cwd: root, env: { PATH, ...env }, stdio: ['ignore', 'ignore', 'inherit'] })
  await waitForPort(child, port, name)
  return { name, port, pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') }
}
