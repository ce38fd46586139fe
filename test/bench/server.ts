// A process of its own, so that what is measured and what measures it do not share an event loop.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build as bundle } from 'esbuild'
import { build } from '../../lib/local/build.ts'
import { createNeon } from '../../lib/local/neon.ts'
import { freePort } from '../../lib/local/ports.ts'
import { asSuperuser, type Cluster, startPostgres } from '../../lib/local/postgres.ts'
import { type Stack, startStack } from '../../lib/local/stack.ts'
import { builtAssets, builtModules } from '../../lib/local/worker.ts'
import { redisServer } from './tools.ts'
import { serveWorker } from './workerd.ts'

/** One Worker under measure. */
export interface Subject {
  name: string
  port: number
  workerdPid: number
  redisPid: number | null
  /** Where a Worker of bare routes has the same things behind it. */
  barePort: number
  barePid: number
}

/** What the bench is told when everything stands. */
export interface Standing {
  folder: string
  database: string
  postgresPort: number
  postgresPid: number
  ownerUrl: string
  settings: Record<string, string>
  subjects: Subject[]
}

const database = 'flow_bench'
const stops: (() => unknown)[] = []
const stacks = new Map<string, Stack>()
const trips = new Map<string, () => number>()

async function start(): Promise<Standing> {
  const folder = await mkdtemp(join(tmpdir(), 'flow-bench-'))
  const [cluster] = await Promise.all([startPostgres(join(folder, 'data'), { durable: false }), build(), bundleBare(folder)])
  stops.push(() => cluster.stop())
  const subjects = [await startSubject(cluster, folder, process.env.REDIS_URL ? 'REDIS_URL' : 'Redis stand-in', process.env.REDIS_URL)]
  const real = process.env.REDIS_URL ? null : await startRedis()
  if (real) subjects.push({ ...(await startSubject(cluster, folder, 'redis-server', real.url)), redisPid: real.pid })
  const first = [...stacks.values()][0] as Stack
  return {
    folder,
    database,
    postgresPort: cluster.port,
    postgresPid: await postmaster(cluster),
    ownerUrl: first.ownerUrl,
    settings: first.settings,
    subjects,
  }
}

async function startSubject(cluster: Cluster, parent: string, name: string, redisUrl: string | undefined): Promise<Subject> {
  const stack = await startStack({ cluster, database, port: 0, localPort: 0, redisUrl })
  stacks.set(name, stack)
  // The clock that can be moved reads a table at every look; production's does not.
  await asSuperuser(cluster.port, database, (client) =>
    client.query("create or replace function app.now() returns timestamptz language sql stable parallel safe as 'select now()'"),
  )
  const sql = await serveSql(cluster)
  trips.set(name, sql.trips)
  const folder = join(parent, `worker-${stacks.size}`)
  await mkdir(folder)
  const settings = { ...stack.settings, NEON_HTTP_ENDPOINT: sql.endpoint, CHECK_RESPONSES: 'false' }
  const worker = await serveWorker(folder, builtModules(), settings, { objects: { ESCALATION_HUB: 'EscalationHub' }, assets: builtAssets })
  const bareFolder = join(folder, 'bare')
  await mkdir(bareFolder)
  const bare = await serveWorker(bareFolder, [{ type: 'ESModule', path: join(parent, 'bare.js') }], settings, {
    objects: { HUB: 'EscalationHub', ECHO: 'Echo' },
  })
  stops.unshift(worker.stop, bare.stop, () => stack.close())
  return { name, port: worker.port, workerdPid: worker.pid, redisPid: null, barePort: bare.port, barePid: bare.pid }
}

/** Neon's SQL over HTTP straight in front of PostgreSQL: the stack's own goes through a relay that plays faults. */
async function serveSql({ port }: Cluster): Promise<{ endpoint: string; trips(): number }> {
  const neon = createNeon(() => port)
  const own = await freePort()
  let count = 0
  const server = createServer((request, response) => {
    count++
    neon.handle(request, response)
  })
  server.keepAliveTimeout = 120_000
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve))
  stops.unshift(() => {
    server.closeAllConnections()
    return neon.close()
  })
  return { endpoint: `http://127.0.0.1:${own}/sql`, trips: () => count }
}

async function bundleBare(folder: string): Promise<void> {
  const [entry, outfile] = [join(import.meta.dirname, 'bare.ts'), join(folder, 'bare.js')]
  await bundle({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    minify: true,
    external: ['node:*', 'cloudflare:*'],
    logLevel: 'error',
  })
}

async function startRedis(): Promise<{ url: string; pid: number } | null> {
  const binary = redisServer()
  if (!binary) return null
  const port = await freePort()
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn(binary, flags, { stdio: 'ignore' })
  stops.push(() => server.kill('SIGKILL'))
  return { url: `redis://127.0.0.1:${port}`, pid: server.pid ?? 0 }
}

async function postmaster({ dataDir }: Cluster): Promise<number> {
  return Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0])
}

async function end(code: number): Promise<void> {
  for (const stop of stops) await stop()
  process.exit(code)
}

process.on('message', (question: { roundTrips: string } | 'end') => {
  if (question === 'end') void end(0)
  else process.send?.({ roundTrips: trips.get(question.roundTrips)?.() ?? 0 })
})
process.on('disconnect', () => void end(0))
start().then(
  (standing) => process.send?.({ standing }),
  (error: unknown) => {
    console.error(error)
    return end(1)
  },
)
