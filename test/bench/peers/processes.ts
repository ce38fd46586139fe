import { spawn } from 'node:child_process'
import { findFreePort } from '#local/ports.ts'
import { root } from '#local/root.ts'
import { createRoleUrls } from '#local/settings.ts'
import { builtAssets } from '#local/worker.ts'
import type { BenchServer } from '#test/bench/server.ts'
import { waitForPort } from '#test/bench/wait-for-port.ts'

/** A service that the bench measures in a process of its own. */
export interface MeasuredProcess {
  name: string
  port: number
  pid: number
  stop(): void
}

/** Name of the Worker that makes the same two calls and does nothing else. */
export const floorName = 'two bare calls'

/** Start the Node entry and the Fastify peer. They reach PostgreSQL by `postgresPort`. */
export async function startServices(server: BenchServer, postgresPort: number): Promise<MeasuredProcess[]> {
  return Promise.all([startNodeEntry({ ...server, postgresPort }), startFastifyPeer({ ...server, postgresPort })])
}

/** Return the Worker and its floor, which run already. */
export function listWorkers({ workers }: BenchServer): { worker: MeasuredProcess; floor: MeasuredProcess } {
  const [worker] = workers
  if (!worker) throw new Error('No Worker runs')
  const stop = () => {}
  return {
    worker: { name: 'Worker', port: worker.port, pid: worker.workerdPid, stop },
    floor: { name: floorName, port: worker.baselinePort, pid: worker.baselinePid, stop },
  }
}

/** Start the Node entry, as `npm run serve` does. */
async function startNodeEntry({ settings, postgresPort, database, folder }: BenchServer): Promise<MeasuredProcess> {
  const port = await findFreePort()
  const env = {
    ...settings,
    ...createRoleUrls(`127.0.0.1:${postgresPort}`, database),
    PORT: String(port),
    HOST: '127.0.0.1',
    TRUSTED_PROXIES: '127.0.0.1',
    CLIENT_ADDRESS_HEADER: 'cf-connecting-ip',
    OBJECTS_DIR: folder,
    ASSETS_DIR: builtAssets,
    CHECK_RESPONSES: 'false',
    ...(process.env.REDIS_URL ? { REDIS_URL: process.env.REDIS_URL } : {}),
  }
  return startProcess('Node entry', 'functions/node.ts', env, port)
}

/** Start the Fastify peer. It connects as the owner, for whom row level security does not hold. */
async function startFastifyPeer({ settings, ownerUrl, postgresPort }: BenchServer): Promise<MeasuredProcess> {
  const port = await findFreePort()
  const [key] = JSON.parse(settings.JWT_KEYS ?? '[]') as { secret: string }[]
  const databaseUrl = Object.assign(new URL(ownerUrl), { port: String(postgresPort) })
  const env = {
    DATABASE_URL: databaseUrl.href,
    JWT_SECRET: key?.secret ?? '',
    PORT: String(port),
    PREPARED: process.env.BENCH_PREPARED ?? 'false',
  }
  return startProcess('Fastify peer', 'test/bench/peers/fastify-peer.ts', env, port)
}

async function startProcess(name: string, script: string, env: Record<string, string>, port: number): Promise<MeasuredProcess> {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [script], { cwd: root, env: { PATH, ...env }, stdio: ['ignore', 'ignore', 'inherit'] })
  await waitForPort(child, port, name)
  return { name, port, pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') }
}
