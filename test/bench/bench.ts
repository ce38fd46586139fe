import { type ChildProcess, fork } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '#local/ports.ts'
import { createBareRequests } from './bare-calls.ts'
import { readProcessCpuMicros, readTreeCpuMicros } from './cpu.ts'
import { measurePgbench, measurePool, type Operation } from './database-baselines.ts'
import { measureExports } from './exports.ts'
import { flowCounts, measureFlowLists, measureFlowSteps } from './flows.ts'
import { measureGrowth } from './growth/growth.ts'
import { type LoadRequest, type LoadResult, runLoadFor, runLoadWhile } from './load.ts'
import { measurePeers } from './peers/peers.ts'
import { printPeers } from './peers/print-peers.ts'
import {
  type OperationResult,
  printExports,
  printLists,
  printOperations,
  printSteps,
  printSweep,
} from './print-results.ts'
import { printProcesses } from './processes.ts'
import { printProfiles } from './profile.ts'
import {
  benchNotificationsPerUser,
  benchUsers,
  notificationId,
  type SeededAccount,
  seedAccount,
} from './seed.ts'
import type { BenchServer, MeasuredWorker } from './server.ts'
import { measureSessionReads, sessionCounts } from './sessions.ts'
import { measureStartUp, printStartUp } from './start-up.ts'
import { measureStreams, printStreams } from './streams.ts'
import { measureSweep } from './sweep.ts'

const connections = 16
const seconds = Number(process.env.BENCH_SECONDS ?? 4)
/**
 * The parts that can be measured alone, each with an option such as `--flows`, or `--growth=100000`, the rows
 * of the largest account.
 */
const parts = [
  'notifications',
  'flows',
  'exports',
  'streams',
  'sessions',
  'growth',
  'peers',
  'processes',
  'profile',
] as const
const operations: readonly Operation[] = ['list', 'unread-count', 'mark-read']

const randomBelow = (limit: number): number => Math.floor(Math.random() * limit)

/**
 * Return a function per operation that creates its next request. Users take turns, because rate limits are
 * per person and minute.
 */
function createRequestFactories(account: SeededAccount): Record<Operation, () => LoadRequest> {
  let lastUser = 0
  const nextUser = () => {
    lastUser = (lastUser + 1) % account.userCount
    return lastUser
  }
  const getToken = (user: number) => account.tokens[user] ?? ''
  return {
    list: () => ({ method: 'GET', path: '/api/v1/notifications?limit=50', token: getToken(nextUser()) }),
    'unread-count': () => ({
      method: 'GET',
      path: '/api/v1/notifications/unread-count',
      token: getToken(nextUser()),
    }),
    'mark-read': () => {
      const user = nextUser()
      const id = notificationId(account, user + 1, 1 + randomBelow(benchNotificationsPerUser))
      return { method: 'PATCH', path: `/api/v1/notifications/${id}/read`, token: getToken(user) }
    },
  }
}

/** The child process of server.ts, and the addresses and process ids that it sent. */
interface RunningServer {
  child: ChildProcess
  info: BenchServer
}

function startServer(): Promise<RunningServer> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'server.ts'))
    child.once('exit', (code) => reject(new Error(`The benchmark server exited with code ${code}`)))
    child.once('message', ({ info }: { info: BenchServer }) => resolve({ child, info }))
  })
}

/** Read how many requests a Worker has sent to the database's HTTP endpoint. */
function readRoundTrips({ child }: RunningServer, workerName: string): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', (message: { roundTrips: number }) => resolve(message.roundTrips))
    child.send({ roundTrips: workerName })
  })
}

/** Read the processor time so far in microseconds, by process. */
function readCpuMicros(
  { child, info }: RunningServer,
  worker: MeasuredWorker,
): Record<string, number | null> {
  return {
    workerd: readProcessCpuMicros(worker.workerdPid),
    emulators: readProcessCpuMicros(child.pid ?? 0),
    postgres: readTreeCpuMicros(info.postgresPid),
    ...(worker.redisPid ? { redis: readProcessCpuMicros(worker.redisPid) } : {}),
  }
}

async function measureOperation(
  server: RunningServer,
  worker: MeasuredWorker,
  createRequest: () => LoadRequest,
): Promise<LoadResult & Pick<OperationResult, 'cpu' | 'roundTrips'>> {
  // One unmeasured request per user, after which every token is cached and every statement is prepared.
  let remaining = benchUsers
  await runLoadWhile({ port: worker.port, connections, next: createRequest, hasMore: () => remaining-- > 0 })
  const roundTripsBefore = await readRoundTrips(server, worker.name)
  const cpuBefore = readCpuMicros(server, worker)
  const end = performance.now() + seconds * 1000
  const load = await runLoadWhile({
    port: worker.port,
    connections,
    next: createRequest,
    hasMore: () => performance.now() < end,
  })
  const cpuAfter = readCpuMicros(server, worker)
  const cpu = Object.entries(cpuAfter).map(
    ([part, micros]) =>
      [part, micros === null ? null : (micros - (cpuBefore[part] ?? 0)) / load.requests] as const,
  )
  const roundTrips = ((await readRoundTrips(server, worker.name)) - roundTripsBefore) / load.requests
  return { ...load, cpu: Object.fromEntries(cpu), roundTrips }
}

