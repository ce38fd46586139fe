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
 * What a service should reach of another one: at least this share of its throughput, or at most of its
 * processor time. Behind the goal of each operation stands what it has reached, with room for a busy machine:
 * who falls behind that fails.
 */
interface Goal {
  service: string
  reference: string
  measure: Measure
  goal: number
  bounds: Partial<Record<string, number>>
}

const [list, unread, markRead] = ['list notifications', 'unread count', 'mark read'] as const
const goals: readonly Goal[] = [
  ...toGoals(nodeName, barePeerName, 'perSecond', [
    [0.85, { [list]: 0.45 }],
    [0.75, { [unread]: 0.45, [markRead]: 0.5 }],
  ]),
  ...toGoals(nodeName, barePeerName, 'cpuMicros', [
    [1.2, { [list]: 1.6 }],
    [1.55, { [unread]: 2 }],
    [1.5, { [markRead]: 2 }],
    [2.9, { escalate: 8 }],
  ]),
  ...toGoals(nodeName, guardedPeerName, 'perSecond', [
    [1.3, { [list]: 1.1, [unread]: 1.35, [markRead]: 1.3 }],
    [
      1.15,
      {
        'list flows': 1,
        'search flows': 1.1,
        'export markdown': 1,
        'start session': 1.15,
        'record decision': 1.15,
        escalate: 0.5,
        'log in': 0.8,
      },
    ],
  ]),
  ...toGoals(nodeName, fastApiName, 'perSecond', [
    [8, { [list]: 8 }],
    [5, { [unread]: 5, [markRead]: 5 }],
  ]),
  ...toGoals('Worker', floorName, 'perSecond', [[0.85, { [list]: 0.58, [unread]: 0.62, [markRead]: 0.6 }]]),
]

function toGoals(
  service: string,
  reference: string,
  measure: Measure,
  all: readonly [goal: number, bounds: Goal['bounds']][],
): Goal[] {
  return all.map(([goal, bounds]) => ({ service, reference, measure, goal, bounds }))
}

/**
 * Print the operations on each service, and what the service reaches of its peers. Return whether all bounds
 * are kept.
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
    Object.entries(goal.bounds).map(([operation, bound]) =>
      compare(goal, operation, bound ?? goal.goal, results),
    ),
  )
  const measured = compared.filter((comparison) => comparison !== null)
  console.log('\nRatios')
  printTable([['', '', '', '', 'goal', 'bound'], ...measured.map(({ row }) => row)])
  return measured.every(({ isKept }) => isKept)
}

function compare(
  { service, reference, measure, goal }: Goal,
  operation: string,
  bound: number,
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
  const isThroughput = measure === 'perSecond'
  const reaches = (ratio: number) => (isThroughput ? own / other >= ratio : own / other <= ratio)
  const sign = isThroughput ? '≥' : '≤'
  const label = isThroughput ? 'requests per second' : 'CPU'
  return {
    isKept: reaches(bound),
    row: [
      operation,
      `${name} ÷ ${reference}`,
      label,
      formatRatio(own, other),
      `${sign} ${goal} ${reaches(goal) ? 'met' : 'missed'}`,
      `${sign} ${bound} ${reaches(bound) ? 'kept' : 'BROKEN'}`,
    ],
  }
}
