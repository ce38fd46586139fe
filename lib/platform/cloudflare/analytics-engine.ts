import { type MetricsPort, metrics, noMetrics, type Recorder } from '#metrics.ts'

/**
 * A dataset of Workers Analytics Engine:
 * https://developers.cloudflare.com/analytics/analytics-engine/get-started/
 */
export interface AnalyticsDataset {
  writeDataPoint(point: { indexes: string[]; blobs: string[]; doubles: number[] }): void
}

// https://developers.cloudflare.com/analytics/analytics-engine/limits/
const maxPointsPerInvocation = 250

interface Total {
  blobs: string[]
  sum: number
  count: number
}

/**
 * Create metrics that are written to Workers Analytics Engine. A data point has the name of the metric as its
 * index and first blob, then its labels in the order of their declaration; `double1` is the sum of the values
 * and `double2` their number. What an invocation records is added up first, because each data point costs
 * money. Without a binding nothing is recorded.
 */
export function analyticsEngineMetrics(dataset: AnalyticsDataset | undefined): MetricsPort {
  return dataset ? { start: () => createRecorder(dataset) } : noMetrics
}

function createRecorder(dataset: AnalyticsDataset): Recorder {
  const totals = new Map<string, Total>()
  let points = 0
  let isFlushed = false
  const write = ({ blobs, sum, count }: Total) => {
    // A further call would be ignored or fail.
    if (points++ < maxPointsPerInvocation)
      dataset.writeDataPoint({ indexes: blobs.slice(0, 1), blobs, doubles: [sum, count] })
  }
  return {
    record(id, labels, value) {
      const blobs = [metrics[id].name, ...labels]
      if (isFlushed) return write({ blobs, sum: value, count: 1 })
      const key = blobs.join('\n')
      const total = totals.get(key)
      if (!total) totals.set(key, { blobs, sum: value, count: 1 })
      else Object.assign(total, { sum: total.sum + value, count: total.count + 1 })
    },
    flush() {
      isFlushed = true
      for (const total of totals.values()) write(total)
      totals.clear()
    },
  }
}
