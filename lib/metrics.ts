import { AsyncLocalStorage } from 'node:async_hooks'

/** A number that the service adds up, by the values of its labels. */
export interface Metric {
  /** The name of the metric in Prometheus: https://prometheus.io/docs/practices/naming/ */
  name: string
  help: string
  /**
   * Each label has few values, all known before: declared ids, names of vendors, outcomes. Never an id of a
   * row, a path or an address. The labels `job` and `instance` belong to Prometheus.
   */
  labels: readonly string[]
  /** Upper bounds of the buckets of a histogram. A metric without them is a counter. */
  buckets?: readonly number[]
}

const requestSeconds = [0.025, 0.1, 0.25, 1, 5]
const callSeconds = [0.1, 0.5, 2, 10, 60]
const roundTripSeconds = [0.002, 0.01, 0.05, 0.25, 1, 5]

/**
 * Every metric that the service records. The gauges of a process are in
 * `lib/platform/node/process-metrics.ts`.
 */
export const metrics = {
  requests: {
    name: 'support_flow_requests_total',
    help: 'Requests by operation and class of the status.',
    labels: ['operation', 'status'],
  },
  requestDuration: {
    name: 'support_flow_request_duration_seconds',
    help: 'Time until the response starts, by operation.',
    labels: ['operation'],
    buckets: requestSeconds,
  },
  rateLimited: {
    name: 'support_flow_rate_limited_total',
    help: 'Requests that a rate limit refused.',
    labels: ['operation'],
  },
  jobs: {
    name: 'support_flow_jobs_total',
    help: 'Jobs of the queue and periodic work (cron.*) by outcome.',
    labels: ['job_id', 'outcome'],
  },
  sweeps: {
    name: 'support_flow_sweeps_total',
    help: 'Sweeps by kind of work. Outcome: emptied, unfinished (its time was over before the work was) or failed.',
    labels: ['sweep', 'outcome'],
  },
  attempts: {
    name: 'support_flow_attempts_total',
    help: 'Attempts of stored work by kind. Outcome: succeeded, retried (another attempt follows) or failed (none follows).',
    labels: ['kind', 'outcome'],
  },
  calls: {
    name: 'support_flow_outgoing_calls_total',
    help: 'Calls to other services. Outcome: class of the status, timeout or failed.',
    labels: ['vendor', 'outcome'],
  },
  callDuration: {
    name: 'support_flow_outgoing_call_duration_seconds',
    help: 'Time until the headers of the answer of another service.',
    labels: ['vendor'],
    buckets: callSeconds,
  },
  leftOut: {
    name: 'support_flow_left_out_total',
    help: 'Parts of answers of other services that could not be read. The events left_out of a trace name them.',
    labels: ['vendor'],
  },
  databaseRoundTrips: {
    name: 'support_flow_database_round_trip_seconds',
    help: 'Round trips to PostgreSQL, including the wait for a connection.',
    labels: ['role'],
    buckets: roundTripSeconds,
  },
  databaseFailures: {
    name: 'support_flow_database_failures_total',
    help: 'Round trips that PostgreSQL did not answer with a result, also for a refused statement.',
    labels: ['role'],
  },
  fileReaderKills: {
    name: 'support_flow_file_reader_kills_total',
    help: 'Files whose reader was killed, on Node. Reason: time, memory, ended (by itself), or outside (by another hand).',
    labels: ['kind', 'reason'],
  },
  aiCalls: {
    name: 'support_flow_ai_calls_total',
    help: 'Calls to the model by prompt and outcome.',
    labels: ['prompt', 'outcome'],
  },
  aiTokens: {
    name: 'support_flow_ai_tokens_total',
    help: 'Tokens of the model. Kind: input (contains cached), cached, output (contains reasoning), reasoning.',
    labels: ['kind'],
  },
  aiCost: {
    name: 'support_flow_ai_cost_dollars_total',
    help: 'Cost of the calls to the model by AI_PRICES.',
    labels: [],
  },
} as const satisfies Record<string, Metric>

export type MetricId = keyof typeof metrics
type Labels<Id extends MetricId> = Record<(typeof metrics)[Id]['labels'][number], string>

/** Receives what one request or job records. */
export interface Recorder {
  /** Add `value` to a counter, or observe it in a histogram. `labels` are in the order of the declaration. */
  record(id: MetricId, labels: readonly string[], value: number): void
  /** Called when the request or job has ended. Work after the response may still record. */
  flush(): void
}

/** Where a platform stores metrics. */
export interface MetricsPort {
  /** Start to record a request or job. */
  start(): Recorder
}

const noRecorder: Recorder = { record() {}, flush() {} }
/** Stores nothing. */
export const noMetrics: MetricsPort = { start: () => noRecorder }

// The recorder of the work that runs now. Promises and timers that the work starts keep it.
const currentRecorder = new AsyncLocalStorage<Recorder>()

/**
 * Run work whose metrics go to `port`. Work inside other such work shares its recorder. Return what the work
 * returns.
 */
export async function recordWith<T>(port: MetricsPort, work: () => Promise<T>): Promise<T> {
  if (currentRecorder.getStore()) return work()
  const recorder = port.start()
  return currentRecorder.run(recorder, work).finally(() => recorder.flush())
}

/** Add 1 to a counter, or `value`; or observe `value` in a histogram. Do nothing outside `recordWith`. */
export function record<Id extends MetricId>(id: Id, labels: Labels<Id>, value = 1): void {
  const recorder = currentRecorder.getStore()
  if (!recorder) return
  const names: readonly (keyof Labels<Id>)[] = metrics[id].labels
  recorder.record(
    id,
    names.map((name) => labels[name]),
    value,
  )
}

/** Return the class of an HTTP status: `2xx` for 201. */
export function toStatusClass(status: number): string {
  return `${Math.floor(status / 100)}xx`
}
