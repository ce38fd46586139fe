// This runs in its own process, so that the bench and the emulators do not share an event loop.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build as bundle } from 'esbuild'
import { build } from '#local/build/build.ts'
import { findFreePort } from '#local/ports.ts'
import { type Cluster, startPostgres, withSuperuser } from '#local/postgres.ts'
import { type Stack, startStack } from '#local/stack.ts'
import { createNeon } from '#local/vendors/neon.ts'
import { builtAssets, listBuiltModules } from '#local/worker.ts'
import { findRedisServer } from './binaries.ts'
import { startQueueSink } from './queue-sink.ts'
import { startWorkerd } from './workerd.ts'

/** A Worker that the bench measures. */
export interface MeasuredWorker {
  name: string
  port: number
  workerdPid: number
  redisPid: number | null
  /** Port of the baseline Worker, which has the same settings. */
  baselinePort: number
  baselinePid: number
}

/** The message that this process sends to the bench when everything has started. */
export interface BenchServer {
  folder: string
  database: string
  postgresPort: number
  postgresPid: number
  ownerUrl: string
  settings: Record<string, string>
  /** The Redis of this machine, or null. */
  redisUrl: string | null
  workers: MeasuredWorker[]
}

const database = 'flow_bench'
// Both Workers accept the same tokens, although their addresses differ.
const tokenNames = { JWT_ISSUER: 'bench', JWT_AUDIENCE: 'bench' }
const baselineBundle = 'baseline.js'
const stopFunctions: (() => unknown)[] = []
const stackByName = new Map<string, Stack>()
const roundTripCounters = new Map<string, () => number>()

async function startServer(): Promise<BenchServer> {
  const folder = await mkdtemp(join(tmpdir(), 'flow-bench-'))
  const preload = process.env.BENCH_PRELOAD
  const [cluster] = await Promise.all([
    startPostgres(join(folder, 'data'), {
      durable: false,
      flags: preload ? [`shared_preload_libraries=${preload}`] : [],
    }),
    build(),
    bundleBaselineWorker(folder),
  ])
  stopFunctions.push(() => cluster.stop())
  const queue = await startQueueSink()
  stopFunctions.unshift(queue.close)
  const place = { cluster, parent: folder, queueUrl: queue.url }
  const workers = [
    await startMeasuredWorker(
      place,
      process.env.REDIS_URL ? 'REDIS_URL' : 'Redis emulator',
      process.env.REDIS_URL,
    ),
  ]
  const redis = process.env.REDIS_URL ? null : await startRedis()
  if (redis)
    workers.push({ ...(await startMeasuredWorker(place, 'redis-server', redis.url)), redisPid: redis.pid })
  const [firstStack] = [...stackByName.values()] as [Stack]
  return {
    folder,
    database,
    postgresPort: cluster.port,
    postgresPid: await readPostmasterPid(cluster),
    ownerUrl: firstStack.ownerUrl,
    settings: { ...firstStack.settings, ...tokenNames, QSTASH_URL: queue.url },
    redisUrl: process.env.REDIS_URL ?? redis?.url ?? null,
    workers,
  }
}

/** What the measured Workers share. */
interface Place {
  cluster: Cluster
  parent: string
  queueUrl: string
}

async function startMeasuredWorker(
  { cluster, parent, queueUrl }: Place,
  name: string,
  redisUrl: string | undefined,
): Promise<MeasuredWorker> {
  const stack = await startStack({
    platform: 'cloudflare',
    cluster,
    database,
    port: 0,
    localPort: 0,
    redisUrl,
  })
  stackByName.set(name, stack)
  // The movable app.now() of the local stack reads a table. The bench uses the production function, which
  // does not.
  await withSuperuser(cluster.port, database, (client) =>
    client.query(
      "create or replace function app.now() returns timestamptz language sql stable parallel safe as 'select now()'",
    ),
  )
  const endpoint = await startSqlEndpoint(cluster)
  roundTripCounters.set(name, endpoint.countRequests)
  const folder = join(parent, `worker-${stackByName.size}`)
  await mkdir(folder)
  const settings = {
    ...stack.settings,
    ...tokenNames,
    NEON_HTTP_ENDPOINT: endpoint.url,
    QSTASH_URL: queueUrl,
    CHECK_RESPONSES: 'false',
  }
  const worker = await startWorkerd(folder, listBuiltModules(), settings, {
    objects: { ESCALATION_HUB: 'EscalationHub' },
    assets: builtAssets,
  })
  const baselineFolder = join(folder, 'baseline')
  await mkdir(baselineFolder)
  const baseline = await startWorkerd(
    baselineFolder,
    [{ type: 'ESModule', path: join(parent, baselineBundle) }],
    settings,
    {
      objects: { HUB: 'EscalationHub', ECHO: 'Echo' },
    },
  )
  stopFunctions.unshift(worker.stop, baseline.stop, () => stack.close())
  return {
    name,
    port: worker.port,
    workerdPid: worker.pid,
    redisPid: null,
    baselinePort: baseline.port,
    baselinePid: baseline.pid,
  }
}

/**
 * Start a Neon endpoint directly in front of PostgreSQL. The stack's own endpoint would also measure the
 * relay that simulates faults.
 */
async function startSqlEndpoint({ port }: Cluster): Promise<{ url: string; countRequests(): number }> {
  const neon = createNeon(() => port)
  const endpointPort = await findFreePort()
  let requestCount = 0
  const server = createServer((request, response) => {
    requestCount++
    neon.handle(request, response)
  })
  server.keepAliveTimeout = 120_000
  await new Promise<void>((resolve) => server.listen(endpointPort, '127.0.0.1', resolve))
  stopFunctions.unshift(() => {
    server.closeAllConnections()
    return neon.close()
  })
  return { url: `http://127.0.0.1:${endpointPort}/sql`, countRequests: () => requestCount }
}

async function bundleBaselineWorker(folder: string): Promise<void> {
  await bundle({
    entryPoints: [join(import.meta.dirname, 'baseline-worker.ts')],
    outfile: join(folder, baselineBundle),
    bundle: true,
    format: 'esm',
    minify: true,
    external: ['node:*', 'cloudflare:*'],
    logLevel: 'error',
  })
}

/** Start the machine's redis-server, or return null if it has none. */
async function startRedis(): Promise<{ url: string; pid: number } | null> {
  const binary = findRedisServer()
  if (!binary) return null
  const port = await findFreePort()
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn(binary, flags, { stdio: 'ignore' })
  stopFunctions.push(() => server.kill('SIGKILL'))
  return { url: `redis://127.0.0.1:${port}`, pid: server.pid ?? 0 }
}

async function readPostmasterPid({ dataDir }: Cluster): Promise<number> {
  return Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0])
}

async function stopServer(code: number): Promise<void> {
  for (const stop of stopFunctions) await stop()
  process.exit(code)
}

// The bench sends 'stop', or the name of a Worker whose round trips it needs.
process.on('message', (message: { roundTrips: string } | 'stop') => {
  if (message === 'stop') void stopServer(0)
  else process.send?.({ roundTrips: roundTripCounters.get(message.roundTrips)?.() ?? 0 })
})
process.on('disconnect', () => void stopServer(0))
startServer().then(
  (info) => process.send?.({ info }),
  (error: unknown) => {
    console.error(error)
    return stopServer(1)
  },
)
