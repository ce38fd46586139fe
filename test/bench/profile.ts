import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { withSuperuser } from '#local/postgres.ts'
import { readProcessCpuMicros } from './cpu.ts'
import { runLoadWhile } from './load.ts'
import { createOperations, type PeerOperation } from './peers/operations.ts'
import { listWorkers, type MeasuredProcess, startInspectedServices } from './peers/processes.ts'
import { seedPeers } from './peers/seed-peers.ts'
import { printTable } from './print-results.ts'
import { benchNotificationsPerUser, benchUsers, seedAccount } from './seed.ts'
import type { BenchServer } from './server.ts'

const connections = 32
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const samplingMicros = 200

/**
 * Where the code of a request is. The first pattern that matches the URL and the name of a function decides.
 */
const places: readonly [place: string, pattern: RegExp][] = [
  ['garbage', /^ \(garbage collector\)$/],
  ['system calls', /^(node:\S*)? (writev|writeBuffer|writeUtf8String|writeLatin1String|shutdown|readStart)$/],
  ['token', /jose|lib\/vendors\/auth|lib\/http\/(authenticate|key-memory)|internal\/crypto/],
  ['limiter', /lib\/vendors\/cache|rate-limit|ratelimit/],
  ['validation', /node_modules\/(zod|@hono\/zod-validator)|lib\/http\/(validat|body|field)/],
  [
    'SQL',
    /node_modules\/pg|lib\/(db|platform\/node\/(statement|database|postgres|pool))|node_modules\/kysely/,
  ],
  ['log', /lib\/(log|trace)/],
  ['metrics', /lib\/metrics|metrics/],
  ['handler', /\/functions\/|lib\/(rules|work)/],
  ['routing', /node_modules\/hono/],
  ['pipeline', /lib\/(http|problem)/],
  [
    'HTTP',
    /@hono\/node-server|node:_?(http|net|stream|internal\/(stream|http|url|deps|web))|node:(url|events|buffer)|undici/,
  ],
  ['timers and promises', /node:internal\/(timers|process|async|promise)|runMicrotasks/],
]
const otherPlace = 'other'

interface CallFrame {
  functionName: string
  url: string
}
interface Profile {
  nodes: { id: number; callFrame: CallFrame }[]
  samples: number[]
  timeDeltas: number[]
}

/**
 * Print for each operation the processor time of a request by place in the code, and PostgreSQL's by
 * statement.
 */
export async function printProfiles(server: BenchServer): Promise<void> {
  const account = await seedAccount(server, '0b', benchUsers, benchNotificationsPerUser)
  await seedPeers(server, account)
  const operations = (await createOperations(server, account)).filter(({ name }) => name !== 'log in')
  const services = await startInspectedServices(server)
  try {
    const { worker } = listWorkers(server)
    for (const service of [...services, { ...worker, inspectorPort: Number(process.env.BENCH_INSPECT) }]) {
      const columns: Map<string, number>[] = []
      for (const operation of operations) columns.push(await profileOperation(service, operation))
      const rows = [...places.map(([place]) => place), otherPlace, 'all of the process']
      console.log(`\n${service.name}: microseconds of processor time per request`)
      printTable([
        ['', ...operations.map(({ name }) => name)],
        ...rows.map((place) => [
          place,
          ...columns.map((column) => String(Math.round(column.get(place) ?? 0))),
        ]),
      ])
    }
    await printStatements(server, services[0] as MeasuredProcess, operations)
  } finally {
    for (const { stop } of services) stop()
  }
}

/**
 * Return the microseconds per request by place. The shares are V8's samples; the sum is what the system
 * counts for the process.
 */
