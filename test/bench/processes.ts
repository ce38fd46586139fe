import { writeFileSync } from 'node:fs'
import { median } from '#test/support/measure.ts'
import { processorTimeFile } from './costs/processor-time.ts'
import { readProcessCpuMicros, readTreeCpuMicros } from './cpu.ts'
import { runLoadWhile } from './load.ts'
import { createOperations, type PeerOperation } from './peers/operations.ts'
import { type MeasuredProcess, startNodeEntries } from './peers/processes.ts'
import { seedPeers } from './peers/seed-peers.ts'
import { formatRatio, printTable } from './print-results.ts'
import { benchNotificationsPerUser, benchUsers, seedAccount } from './seed.ts'
import type { BenchServer } from './server.ts'

const processCounts = [1, 2, 4]
const connections = 32
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const measuredNames = [
  'list notifications',
  'unread count',
  'list flows',
  'start session',
  'record decision',
  'escalate',
]

interface Sample {
  perSecond: number
  nodeMicros: number
  postgresMicros: number
}

/**
 * Print the throughput of one, two and four Node processes on one database. With `--store`, the costs are
 * computed from its processor time.
 */
export async function printProcesses(server: BenchServer): Promise<void> {
  const account = await seedAccount(server, '0b', benchUsers, benchNotificationsPerUser)
  await seedPeers(server, account)
  const operations = (await createOperations(server, account)).filter(({ name }) =>
    measuredNames.includes(name),
  )
  const columns: Sample[][] = []
  for (const count of processCounts) {
    const processes = await startNodeEntries(server, count)
    try {
      const column: Sample[] = []
      for (const operation of operations)
        column.push(await measureOperation(processes, operation, server.postgresPid))
      columns.push(column)
    } finally {
      for (const { stop } of processes) stop()
    }
  }
  console.log(
    '\nNode processes on one database, over 32 connections together: requests per second, as a multiple of one process',
  )
  printTable([
    [
      '',
      'one process',
      ...processCounts.slice(1).map((count) => `${count} processes`),
      'µs of Node per request',
      'µs of PostgreSQL per request',
    ],
    ...operations.map(({ name }, n) => {
      const [one, ...more] = columns.map((column) => column[n] as Sample) as [Sample, ...Sample[]]
      const ratios = more.map(({ perSecond }) => formatRatio(perSecond, one.perSecond))
      return [
        name,
        one.perSecond.toFixed(0),
        ...ratios,
        one.nodeMicros.toFixed(0),
        one.postgresMicros.toFixed(0),
      ]
    }),
  ])
  if (!process.argv.includes('--store')) return
  const toMicros = ({ nodeMicros, postgresMicros }: Sample) => ({
    node: Math.round(nodeMicros),
    postgres: Math.round(postgresMicros),
  })
  const micros = Object.fromEntries(
    operations.map(({ name }, n) => [name, toMicros(columns[0]?.[n] as Sample)]),
  )
  writeFileSync(
    processorTimeFile,
    `${JSON.stringify({ measuredOn: new Date().toISOString().slice(0, 10), micros }, null, 2)}\n`,
  )
}

async function measureOperation(
  processes: readonly MeasuredProcess[],
  operation: PeerOperation,
  postgresPid: number,
): Promise<Sample> {
  await runWindow(processes, operation, postgresPid)
  const samples: Sample[] = []
  for (let round = 0; round < rounds; round++)
    samples.push(await runWindow(processes, operation, postgresPid))
  const medianOf = (part: keyof Sample) => median(samples.map((sample) => sample[part]))
  return {
    perSecond: medianOf('perSecond'),
    nodeMicros: medianOf('nodeMicros'),
    postgresMicros: medianOf('postgresMicros'),
  }
}

async function runWindow(
  processes: readonly MeasuredProcess[],
  { next, reset }: PeerOperation,
  postgresPid: number,
): Promise<Sample> {
  await reset?.()
  const readCpu = () => ({
    node: processes.reduce((sum, { pid }) => sum + (readProcessCpuMicros(pid) ?? 0), 0),
    postgres: readTreeCpuMicros(postgresPid) ?? 0,
  })
  const before = readCpu()
  const end = performance.now() + seconds * 1000
  const hasMore = () => performance.now() < end
  const loads = await Promise.all(
    processes.map(({ port }) =>
      runLoadWhile({ port, connections: connections / processes.length, next, hasMore }),
    ),
  )
  const after = readCpu()
  const requests = loads.reduce((sum, load) => sum + load.requests, 0)
  return {
    perSecond: loads.reduce((sum, load) => sum + load.perSecond, 0),
    nodeMicros: (after.node - before.node) / requests,
    postgresMicros: (after.postgres - before.postgres) / requests,
  }
}
