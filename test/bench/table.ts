import type { Exported } from './exports.ts'
import type { Measure } from './floors.ts'
import { type Listed, nodeCounts, type Step } from './flows.ts'
import type { Grown } from './growth.ts'
import type { Load } from './load.ts'

export interface Result extends Load {
  measure: Measure
  subject: string
  /** Microseconds per request, by process; null where the machine does not tell. */
  cpu: Record<string, number | null>
  /** Requests to PostgreSQL per request. */
  trips: number
  /** Per second. */
  floors: { pool: number; pgbench: number | null; bare: number; calls: number }
}

const goals: Record<Measure, number> = { list: 0.25, 'unread-count': 0.2, 'mark-read': 0.15 }

/** Ratios, since another machine has other figures; the rest of a row explains them. */
export function printMeasures(results: readonly Result[]): void {
  print([
    [
      '',
      'of pgbench',
      '(goal)',
      'of pg pool',
      'of bare Hono',
      'of two bare calls',
      'p50 ms',
      'p99 ms',
      'round trips',
      'CPU per request, µs',
    ],
    ...results.map(({ measure, subject, perSecond, floors, p50, p99, trips, cpu }) => [
      `${measure}, ${subject}`,
      floors.pgbench ? ratio(perSecond, floors.pgbench) : 'no pgbench',
      `> ${goals[measure]}`,
      ratio(perSecond, floors.pool),
      ratio(perSecond, floors.bare),
      ratio(perSecond, floors.calls),
      p50.toFixed(1),
      p99.toFixed(1),
      trips.toFixed(3),
      Object.entries(cpu)
        .map(([part, micros]) => `${part} ${micros === null ? '?' : Math.round(micros)}`)
        .join(', '),
    ]),
  ])
}

export function printGrowth(grown: readonly Grown[]): void {
  const first = grown[0]?.p50 ?? 1
  console.log("\nA list's cost by the account's size, as a multiple of the smallest")
  print(grown.map(({ notifications, p50 }) => [notifications.toLocaleString('en'), ratio(p50, first)]))
}

export function printLists(what: string, counts: { small: number; large: number }, listed: readonly Listed[]): void {
  const [small, large] = [counts.small.toLocaleString('en'), counts.large.toLocaleString('en')]
  console.log(`\n${what} in an account of ${large}, as a multiple of one of ${small}`)
  print([
    ['', 'ratio', '(goal)', `p50 ms of ${small}`, `p50 ms of ${large}`],
    ...listed.map((one) => [one.list, ratio(one.large, one.small), '< 5', one.small.toFixed(1), one.large.toFixed(1)]),
  ])
}

export function printSteps(steps: readonly Step[]): void {
  console.log(`\nA flow of ${nodeCounts.large} nodes, as a multiple of one of ${nodeCounts.small}`)
  print([
    ['', 'ratio', `ms of ${nodeCounts.small}`, `ms of ${nodeCounts.large}`, '(goal)'],
    ...steps.map(({ step, small, large }) => [step, ratio(large, small), small.toFixed(1), large.toFixed(1), '< 500']),
  ])
}

export function printExports(exports: readonly Exported[]): void {
  console.log('\nWriting of a 100-step session: CPU of a bare Worker that has its rows, as a ratio to a bare JSON answer of the same size')
  print([
    ['', 'ratio', '(goal)', 'masking as a ratio to the rendering', '(goal)', 'CPU per request, µs'],
    ...exports.flatMap(({ format, written }) =>
      written
        ? [
            [
              format,
              ratio(written.open, written.floor),
              '< 5',
              ratio(written.masked - written.open, written.open),
              '< 1',
              `open ${Math.round(written.open)}, masked ${Math.round(written.masked)}, bare ${Math.round(written.floor)}`,
            ],
          ]
        : [],
    ),
  ])
  console.log('\nExport of a 100-step session: CPU of the whole call, token, limit and SQL included, as a ratio to the same answer')
  print([
    ['', 'ratio', 'masked', 'of reading the session', 'bytes', 'CPU per request, µs'],
    ...exports.map(({ format, bytes, open, masked, floor, read, fixed }) => [
      format,
      ratio(open, floor),
      ratio(masked, floor),
      ratio(open, read),
      bytes.toLocaleString('en'),
      `open ${Math.round(open)}, masked ${Math.round(masked)}, bare ${Math.round(floor)}, read ${Math.round(read)}, least ${Math.round(fixed)}`,
    ]),
  ])
  const [least = 0, floor = 0] = [exports[0]?.fixed, exports[0]?.floor]
  console.log(`A signed-in call that asks for next to nothing is ${ratio(least, floor)} of the bare answer already.`)
}

const ratio = (a: number, b: number): string => (a / b).toFixed(2)

function print(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}
