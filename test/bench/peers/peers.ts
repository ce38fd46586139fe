import { readProcessCpuMicros } from '#test/bench/cpu.ts'
import { type LoadResult, runLoadWhile } from '#test/bench/load.ts'
import { benchNotificationsPerUser, benchUsers, seedAccount } from '#test/bench/seed.ts'
import type { BenchServer } from '#test/bench/server.ts'
import { median } from '#test/support/measure.ts'
import { compareAnswers } from './compare-answers.ts'
import { createOperations, type PeerOperation } from './operations.ts'
import { floorName, listWorkers, type MeasuredProcess, startServices } from './processes.ts'
import { startCountingRelay } from './round-trips.ts'
import { seedPeers } from './seed-peers.ts'

/** One operation on one service, as medians over the rounds. */
export interface PeerResult {
  operation: string
  service: string
  perSecond: number
  p50: number
  p99: number
  /** Processor time of the service's own process per request, in microseconds. Null if the system does not report it. */
  cpuMicros: number | null
  /** Round trips to PostgreSQL per request. Null for the floor. */
  roundTrips: number | null
}

const connections = 32
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const warmUpSeconds = Math.min(1, seconds)

/**
 * Measure each operation on our Node entry, our Worker and the Fastify peer, in interleaved rounds on the same rows.
 *
 * @param countWorkerTrips counts the Worker's round trips to PostgreSQL so far
 */
export async function measurePeers(server: BenchServer, countWorkerTrips: () => Promise<number>): Promise<PeerResult[]> {
  const account = await seedAccount(server, '0b', benchUsers, benchNotificationsPerUser)
  await seedPeers(server, account)
  const operations = await createOperations(server, account)
  const roundTrips = await compareServices(server, operations, countWorkerTrips)
  const { worker, floor } = listWorkers(server)
  const services = [...(await startServices(server, server.postgresPort)), worker]
  try {
    const results: PeerResult[] = []
    for (const operation of operations)
      for (const result of await measureOperation(operation.floor ? [...services, floor] : services, operation))
        results.push({ ...result, roundTrips: roundTrips.get(`${result.service} ${result.operation}`) ?? null })
    return results
  } finally {
    for (const { stop } of services) stop()
  }
}

/** Compare the answers of the services, and return their round trips by service and operation. */
async function compareServices(server: BenchServer, operations: readonly PeerOperation[], countWorkerTrips: () => Promise<number>) {
  const relay = await startCountingRelay(server.postgresPort)
  const started = await startServices(server, relay.port)
  const count = async () => relay.count()
  try {
    const services = started.map((service) => ({ ...service, countRoundTrips: count }))
    const worker = { ...listWorkers(server).worker, countRoundTrips: countWorkerTrips }
    const roundTrips = await compareAnswers(server, [...services, worker], operations)
    console.log('All services answer alike and insert the same rows.')
    return roundTrips
  } finally {
    for (const { stop } of started) stop()
    await relay.close()
  }
}

type Sample = LoadResult & { cpuMicros: number | null }

async function measureOperation(processes: MeasuredProcess[], operation: PeerOperation): Promise<Omit<PeerResult, 'roundTrips'>[]> {
  const samples = new Map<string, Sample[]>()
  // The first round only warms up: tokens are cached, statements prepared, code compiled.
  for (const process of processes) await runWindow(process, operation, warmUpSeconds)
  for (let round = 0; round < rounds; round++)
    for (const process of processes) {
      const sample = await runWindow(process, operation, seconds)
      samples.set(process.name, [...(samples.get(process.name) ?? []), sample])
    }
  return processes.map(({ name: service }) => ({ operation: operation.name, service, ...toMedians(samples.get(service) ?? []) }))
}

async function runWindow({ name, port, pid }: MeasuredProcess, operation: PeerOperation, windowSeconds: number): Promise<Sample> {
  const next = name === floorName && operation.floor ? operation.floor : operation.next
  await operation.reset?.()
  const cpuBefore = readProcessCpuMicros(pid)
  const end = performance.now() + windowSeconds * 1000
  const load = await runLoadWhile({ port, connections, next, hasMore: () => performance.now() < end })
  const cpuAfter = readProcessCpuMicros(pid)
  return { ...load, cpuMicros: cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / load.requests }
}

function toMedians(samples: readonly Sample[]): Omit<PeerResult, 'operation' | 'service' | 'roundTrips'> {
  const medianOf = (read: (sample: Sample) => number) => median(samples.map(read))
  return {
    perSecond: medianOf((sample) => sample.perSecond),
    p50: medianOf((sample) => sample.p50),
    p99: medianOf((sample) => sample.p99),
    cpuMicros: samples.some((sample) => sample.cpuMicros === null) ? null : medianOf((sample) => sample.cpuMicros ?? 0),
  }
}