async function profileOperation(
  service: MeasuredProcess,
  operation: PeerOperation,
): Promise<Map<string, number>> {
  const run = async (forSeconds: number) => {
    await operation.reset?.()
    const end = performance.now() + forSeconds * 1000
    return runLoadWhile({
      port: service.port,
      connections,
      next: operation.next,
      hasMore: () => performance.now() < end,
    })
  }
  await run(seconds / 2)
  const inspector = await openInspector(service.inspectorPort ?? 0)
  await inspector.send('Profiler.enable')
  await inspector.send('Profiler.setSamplingInterval', { interval: samplingMicros })
  await operation.reset?.()
  await inspector.send('Profiler.start')
  const cpuBefore = readProcessCpuMicros(service.pid) ?? 0
  const { requests } = await run(seconds)
  const cpuMicros = ((readProcessCpuMicros(service.pid) ?? 0) - cpuBefore) / requests
  const { profile } = (await inspector.send('Profiler.stop')) as { profile: Profile }
  inspector.close()
  return toPlaces(profile, cpuMicros)
}

function toPlaces({ nodes, samples, timeDeltas }: Profile, cpuMicros: number): Map<string, number> {
  const placeOf = new Map(nodes.map(({ id, callFrame }) => [id, findPlace(callFrame)]))
  const sums = new Map<string, number>()
  let total = 0
  for (const [n, id] of samples.entries()) {
    const place = placeOf.get(id)
    const micros = timeDeltas[n] ?? 0
    if (!place || micros < 0) continue
    sums.set(place, (sums.get(place) ?? 0) + micros)
    total += micros
  }
  return new Map([
    ...[...sums].map(([place, micros]) => [place, (micros / total) * cpuMicros] as const),
    ['all of the process', cpuMicros],
  ])
}

/** Return the place of a function, or null while the process waits. */
function findPlace({ url, functionName }: CallFrame): string | null {
  if (functionName === '(idle)') return null
  const name = `${url} ${functionName}`
  return places.find(([, pattern]) => pattern.test(name))?.[0] ?? otherPlace
}

interface Inspector {
  send(method: string, params?: object): Promise<unknown>
  close(): void
}

/**
 * Connect to a process that listens for the DevTools protocol:
 * https://chromedevtools.github.io/devtools-protocol/v8/Profiler/
 */
async function openInspector(port: number): Promise<Inspector> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`)
  const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[]
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '')
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  const waiting = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
  })
  let last = 0
  return {
    send: (method, params = {}) =>
      new Promise((resolve) => {
        waiting.set(++last, resolve)
        socket.send(JSON.stringify({ id: last, method, params }))
      }),
    close: () => socket.close(),
  }
}

/** Print PostgreSQL's time per request by statement, as pg_stat_statements counts it. */
async function printStatements(
  { postgresPort, database }: BenchServer,
  service: MeasuredProcess,
  operations: readonly PeerOperation[],
): Promise<void> {
  await withSuperuser(postgresPort, database, (client) => reportStatements(client, service, operations))
}

async function reportStatements(
  client: pg.Client,
  service: MeasuredProcess,
  operations: readonly PeerOperation[],
): Promise<void> {
  await client.query('create extension pg_stat_statements')
  for (const operation of operations) {
    await operation.reset?.()
    await client.query('select pg_stat_statements_reset()')
    const end = performance.now() + seconds * 1000
    const { requests } = await runLoadWhile({
      port: service.port,
      connections,
      next: operation.next,
      hasMore: () => performance.now() < end,
    })
    await pause(100)
    const { rows } = await client.query(
      `select regexp_replace(left(query, 90), '\\s+', ' ', 'g') as query, calls / $1::float as calls, total_exec_time * 1000 / $1 as exec,
              total_plan_time * 1000 / $1 as plan from pg_stat_statements where calls > $1 / 20 order by total_exec_time desc limit 8`,
      [requests],
    )
    console.log(`\nPostgreSQL under "${operation.name}": microseconds per request`)
    printTable([
      ['statement', 'calls', 'executing', 'planning'],
      ...rows.map(({ query, calls, exec, plan }) => [
        query,
        calls.toFixed(2),
        exec.toFixed(0),
        plan.toFixed(0),
      ]),
    ])
  }
}
