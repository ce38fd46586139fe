import { readProcessCpuMicros, readTreeCpuMicros } from '#test/bench/cpu.ts'
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
  /**
   * Processor time per request of the service's own process, in microseconds. Null if the system does not
   * report it.
   */
  cpuMicros: number | null
  /** That of PostgreSQL with all its processes, and that of the load generator. */
  postgresMicros: number | null
  clientMicros: number | null
  /** Round trips to PostgreSQL per request. Null for the floor. */
  roundTrips: number | null
}

const connections = 32
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
// After so many requests V8 has compiled the code of the dearest operation. A service warms up with as many as
// another, because less of the slower one would be compiled otherwise.
const warmUp = { seconds, requests: 1500 }

/**
 * Measure each operation on our Node entry, our Worker and the peers, in interleaved rounds on the same rows.
 *
 * @param countWorkerTrips counts the Worker's round trips to PostgreSQL so far
 */
export async function measurePeers(
  server: BenchServer,
  countWorkerTrips: () => Promise<number>,
): Promise<PeerResult[]> {
  const account = await seedAccount(server, '0b', benchUsers, benchNotificationsPerUser)
  await seedPeers(server, account)
  const operations = await createOperations(server, account)
  const roundTrips = await compareServices(server, operations, countWorkerTrips)
  const { worker, floor } = listWorkers(server)
  const services = [...(await startServices(server, server.postgresPort)), worker]
  try {
    const results: PeerResult[] = []
    const measured = (operation: PeerOperation) =>
      listMeasured(operation.floor ? [...services, floor] : services, operation)
    for (const operation of operations)
      for (const result of await measureOperation(measured(operation), operation, server.postgresPid))
        results.push({
          ...result,
          roundTrips: roundTrips.get(`${result.service} ${result.operation}`) ?? null,
        })
    return results
  } finally {
    for (const { stop } of services) stop()
  }
}

const listMeasured = <Service extends MeasuredProcess>(
  services: readonly Service[],
  { name }: PeerOperation,
) => services.filter(({ operations }) => operations?.includes(name) ?? true)

/** Compare the answers of the services, and return their round trips by service and operation. */
async function compareServices(
  server: BenchServer,
  operations: readonly PeerOperation[],
  countWorkerTrips: () => Promise<number>,
) {
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

type Sample = LoadResult & Pick<PeerResult, 'cpuMicros' | 'postgresMicros' | 'clientMicros'>

async function measureOperation(
  processes: MeasuredProcess[],
  operation: PeerOperation,
  postgresPid: number,
): Promise<Omit<PeerResult, 'roundTrips'>[]> {
  const samples = new Map<string, Sample[]>()
  // The first round only warms up: tokens are cached, statements prepared, code compiled.
  for (const process of processes) await runWindow(process, operation, postgresPid, warmUp)
  for (let round = 0; round < rounds; round++)
    for (const process of processes) {
      const sample = await runWindow(process, operation, postgresPid, { seconds, requests: 0 })
      samples.set(process.name, [...(samples.get(process.name) ?? []), sample])
    }
  return processes.map(({ name: service }) => ({
    operation: operation.name,
    service,
    ...toMedians(samples.get(service) ?? []),
  }))
}

/** Load a service for so many seconds, and longer until it has been sent so many requests. */
async function runWindow(
  { name, port, pid }: MeasuredProcess,
  operation: PeerOperation,
  postgresPid: number,
  least: { seconds: number; requests: number },
): Promise<Sample> {
  const createNext = name === floorName && operation.floor ? operation.floor : operation.next
  let sent = 0
  const next = () => {
    sent++
    return createNext()
  }
  await operation.reset?.()
  const readCpu = () => {
    const { user, system } = process.cpuUsage()
    return {
      cpuMicros: readProcessCpuMicros(pid),
      postgresMicros: readTreeCpuMicros(postgresPid),
      clientMicros: user + system,
    }
  }
  const before = readCpu()
  const end = performance.now() + least.seconds * 1000
  const hasMore = () => performance.now() < end || sent < least.requests
  const load = await runLoadWhile({ port, connections, next, hasMore })
  const after = readCpu()
  const perRequest = (part: keyof typeof before) =>
    before[part] === null || after[part] === null ? null : (after[part] - before[part]) / load.requests
  return {
    ...load,
    cpuMicros: perRequest('cpuMicros'),
    postgresMicros: perRequest('postgresMicros'),
    clientMicros: perRequest('clientMicros'),
  }
}

function toMedians(samples: readonly Sample[]): Omit<PeerResult, 'operation' | 'service' | 'roundTrips'> {
  const medianOf = (read: (sample: Sample) => number) => median(samples.map(read))
  const medianOfCpu = (part: 'cpuMicros' | 'postgresMicros' | 'clientMicros') =>
    samples.some((sample) => sample[part] === null) ? null : medianOf((sample) => sample[part] ?? 0)
  return {
    perSecond: medianOf((sample) => sample.perSecond),
    p50: medianOf((sample) => sample.p50),
    p99: medianOf((sample) => sample.p99),
    cpuMicros: medianOfCpu('cpuMicros'),
    postgresMicros: medianOfCpu('postgresMicros'),
    clientMicros: medianOfCpu('clientMicros'),
  }
}
