import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { noMetrics, record, recordWith, toStatusClass } from '#metrics.ts'
import { analyticsEngineMetrics } from '#platform/cloudflare/analytics-engine.ts'
import { createMetricsRegistry } from '#platform/node/metrics-registry.ts'
import { measureProcess, toWorkGauges } from '#platform/node/process-metrics.ts'
import { parseMetrics, sumSamples } from '#test/support/metrics.ts'

interface Point {
  indexes: string[]
  blobs: string[]
  doubles: number[]
}

function createDataset() {
  const points: Point[] = []
  return { points, metrics: analyticsEngineMetrics({ writeDataPoint: (point) => points.push(point) }) }
}

it('OBS-03 a histogram has cumulative buckets, the sum and the number of its values', async () => {
  const registry = createMetricsRegistry()
  await recordWith(registry, async () => {
    for (const seconds of [0.001, 0.01, 0.02, 30]) record('databaseRoundTrips', { role: 'runtime' }, seconds)
  })
  const samples = parseMetrics(registry.write([]))
  const name = 'support_flow_database_round_trip_seconds'
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`)
  expect(buckets.map(({ labels, value }) => [labels.le, value])).toEqual([
    ['0.002', 1],
    ['0.01', 2],
    ['0.05', 3],
    ['0.25', 3],
    ['1', 3],
    ['5', 3],
    ['+Inf', 4],
  ])
  expect(sumSamples(samples, `${name}_sum`)).toBeCloseTo(30.031)
  expect(sumSamples(samples, `${name}_count`)).toBe(4)
})

it('OBS-04 a metric stops to grow at 3,000 combinations of labels, and escapes what a label may not contain', async () => {
  const registry = createMetricsRegistry()
  await recordWith(registry, async () => {
    record('requests', { operation: 'a"b\\c\nd', status: '2xx' })
    for (let n = 0; n < 3100; n++) record('requests', { operation: `n${n}`, status: '2xx' })
  })
  const text = registry.write([])
  expect(text).toContain(String.raw`support_flow_requests_total{operation="a\"b\\c\nd",status="2xx"} 1`)
  expect(parseMetrics(text)).toHaveLength(3000)
})

it('OBS-06 writes one data point per metric and labels of an invocation, with the sum and the number of the values', async () => {
  const { points, metrics } = createDataset()
  await recordWith(metrics, async () => {
    record('requests', { operation: 'notifications.list', status: '2xx' })
    // Work inside shares the recorder.
    await recordWith(metrics, async () => record('databaseRoundTrips', { role: 'runtime' }, 0.5))
    record('databaseRoundTrips', { role: 'runtime' }, 0.25)
    expect(points).toEqual([])
  })
  const name = 'support_flow_database_round_trip_seconds'
  expect(points).toEqual([
    {
      indexes: ['support_flow_requests_total'],
      blobs: ['support_flow_requests_total', 'notifications.list', '2xx'],
      doubles: [1, 1],
    },
    { indexes: [name], blobs: [name, 'runtime'], doubles: [0.75, 2] },
  ])
})

it('OBS-06 writes at most 250 data points per invocation, also of work that goes on after the response', async () => {
  const { points, metrics } = createDataset()
  let recordLater = () => {}
  await recordWith(metrics, async () => {
    recordLater = AsyncLocalStorage.bind(() => record('jobs', { job_id: 'jobs.push', outcome: 'succeeded' }))
    for (let n = 0; n < 248; n++) record('requests', { operation: `n${n}`, status: '2xx' })
  })
  expect(points).toHaveLength(248)
  for (let n = 0; n < 5; n++) recordLater()
  expect(points).toHaveLength(250)
})

it('OBS-06 records nothing without a dataset, and outside a request', async () => {
  expect(analyticsEngineMetrics(undefined)).toBe(noMetrics)
  record('aiCost', {}, 1)
  expect(await recordWith(noMetrics, async () => 'result')).toBe('result')
})

describe('the metrics of a process', () => {
  it('put a value that equals a bound into its bucket', () => {
    const registry = createMetricsRegistry()
    const recorder = registry.start()
    for (const value of [0.025, 0.026, 6]) recorder.record('requestDuration', ['a'], value)
    recorder.record('rateLimited', ['a"\\\n'], 2)
    recorder.record('rateLimited', [], 3)
    const text = registry.write([
      { name: 'g', help: 'h', samples: [{ value: 1 }, { labels: { x: 'y' }, value: 2 }] },
    ])
    const name = 'support_flow_request_duration_seconds'
    expect(
      text
        .split('\n')
        .filter(
          (line) =>
            line.startsWith(name) || /^(# \w+ )?g[ {]/.test(line) || line.includes('rate_limited_total{'),
        ),
    ).toEqual([
      ...[
        ['0.025', 1],
        ['0.1', 2],
        ['0.25', 2],
        ['1', 2],
        ['5', 2],
        ['+Inf', 3],
      ].map(([le, count]) => `${name}_bucket{operation="a",le="${le}"} ${count}`),
      `${name}_sum{operation="a"} 6.051`,
      `${name}_count{operation="a"} 3`,
      'support_flow_rate_limited_total{operation="a\\"\\\\\\n"} 2',
      'support_flow_rate_limited_total{operation=""} 3',
      ...['# HELP g h', '# TYPE g gauge', 'g 1', 'g{x="y"} 2'],
    ])
  })
  it('have the memory, the processor time and the delays of the process', () => {
    const gauges = new Map(
      measureProcess('1.2.3')
        .read()
        .map(({ name, type, samples }) => [name, { type, ...samples[0] }]),
    )
    expect(gauges.get('support_flow_build_info')).toEqual({
      type: undefined,
      labels: { version: '1.2.3' },
      value: 1,
    })
    expect(gauges.get('process_cpu_seconds_total')?.type).toBe('counter')
    const { user, system } = process.cpuUsage()
    expect(gauges.get('process_cpu_seconds_total')?.value).toBeCloseTo((user + system) / 1e6, 0)
    expect(gauges.get('process_start_time_seconds')?.value).toBeCloseTo(
      Date.now() / 1000 - process.uptime(),
      0,
    )
    for (const name of ['p50', 'p99', 'max']) {
      const delay = gauges.get(`nodejs_eventloop_lag_${name}_seconds`)?.value ?? -1
      expect(delay >= 0 && delay < 60).toBe(true)
    }
  })
  it('say whether the outboxes could be read', () => {
    const values = (work: Parameters<typeof toWorkGauges>[0]) =>
      toWorkGauges(work).map(({ name, samples }) => [name.replace(/support_flow_(outbox_)?/, ''), samples])
    const labels = { outbox: 'pushes' } as const
    const stuck = { stuck_jobs: 4, mails_left_out: 5 }
    expect(values({ backlog: [{ ...labels, open: 3, due: 2, oldest_due_seconds: 1.5 }], stuck })).toEqual([
      ['readable', [{ labels: {}, value: 1 }]],
      ['open', [{ labels, value: 3 }]],
      ['due', [{ labels, value: 2 }]],
      ['oldest_due_seconds', [{ labels, value: 1.5 }]],
      ['stuck_jobs', [{ value: 4 }]],
      ['mails_left_out', [{ value: 5 }]],
    ])
    const none = ['open', 'due', 'oldest_due_seconds', 'stuck_jobs', 'mails_left_out'].map((name) => [
      name,
      [],
    ])
    expect(values(null)).toEqual([['readable', [{ labels: {}, value: 0 }]], ...none])
  })
  it.each([
    [200, '2xx'],
    [299, '2xx'],
    [300, '3xx'],
    [503, '5xx'],
  ])('name the class of the status %i %s', (status, name) => expect(toStatusClass(status)).toBe(name))
})