async function measureOperations(server: RunningServer, account: SeededAccount): Promise<OperationResult[]> {
  const requestFactories = createRequestFactories(account)
  const results: OperationResult[] = []
  for (const operation of operations) {
    const pool = await measurePool(server.info.ownerUrl, operation, connections, seconds / 2)
    const pgbench = await measurePgbench(server.info, operation, connections, Math.ceil(seconds / 2))
    for (const worker of server.info.workers) {
      const result = await measureOperation(server, worker, requestFactories[operation])
      const measureBaseline = async (path: string) =>
        (await runLoadFor(worker.baselinePort, connections, seconds / 2, () => ({ method: 'GET', path })))
          .perSecond
      const hono = await measureBaseline(`/bytes/${result.bytes}`)
      const bare = await createBareRequests(account, operation)
      const calls = (await runLoadFor(worker.baselinePort, connections, seconds / 2, bare)).perSecond
      results.push({ operation, worker: worker.name, ...result, baselines: { pool, pgbench, hono, calls } })
    }
  }
  return results
}

/**
 * Measure the part that an option names. Without such an option, measure notifications, flows and exports.
 */
async function measureParts(server: RunningServer): Promise<void> {
  const { postgresPort, database, settings } = server.info
  const benchDatabase = { postgresPort, database, settings }
  const option = process.argv.find((argument) => parts.some((part) => argument.split('=')[0] === `--${part}`))
  const onlyPart = parts.find((part) => option?.split('=')[0] === `--${part}`)
  if (!onlyPart || onlyPart === 'notifications') {
    const account = await seedAccount(benchDatabase, '0b', benchUsers, benchNotificationsPerUser)
    console.log(`Measuring over ${connections} connections ...\n`)
    printOperations(await measureOperations(server, account))
    printStartUp(await measureStartUp(server.info.settings))
  }
  if (!onlyPart || onlyPart === 'flows') {
    printLists('Lists of flows', flowCounts, await measureFlowLists(benchDatabase, server.info))
    printSteps(await measureFlowSteps(benchDatabase, server.info))
  }
  if (!onlyPart || onlyPart === 'exports') printExports(await measureExports(benchDatabase, server.info))
  if (onlyPart === 'peers') {
    const countWorkerTrips = () => readRoundTrips(server, server.info.workers[0]?.name ?? '')
    const areBoundsKept = [
      printPeers(await measurePeers(server.info, countWorkerTrips)),
      printStartUp(await measureStartUp(server.info.settings)),
    ]
    if (areBoundsKept.includes(false)) process.exitCode = 1
  }
  if (onlyPart === 'processes') await printProcesses(server.info)
  if (onlyPart === 'profile') await printProfiles(server.info)
  if (onlyPart === 'streams') printStreams(await measureStreams(server.info.workers[0]?.baselinePort ?? 0))
  if (onlyPart === 'sessions')
    printLists(
      'Lists and metrics of sessions',
      sessionCounts,
      await measureSessionReads(benchDatabase, server.info),
    )
  if (
    onlyPart === 'growth' &&
    !(await measureGrowth(server.info, Number(option?.split('=')[1] ?? 1_000_000)))
  )
    process.exitCode = 1
}

async function runBench(): Promise<void> {
  const startedAt = performance.now()
  if (process.argv.includes('--sweep')) {
    console.log('Building, starting PostgreSQL, the local emulators and workerd ...')
    if (!printSweep(await measureSweep())) process.exitCode = 1
    return
  }
  console.log(
    `Building, starting PostgreSQL, the local emulators and workerd on ${availableParallelism()} processors ...`,
  )
  if (process.argv.includes('--profile')) process.env.BENCH_INSPECT = String(await findFreePort())
  if (process.argv.some((argument) => /^--(profile|growth)/.test(argument)))
    process.env.BENCH_PRELOAD = 'pg_stat_statements'
  const server = await startServer()
  try {
    await measureParts(server)
    console.log(`\nTook ${Math.round((performance.now() - startedAt) / 1000)} s.`)
  } finally {
    server.child.removeAllListeners('exit')
    const exited = new Promise((resolve) => server.child.once('exit', resolve))
    server.child.send('stop')
    await exited
    await rm(server.info.folder, { recursive: true, force: true })
  }
}

await runBench()
