import { type Metric, type MetricId, type MetricsPort, metrics, type Recorder } from '#metrics.ts'

/** A value that is read when the metrics are fetched. */
export interface Gauge {
  name: string
  help: string
  /** `counter` for a value of the operating system that only grows. */
  type?: 'gauge' | 'counter'
  samples: readonly { labels?: Readonly<Record<string, string>>; value: number }[]
}

export interface MetricsRegistry extends MetricsPort {
  /**
   * Write everything in the text format of Prometheus:
   * https://prometheus.io/docs/instrumenting/exposition_formats/
   */
  write(gauges: readonly Gauge[]): string
}

interface Series {
  labels: readonly string[]
  sum: number
  /** Observations by bucket, the last beyond all bounds. A counter has none. */
  counts: number[]
}

// All labels have few values. Should one of them ever not, its metric stops to grow instead of filling the
// memory.
const maxSeries = 3000

export function createMetricsRegistry(): MetricsRegistry {
  const seriesById = new Map<MetricId, Map<string, Series>>()
  for (const id of Object.keys(metrics) as MetricId[]) seriesById.set(id, new Map())
  const recorder: Recorder = {
    record(id, labels, value) {
      const metric: Metric = metrics[id]
      const all = seriesById.get(id) as Map<string, Series>
      const key = labels.join('\n')
      let series = all.get(key)
      if (!series) {
        if (all.size >= maxSeries) return
        series = { labels, sum: 0, counts: metric.buckets ? Array(metric.buckets.length + 1).fill(0) : [] }
        all.set(key, series)
      }
      series.sum += value
      if (metric.buckets) {
        const index = metric.buckets.findIndex((bound) => value <= bound)
        const bucket = index < 0 ? metric.buckets.length : index
        series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
      }
    },
    flush() {},
  }
  return {
    start: () => recorder,
    write(gauges) {
      const recorded = [...seriesById].flatMap(([id, series]) =>
        writeMetric(metrics[id], [...series.values()]),
      )
      return `${[...recorded, ...gauges.flatMap(writeGauge)].join('\n')}\n`
    },
  }
}

function writeMetric(metric: Metric, all: readonly Series[]): string[] {
  const { name, help, labels: names, buckets } = metric
  const lines = all.flatMap(({ labels, sum, counts }) => {
    const pairs = names.map((label, index) => [label, labels[index] ?? ''] as const)
    if (!buckets) return [writeSample(name, pairs, sum)]
    const bounds = [...buckets.map(String), '+Inf']
    // A bucket of Prometheus contains those below it.
    let total = 0
    const bucketLines = bounds.map((bound, index) => {
      total += counts[index] ?? 0
      return writeSample(`${name}_bucket`, [...pairs, ['le', bound]], total)
    })
    return [
      ...bucketLines,
      writeSample(`${name}_sum`, pairs, sum),
      writeSample(`${name}_count`, pairs, total),
    ]
  })
  return [...writeHead(name, help, buckets ? 'histogram' : 'counter'), ...lines]
}

function writeGauge({ name, help, type = 'gauge', samples }: Gauge): string[] {
  return [
    ...writeHead(name, help, type),
    ...samples.map(({ labels = {}, value }) => writeSample(name, Object.entries(labels), value)),
  ]
}

function writeHead(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}

function writeSample(name: string, labels: readonly (readonly [string, string])[], value: number): string {
  const pairs = labels.map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
}

function escapeLabel(text: string): string {
  return text.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))
}
