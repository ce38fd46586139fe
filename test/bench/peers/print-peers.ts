import { formatRatio, printTable } from '#test/bench/print-results.ts'
import type { PeerResult } from './peers.ts'
import {
  barePeerName,
  fastApiName,
  floorName,
  guardedPeerName,
  nodeName,
  nodeWithRedisName,
} from './processes.ts'

type Measure = 'perSecond' | 'cpuMicros'
/**
 * What a service has to reach of another one: at least this share of its throughput, or at most of its
 * processor time.
 */
interface Goal {
  service: string
  reference: string
  measure: Measure
  ratio: number
  operations: readonly string[]
}

const [list, unread, markRead] = ['list notifications', 'unread count', 'mark read'] as const
const others = [
  'list flows',
  'search flows',
  'export markdown',
  'start session',
  'record decision',
  'escalate',
  'log in',
] as const
const goals: readonly Goal[] = [
  { service: nodeName, reference: barePeerName, measure: 'perSecond', ratio: 0.85, operations: [list] },
  {
    service: nodeName,
    reference: barePeerName,
    measure: 'perSecond',
    ratio: 0.75,
    operations: [unread, markRead],
  },
  { service: nodeName, reference: barePeerName, measure: 'cpuMicros', ratio: 1.2, operations: [list] },
  { service: nodeName, reference: barePeerName, measure: 'cpuMicros', ratio: 1.55, operations: [unread] },
  { service: nodeName, reference: barePeerName, measure: 'cpuMicros', ratio: 1.5, operations: [markRead] },
  { service: nodeName, reference: barePeerName, measure: 'cpuMicros', ratio: 2.9, operations: ['escalate'] },
  {
    service: nodeName,
    reference: guardedPeerName,
    measure: 'perSecond',
    ratio: 1.3,
    operations: [list, unread, markRead],
  },
  { service: nodeName, reference: guardedPeerName, measure: 'perSecond', ratio: 1.15, operations: others },
  { service: nodeName, reference: fastApiName, measure: 'perSecond', ratio: 8, operations: [list] },
  {
    service: nodeName,
    reference: fastApiName,
    measure: 'perSecond',
    ratio: 5,
    operations: [unread, markRead],
  },
  {
    service: 'Worker',
    reference: floorName,
    measure: 'perSecond',
    ratio: 0.85,
    operations: [list, unread, markRead],
  },
]

/**
 * Print the operations on each service, and what the service reaches of its peers. Return whether all goals
 * are met.
 */
export function printPeers(results: readonly PeerResult[]): boolean {
  console.log(
    '\nOperations over 32 connections. The bare peer has no row level security, no sign-in check per request, no limits and no log; the',
  )
  console.log(
    'guarded one has all four, and hands jobs over to the queue. The floor is a Worker that makes the same calls to PostgreSQL and Redis alone.',
  )
  if (!results.some(({ service }) => service === nodeWithRedisName))
    console.log('No redis-server: the guarded peer counts in memory.')
  if (!results.some(({ service }) => service === fastApiName))
    console.log("Not measured: FastAPI, for which Python lacks Debian's packages.")
  printTable([
    ['', '', 'per second', 'p50 ms', 'p99 ms', 'CPU µs', 'PostgreSQL µs', 'client µs', 'round trips'],
    ...results.map(({ operation, service, perSecond, p50, p99, roundTrips, ...cpu }) => [
      operation,
      service,
      perSecond.toFixed(perSecond < 100 ? 1 : 0),
      p50.toFixed(1),
      p99.toFixed(1),
      ...[cpu.cpuMicros, cpu.postgresMicros, cpu.clientMicros].map((micros) =>
        micros === null ? '?' : String(Math.round(micros)),
      ),
      roundTrips === null ? '' : roundTrips.toFixed(2),
    ]),
  ])
  const compared = goals.flatMap((goal) =>
    goal.operations.map((operation) => compare(goal, operation, results)),
  )
  const measured = compared.filter((comparison) => comparison !== null)
  console.log('\nRatios')
  printTable([['', '', '', '', 'goal'], ...measured.map(({ row }) => row)])
  return measured.every(({ isMet }) => isMet)
}

function compare(
  { service, reference, measure, ratio }: Goal,
  operation: string,
  results: readonly PeerResult[],
) {
  // Both sides count in Redis, or neither does.
  const isInRedis =
    reference === guardedPeerName && results.some((result) => result.service === nodeWithRedisName)
  const name = isInRedis ? nodeWithRedisName : service
  const find = (wanted: string) =>
    results.find((result) => result.operation === operation && result.service === wanted)?.[measure]
  const [own, other] = [find(name), find(reference)]
  if (!own || !other) return null
  const isMet = measure === 'perSecond' ? own / other >= ratio : own / other <= ratio
  const goal = `${measure === 'perSecond' ? '≥' : '≤'} ${ratio} ${isMet ? 'met' : 'MISSED'}`
  const label = measure === 'perSecond' ? 'requests per second' : 'CPU'
  return { isMet, row: [operation, `${name} ÷ ${reference}`, label, formatRatio(own, other), goal] }
}
