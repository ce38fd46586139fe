import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Backlog } from '#work/backlog.ts'
import type { StuckWork } from '#work/stuck-work.ts'
import type { Gauge } from './metrics-registry.ts'

const nanosecondsPerSecond = 1e9
// A timer of this interval measures the delay, and its values contain the interval.
const resolutionMs = 20

/**
 * Start to measure the process: memory, processor time, and the delay of the event loop since the last call.
 * Gauges that `prom-client` has too are named as there, so that existing dashboards show them.
 */
export function measureProcess(version: string): { read(): Gauge[] } {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  const startedAt = Date.now() / 1000 - process.uptime()
  return {
    read() {
      const { rss, heapUsed, external } = process.memoryUsage()
      const { user, system } = process.cpuUsage()
      const delays = [delay.percentile(50), delay.percentile(99), delay.max].map(
        (value) => value / nanosecondsPerSecond - resolutionMs / 1000,
      )
      delay.reset()
      const [p50 = 0, p99 = 0, max = 0] = delays.map((value) =>
        Number.isFinite(value) ? Math.max(value, 0) : 0,
      )
      return [
        toGauge('support_flow_build_info', 'Version of the service.', 1, { version }),
        toGauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.', startedAt),
        {
          ...toGauge('process_cpu_seconds_total', 'Processor time of the process.', (user + system) / 1e6),
          type: 'counter',
        },
        toGauge('process_resident_memory_bytes', 'Memory of the process.', rss),
        toGauge('nodejs_heap_size_used_bytes', 'Memory of objects.', heapUsed),
        toGauge('nodejs_external_memory_bytes', 'Memory of buffers.', external),
        toGauge(
          'nodejs_eventloop_lag_p50_seconds',
          'Median delay of the event loop since the last fetch.',
          p50,
        ),
        toGauge(
          'nodejs_eventloop_lag_p99_seconds',
          '99th percentile of the delay of the event loop since the last fetch.',
          p99,
        ),
        toGauge(
          'nodejs_eventloop_lag_max_seconds',
          'Largest delay of the event loop since the last fetch.',
          max,
        ),
      ]
    },
  }
}

/** Return a gauge with one sample. */
export function toGauge(
  name: string,
  help: string,
  value: number,
  labels: Readonly<Record<string, string>> = {},
): Gauge {
  return { name, help, samples: [{ labels, value }] }
}

/** The stored work that waits, and what no attempt will end. */
export interface WorkState {
  backlog: readonly Backlog[]
  stuck: StuckWork
}

/** Return the gauges of the stored work. `work` is null when the database did not answer. */
export function toWorkGauges(work: WorkState | null): Gauge[] {
  const toSamples = (column: 'open' | 'due' | 'oldest_due_seconds') =>
    (work?.backlog ?? []).map((row) => ({ labels: { outbox: row.outbox }, value: row[column] }))
  return [
    toGauge('support_flow_outbox_readable', '1 if the database returned the outboxes.', work ? 1 : 0),
    {
      name: 'support_flow_outbox_open',
      help: 'Rows that wait for an attempt, at most 10,000.',
      samples: toSamples('open'),
    },
    { name: 'support_flow_outbox_due', help: 'Rows whose attempt is due now.', samples: toSamples('due') },
    {
      name: 'support_flow_outbox_oldest_due_seconds',
      help: 'How long the oldest due row has been due.',
      samples: toSamples('oldest_due_seconds'),
    },
    {
      name: 'support_flow_stuck_jobs',
      help: 'Jobs in PostgreSQL that are locked for more than 4.5 hours.',
      samples: work ? [{ value: work.stuck.stuck_jobs }] : [],
    },
    {
      name: 'support_flow_mails_left_out',
      help: 'E-mails of this day (UTC) that were not sent: the account has reached its limit, or the sender is not verified.',
      samples: work ? [{ value: work.stuck.mails_left_out }] : [],
    },
  ]
}
