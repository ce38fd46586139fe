import type { Operation } from './database-baselines.ts'
import type { ExportCost } from './exports.ts'
import { type ListTimes, nodeCounts, type StepTimes } from './flows.ts'
import type { LoadResult } from './load.ts'
import { type DrainTime, drainGoal } from './sweep.ts'

export interface OperationResult extends LoadResult {
  operation: Operation
  worker: string
  /** Processor time per request in microseconds, by process. Null if the system does not report it. */
  cpu: Record<string, number | null>
  /** Requests to the database endpoint per request. */
  roundTrips: number
  /** Requests or statements per second. `pgbench` is null if the machine has none. */
  baselines: { pool: number; pgbench: number | null; hono: number; calls: number }
}

const goals: Record<Operation, number> = { list: 0.25, 'unread-count': 0.2, 'mark-read': 0.15 }

/**
 * Print the throughput of the operations as ratios to the baselines, which depend less on the machine than
 * absolute numbers.
 */
export function printOperations(results: readonly OperationResult[]): void {
  printTable([
    [
      '',
      'of pgbench',
      '(goal)',
      'of pg pool',
      'of a Hono route',
      'of the two calls alone (≥ 0.7)',
      'p50 ms',
      'p99 ms',
      'round trips',
      'CPU per request, µs',
    ],
    ...results.map(({ operation, worker, perSecond, baselines, p50, p99, roundTrips, cpu }) => [
      `${operation}, ${worker}`,
      baselines.pgbench ? formatRatio(perSecond, baselines.pgbench) : 'no pgbench',
      `> ${goals[operation]}`,
      formatRatio(perSecond, baselines.pool),
      formatRatio(perSecond, baselines.hono),
      formatRatio(perSecond, baselines.calls),
      p50.toFixed(1),
      p99.toFixed(1),
      roundTrips.toFixed(3),
      Object.entries(cpu)
        .map(([part, micros]) => `${part} ${micros === null ? '?' : Math.round(micros)}`)
        .join(', '),
    ]),
  ])
}

export function printLists(
  title: string,
  counts: { small: number; large: number },
  results: readonly ListTimes[],
): void {
  const [small, large] = [counts.small.toLocaleString('en'), counts.large.toLocaleString('en')]
  console.log(`\n${title} in an account of ${large}, as a multiple of one of ${small}`)
  printTable([
    ['', 'ratio', '(goal)', `p50 ms of ${small}`, `p50 ms of ${large}`],
    ...results.map((result) => [
      result.list,
      formatRatio(result.large, result.small),
      '< 5',
      result.small.toFixed(1),
      result.large.toFixed(1),
    ]),
  ])
}

/**
 * Print how long a backlog took while the queue was unreachable. Return whether the goal was met without
 * sending a message twice.
 */
export function printSweep(results: readonly DrainTime[]): boolean {
  const isMet = ({ drainSeconds, attempts, deliveries }: DrainTime) =>
    drainSeconds < drainGoal && attempts === deliveries
  console.log('\nA backlog while the queue is unreachable, with one cron run per minute')
  printTable([
    [
      '',
      'deliveries',
      'attempts',
      'cron runs',
      'deliveries per second of a run',
      'drained after s',
      '(goal)',
      '',
    ],
    ...results.map((result) => [
      result.chatDelayMs > 0
        ? `chat tool responds after ${result.chatDelayMs} ms`
        : 'chat tool responds at once',
      String(result.deliveries),
      String(result.attempts),
      String(result.cronRuns),
      (result.deliveries / result.sweepSeconds).toFixed(0),
      result.drainSeconds.toFixed(0),
      `< ${drainGoal}`,
      isMet(result) ? 'met' : 'MISSED',
    ]),
  ])
  return results.every(isMet)
}

export function printSteps(steps: readonly StepTimes[]): void {
  console.log(`\nA flow of ${nodeCounts.large} nodes, as a multiple of one of ${nodeCounts.small}`)
  printTable([
    ['', 'ratio', `ms of ${nodeCounts.small}`, `ms of ${nodeCounts.large}`, '(goal)'],
    ...steps.map(({ step, small, large }) => [
      step,
      formatRatio(large, small),
      small.toFixed(1),
      large.toFixed(1),
      '< 500',
    ]),
  ])
}

export function printExports(exports: readonly ExportCost[]): void {
  console.log(
    '\nWriting the export of a 100-step session: CPU in the baseline Worker, as a ratio to a JSON response of the same size',
  )
  printTable([
    ['', 'ratio', '(goal)', 'masking as a ratio to the rest', '(goal)', 'CPU per request, µs'],
    ...exports.flatMap(({ format, writing }) =>
      writing
        ? [
            [
              format,
              formatRatio(writing.unmasked, writing.baseline),
              '< 5',
              formatRatio(writing.masked - writing.unmasked, writing.unmasked),
              '< 1',
              `unmasked ${Math.round(writing.unmasked)}, masked ${Math.round(writing.masked)}, baseline ${Math.round(writing.baseline)}`,
            ],
          ]
        : [],
    ),
  ])
  console.log(
    '\nExport of a 100-step session: CPU of the whole request, including token, rate limit and SQL, as a ratio to a JSON response of the same size',
  )
  printTable([
    ['', 'ratio', 'masked', 'of reading the session', 'bytes', 'CPU per request, µs'],
    ...exports.map(({ format, bytes, unmasked, masked, baseline, read, minimum }) => [
      format,
      formatRatio(unmasked, baseline),
      formatRatio(masked, baseline),
      formatRatio(unmasked, read),
      bytes.toLocaleString('en'),
      `unmasked ${Math.round(unmasked)}, masked ${Math.round(masked)}, baseline ${Math.round(baseline)}, read ${Math.round(read)}, minimum ${Math.round(minimum)}`,
    ]),
  ])
  const [first] = exports
  if (first)
    console.log(
      `For comparison: a signed-in call with almost no work costs ${formatRatio(first.minimum, first.baseline)} of that response.`,
    )
}

export const formatRatio = (a: number, b: number): string => (a / b).toFixed(2)

export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}
