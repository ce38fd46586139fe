import { formatRatio, printTable } from '#test/bench/print-results.ts'
import type { PeerResult } from './peers.ts'
import { floorName } from './processes.ts'

const nodeGoals: Record<string, number> = { 'list notifications': 2, 'unread count': 1.5, 'mark read': 1 }
const floorGoal = 0.7

/** Print the operations on each service, with the throughput as a ratio to the Fastify peer and to the floor. Return whether all goals are met. */
export function printPeers(results: readonly PeerResult[]): boolean {
  const goals = results.flatMap((result) => listGoals(result, results))
  console.log(
    '\nOperations over 32 connections, as a ratio to a service with Fastify and pg (no row level security, no limits), and of the Worker',
  )
  console.log('to the same calls to PostgreSQL and Redis alone')
  printTable([
    ['', '', 'of Fastify', 'of the calls', '(goal)', 'per second', 'p50 ms', 'p99 ms', 'CPU µs', 'round trips'],
    ...results.map((result) => toRow(result, results)),
  ])
  return goals.every(({ ratio, goal }) => ratio >= goal)
}

function toRow(result: PeerResult, results: readonly PeerResult[]): string[] {
  const { operation, service, perSecond, p50, p99, cpuMicros, roundTrips } = result
  const floor = service === 'Worker' ? find(results, operation, floorName) : undefined
  const fastify = service === floorName ? undefined : find(results, operation, 'Fastify peer')
  return [
    operation,
    service,
    fastify ? formatRatio(perSecond, fastify.perSecond) : '',
    floor ? formatRatio(perSecond, floor.perSecond) : '',
    listGoals(result, results)
      .map(({ ratio, goal }) => `≥ ${goal} ${ratio >= goal ? 'met' : 'MISSED'}`)
      .join(', '),
    perSecond.toFixed(perSecond < 100 ? 1 : 0),
    p50.toFixed(1),
    p99.toFixed(1),
    cpuMicros === null ? '?' : String(Math.round(cpuMicros)),
    roundTrips === null ? '' : roundTrips.toFixed(2),
  ]
}

/** Return what a result has to reach: the Node entry against the Fastify peer, the Worker against its floor. */
function listGoals({ operation, service, perSecond }: PeerResult, results: readonly PeerResult[]): { ratio: number; goal: number }[] {
  const isNode = service === 'Node entry'
  const goal = isNode ? nodeGoals[operation] : service === 'Worker' ? floorGoal : undefined
  const reference = find(results, operation, isNode ? 'Fastify peer' : floorName)
  return goal && reference ? [{ ratio: perSecond / reference.perSecond, goal }] : []
}

function find(results: readonly PeerResult[], operation: string, service: string): PeerResult | undefined {
  return results.find((result) => result.operation === operation && result.service === service)
}
