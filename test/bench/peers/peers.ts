import pg from 'pg'
import { median } from '../../support/measure.ts'
import { readProcessCpuMicros } from '../cpu.ts'
import { type LoadRequest, type LoadResult, runLoadWhile } from '../load.ts'
import { type BenchDatabase, benchNotificationsPerUser, benchUsers, notificationId, type SeededAccount, seedAccount } from '../seed.ts'
import type { BenchServer } from '../server.ts'
import { type MeasuredProcess, startFastifyPeer, startNodeEntry } from './processes.ts'

/** One operation on one service, as medians over the rounds. */
export interface PeerResult {
  operation: string
  service: string
  perSecond: number
  p50: number
  p99: number
  /** Processor time of the service's own process per request, in microseconds. Null if the system does not report it. */
  cpuMicros: number | null
  /** Transactions of PostgreSQL per request. */
  transactions: number
}

interface PeerOperation {
  name: string
  /** Return the next request. Users take turns, because our limits are per person and minute. */
  next(): LoadRequest
}

const connections = 32
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)

/** Measure each operation on our Node entry, our Worker and the Fastify peer, in interleaved rounds on the same rows. */
export async function measurePeers(server: BenchServer): Promise<PeerResult[]> {
  const benchDatabase: BenchDatabase = server
  const account = await seedAccount(benchDatabase, '0b', benchUsers, benchNotificationsPerUser)
  const [worker] = server.workers
  const processes: MeasuredProcess[] = [
    await startNodeEntry(server),
    await startFastifyPeer(server),
    ...(worker ? [{ name: 'Worker', port: worker.port, pid: worker.workerdPid, stop: () => {} }] : []),
  ]
  try {
    const results: PeerResult[] = []
    for (const operation of createOperations(account)) results.push(...(await measureOperation(server, processes, operation)))
    return results
  } finally {
    for (const { stop } of processes) stop()
  }
}

function createOperations(account: SeededAccount): PeerOperation[] {
  let turn = 0
  const nextUser = () => (turn = (turn + 1) % account.userCount)
  const token = (user: number) => account.tokens[user] ?? ''
  return [
    { name: 'list notifications', next: () => ({ method: 'GET', path: '/api/v1/notifications?limit=50', token: token(nextUser()) }) },
    { name: 'unread count', next: () => ({ method: 'GET', path: '/api/v1/notifications/unread-count', token: token(nextUser()) }) },
    {
      name: 'mark read',
      next() {
        const user = nextUser()
        const id = notificationId(account, user + 1, 1 + Math.floor(Math.random() * benchNotificationsPerUser))
        return { method: 'PATCH', path: `/api/v1/notifications/${id}/read`, token: token(user) }
      },
    },
  ]
}

type Sample = LoadResult & { cpuMicros: number | null; transactions: number }

async function measureOperation(server: BenchServer, processes: MeasuredProcess[], { name, next }: PeerOperation): Promise<PeerResult[]> {
  const samples = new Map<string, Sample[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const { name: service, port, pid } of processes) {
      const transactionsBefore = await countTransactions(server)
      const cpuBefore = readProcessCpuMicros(pid)
      // The first round only warms up: tokens are cached, statements prepared, code compiled.
      const end = performance.now() + (round === 0 ? 1000 : seconds * 1000)
      const load = await runLoadWhile({ port, connections, next, hasMore: () => performance.now() < end })
      const cpuAfter = readProcessCpuMicros(pid)
      const cpuMicros = cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / load.requests
      const transactions = ((await countTransactions(server)) - transactionsBefore) / load.requests
      if (round > 0) samples.set(service, [...(samples.get(service) ?? []), { ...load, cpuMicros, transactions }])
    }
  }
  return processes.map(({ name: service }) => ({ operation: name, service, ...toMedians(samples.get(service) ?? []) }))
}

function toMedians(samples: readonly Sample[]): Omit<PeerResult, 'operation' | 'service'> {
  const medianOf = (read: (sample: Sample) => number) => median(samples.map(read))
  return {
    perSecond: medianOf((sample) => sample.perSecond),
    p50: medianOf((sample) => sample.p50),
    p99: medianOf((sample) => sample.p99),
    cpuMicros: samples.some((sample) => sample.cpuMicros === null) ? null : medianOf((sample) => sample.cpuMicros ?? 0),
    transactions: medianOf((sample) => sample.transactions),
  }
}

/** Read how many transactions PostgreSQL has ended in the bench's database. Its counters are a second late. */
async function countTransactions({ ownerUrl, database }: BenchServer): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  const { rows } = await client.query('select xact_commit + xact_rollback as n from pg_stat_database where datname = $1', [database])
  await client.end()
  return Number(rows[0]?.n ?? 0)
}
