import { spawn } from 'node:child_process'
import { findFreePort } from '#local/ports.ts'
import { root } from '#local/root.ts'
import { createRoleUrls } from '#local/settings.ts'
import { builtAssets } from '#local/worker.ts'
import { findFastApiPython } from '#test/bench/binaries.ts'
import type { BenchServer } from '#test/bench/server.ts'
import { waitForPort } from '#test/bench/wait-for-port.ts'
import { notificationOperations } from './operations.ts'

/** A service that the bench measures in a process of its own. */
export interface MeasuredProcess {
  name: string
  port: number
  pid: number
  /** Port of the DevTools protocol, if the process listens for it. */
  inspectorPort?: number
  /** The operations that it has, if not all. */
  operations?: readonly string[]
  stop(): void
}

/** Name of the Worker that makes the same two calls and does nothing else. */
export const floorName = 'two bare calls'
export const nodeName = 'Node entry'
/**
 * The Node entry that counts calls in Redis, as several processes must. Without a Redis on this machine it is
 * not measured.
 */
export const nodeWithRedisName = 'Node entry, Redis'
export const barePeerName = 'Fastify, bare'
export const guardedPeerName = 'Fastify, guarded'
export const fastApiName = 'FastAPI'

/** Start the Node entry and its peers. They reach PostgreSQL by `postgresPort`. */
export async function startServices(bench: BenchServer, postgresPort: number): Promise<MeasuredProcess[]> {
  const server = { ...bench, postgresPort }
  const { redisUrl } = server
  const started = await Promise.all([
    startNodeEntry(server, { name: nodeName }),
    startFastifyPeer(server, { name: barePeerName }),
    ...(redisUrl ? [startNodeEntry(server, { name: nodeWithRedisName, redisUrl })] : []),
    startFastifyPeer(server, { name: guardedPeerName, isGuarded: true, redisUrl }),
    startFastApi(server),
  ])
  return started.filter((process) => process !== null)
}

/** Start several Node entries on one database. */
export function startNodeEntries(server: BenchServer, count: number): Promise<MeasuredProcess[]> {
  const redis = server.redisUrl ? { redisUrl: server.redisUrl } : {}
  return Promise.all(
    Array.from({ length: count }, (_, n) =>
      startNodeEntry(server, { name: `${nodeName} ${n + 1}`, ...redis }),
    ),
  )
}

/** Start both with a port for the DevTools protocol. */
export async function startInspectedServices(server: BenchServer): Promise<MeasuredProcess[]> {
  const [nodePort, peerPort] = [await findFreePort(), await findFreePort()]
  return Promise.all([
    startNodeEntry(server, { name: nodeName, inspectorPort: nodePort }),
    startFastifyPeer(server, { name: barePeerName, inspectorPort: peerPort }),
  ])
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
async function startNodeEntry(
  { settings, postgresPort, database, folder }: BenchServer,
  { name, redisUrl, inspectorPort }: ProcessOptions,
): Promise<MeasuredProcess> {
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
    ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
  }
  return startProcess(name, 'functions/node.ts', env, { port, inspectorPort })
}

/** Start the Fastify peer. The bare one connects as the owner, for whom row level security does not hold. */
async function startFastifyPeer(
  server: BenchServer,
  { name, isGuarded = false, redisUrl, inspectorPort }: ProcessOptions,
): Promise<MeasuredProcess> {
  const port = await findFreePort()
  const env = {
    ...createPeerSettings(server),
    PORT: String(port),
    PREPARED: process.env.BENCH_PREPARED ?? 'false',
    GUARDED: String(isGuarded),
    RUNTIME_URL: `postgres://peer_runtime:peer@127.0.0.1:${server.postgresPort}/${server.database}`,
    ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
    ...(isGuarded
      ? { QSTASH_URL: server.settings.QSTASH_URL ?? '', QSTASH_TOKEN: server.settings.QSTASH_TOKEN ?? '' }
      : {}),
  }
  return startProcess(name, 'test/bench/peers/fastify-peer.ts', env, { port, inspectorPort })
}

/**
 * Start the peer with FastAPI and SQLAlchemy, or return null where Python lacks them. It has the three
 * operations on notifications.
 */
async function startFastApi(server: BenchServer): Promise<MeasuredProcess | null> {
  const python = findFastApiPython()
  if (!python) return null
  const port = await findFreePort()
  const { DATABASE_URL, JWT_SECRET } = createPeerSettings(server)
  const env = {
    DATABASE_URL: DATABASE_URL.replace(/^postgres(ql)?:/, 'postgresql+asyncpg:'),
    JWT_SECRET,
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const flags = [
    '-m',
    'uvicorn',
    '--app-dir',
    'test/bench/peers',
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--no-access-log',
  ]
  const peer = await spawnProcess(
    fastApiName,
    [python, ...flags, '--log-level', 'warning', 'fastapi_peer:app'],
    env,
    port,
  )
  return { ...peer, operations: notificationOperations }
}

function createPeerSettings({ settings, ownerUrl, postgresPort }: BenchServer): {
  DATABASE_URL: string
  JWT_SECRET: string
} {
  const [key] = JSON.parse(settings.JWT_KEYS ?? '[]') as { secret: string }[]
  return {
    DATABASE_URL: Object.assign(new URL(ownerUrl), { port: String(postgresPort) }).href,
    JWT_SECRET: key?.secret ?? '',
  }
}

interface ProcessOptions {
  name: string
  isGuarded?: boolean
  redisUrl?: string | null
  inspectorPort?: number
}

async function startProcess(
  name: string,
  script: string,
  env: Record<string, string>,
  { port, inspectorPort }: { port: number; inspectorPort: number | undefined },
): Promise<MeasuredProcess> {
  const flags = inspectorPort ? [`--inspect=127.0.0.1:${inspectorPort}`] : []
  const started = await spawnProcess(name, [process.execPath, ...flags, script], env, port)
  return inspectorPort ? { ...started, inspectorPort } : started
}

async function spawnProcess(
  name: string,
  [program = '', ...args]: string[],
  env: Record<string, string>,
  port: number,
): Promise<MeasuredProcess> {
  const { PATH = '' } = process.env
  const child = spawn(program, args, {
    cwd: root,
    env: { PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await waitForPort(child, port, name)
  return { name, port, pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') }
}
