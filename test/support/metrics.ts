import { secrets } from '#local/settings.ts'
import type { Service } from './app.ts'

export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

const sampleLine =
  /^([a-z_][a-z0-9_]*)(?:\{((?:[a-z_][a-z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (-?[\d.e+-]+)$/
const helpLine = /^# HELP ([a-z_][a-z0-9_]*) \S.*$/
const typeLine = /^# TYPE ([a-z_][a-z0-9_]*) (counter|gauge|histogram)$/

/**
 * Parse the text format of Prometheus. Throw at a line that is not part of it, and at a sample whose metric
 * was not declared before.
 */
export function parseMetrics(text: string): Sample[] {
  const declared = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n').slice(0, -1)) {
    const [, name, type] = typeLine.exec(line) ?? []
    if (name && type) declared.set(name, type)
    else if (!helpLine.test(line)) samples.push(parseSample(line, declared))
  }
  return samples
}

function parseSample(line: string, declared: ReadonlyMap<string, string>): Sample {
  const [, name = '', labels = '', value] = sampleLine.exec(line) ?? []
  const isDeclared =
    declared.has(name) || declared.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram'
  if (!isDeclared) throw new Error(`Not the text format of Prometheus: ${line}`)
  const pairs = [...labels.matchAll(/([a-z_][a-z0-9_]*)="((?:[^"\\]|\\.)*)"/g)].map(
    ([, label = '', text = '']) => [label, text] as const,
  )
  return { name, labels: Object.fromEntries(pairs), value: Number(value) }
}

/** Fetch the metrics of a service. */
export async function fetchMetrics(
  service: Pick<Service, 'api'>,
  token: string = secrets.metricsToken,
): Promise<Response> {
  return fetch(`${service.api}/metrics`, { headers: { authorization: `Bearer ${token}` } })
}

export async function readMetrics(service: Pick<Service, 'api'>): Promise<Sample[]> {
  return parseMetrics(await (await fetchMetrics(service)).text())
}

/** Add up the samples of a metric that have these labels. */
export function sumSamples(
  samples: readonly Sample[],
  name: string,
  labels: Record<string, string> = {},
): number {
  const hasLabels = (sample: Sample) =>
    Object.entries(labels).every(([label, text]) => sample.labels[label] === text)
  return samples
    .filter((sample) => sample.name === name && hasLabels(sample))
    .reduce((sum, { value }) => sum + value, 0)
}
