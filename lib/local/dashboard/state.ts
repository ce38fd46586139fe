import { type Clock, toTimestamp } from '#local/clock.ts'
import { type Fault, type Faults, modes, services } from '#local/vendors/faults.ts'
import {
  type ListSummary,
  type RecordedService,
  type Records,
  type RecordTypes,
  recordedServices,
} from '#local/vendors/records.ts'
import type { LogLine, LogLines } from './log-lines.ts'
import { describeItem } from './page/columns.ts'

/** Someone whom the dashboard signs in with one click. */
export interface DemoUser {
  email: string
  description: string
  password: string
}

/** What the page always shows. It is read every second. */
export interface DashboardState {
  clock: ClockState
  faults: Fault[]
  /** What can fail, and how. */
  faultOptions: { services: readonly string[]; modes: readonly string[] }
  /** Number of queue messages in each state. */
  queue: Record<RecordTypes['queue']['state'], number>
  services: Record<RecordedService, ListSummary>
  logs: ListSummary
  /** Origin of the service. Empty if the emulators run alone. */
  api: string
  /** Whether there is a demo escalation. */
  demo: boolean
  users: readonly DemoUser[]
}

/**
 * What belongs to one trace: the lines of the service's log, and what the emulators received, oldest first.
 */
export interface TraceView {
  logs: LogLine[]
  records: { service: RecordedService; id: string; at: string; title: string }[]
}

export interface ClockState {
  now: string
  offset_seconds: number
}

export interface DashboardSources {
  clock: Clock
  faults: Faults
  records: Records
  logs: LogLines
}

export function readClock(clock: Clock): ClockState {
  return { now: toTimestamp(clock.now()), offset_seconds: clock.offsetMs() / 1000 }
}

/** Return what the page always shows, without the parts that depend on the service. */
export function summarize({
  clock,
  faults,
  records,
  logs,
}: DashboardSources): Omit<DashboardState, 'api' | 'demo' | 'users'> {
  const queue = { scheduled: 0, delivering: 0, delivered: 0, failed: 0, dead: 0 }
  for (const { state } of records.list('queue')) queue[state]++
  const lists = Object.fromEntries(recordedServices.map((service) => [service, records.summarize(service)]))
  return {
    clock: readClock(clock),
    faults: faults.list(),
    faultOptions: { services, modes },
    queue,
    services: lists as DashboardState['services'],
    logs: logs.summarize(),
  }
}

/** Return what belongs to a trace. */
export function readTrace({ records, logs }: DashboardSources, traceId: string): TraceView {
  const found = recordedServices.flatMap((service) =>
    records
      .list(service)
      .filter((record) => record.trace_id === traceId)
      .map((record) => ({
        service,
        id: record.id,
        at: record.at,
        title: describeItem(service, record).title,
      }))
      // The list has the newest first, also of those of the same millisecond.
      .toReversed(),
  )
  return {
    logs: logs.list(traceId).toReversed(),
    records: found.toSorted((a, b) => a.at.localeCompare(b.at)),
  }
}
