import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '#local/root.ts'
import { type Metric, metrics } from '#metrics.ts'
import { createMetricsRegistry } from '#platform/node/metrics-registry.ts'
import { measureProcess, toGauge, toWorkGauges } from '#platform/node/process-metrics.ts'
import { parseMetrics } from '#test/support/metrics.ts'

const ops = join(root, 'lib/ops')

it('OBS-07 the tests of the alert rules name the file of the rules', async () => {
  const tests = join(root, 'test/lib/ops/prometheus-alerts.test.yml')
  const { rule_files } = parse(await readFile(tests, 'utf8')) as { rule_files: string[] }
  expect(rule_files.map((file) => resolve(dirname(tests), file))).toEqual([
    join(ops, 'prometheus-alerts.yml'),
  ])
})
const readOps = (name: string) => readFile(join(ops, name), 'utf8')

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; action: string }
}
interface Panel {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

const { groups } = parse(await readOps('prometheus-alerts.yml')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const { panels } = JSON.parse(await readOps('grafana-dashboard.json')) as { panels: Panel[] }
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
]

/**
 * List the series that the service has, with the names of their labels. `instance` and `job` are added by
 * Prometheus.
 */
function listSeries(): Map<string, string[]> {
  const series = new Map<string, string[]>([['up', ['instance', 'job']]])
  const add = (name: string, labels: readonly string[]) => series.set(name, [...labels, 'instance'])
  for (const { name, labels, buckets } of Object.values<Metric>(metrics)) {
    if (!buckets) add(name, labels)
    else
      for (const [suffix, more] of [
        ['bucket', ['le']],
        ['sum', []],
        ['count', []],
      ] as const)
        add(`${name}_${suffix}`, [...labels, ...more])
  }
  const backlog = [{ outbox: 'deliveries' as const, open: 0, due: 0, oldest_due_seconds: 0 }]
  const work = { backlog, stuck: { stuck_jobs: 0, mails_left_out: 0 } }
  const gauges = [
    ...measureProcess('1').read(),
    toGauge('support_flow_open_streams', 'x', 0),
    ...toWorkGauges(work),
  ]
  for (const { name, labels } of parseMetrics(createMetricsRegistry().write(gauges)))
    add(name, Object.keys(labels))
  return series
}

const selector = /\b([a-z]+_[a-z0-9_]+|up)(?:\{([^}]*)\})?(?=[\s[),]|$)/g
const grouping = /\bby \(([^)]*)\)/g
const functions = new Set(['histogram_quantile'])

it('OBS-07 every alert and every panel names series and labels that the service has', () => {
  const series = listSeries()
  const used = new Set<string>()
  for (const [title, expr] of expressions) {
    // Names in texts and groupings are no series.
    const bare = expr.replace(grouping, '').replace(/\$__rate_interval/g, '5m')
    const selected = [...bare.matchAll(selector)].filter(([, name = '']) => !functions.has(name))
    expect(selected.length, title).toBeGreaterThan(0)
    const labels = selected.flatMap(([, name = '', matchers = '']) => {
      expect(series.has(name), `${title}: ${name}`).toBe(true)
      used.add(name)
      const known = series.get(name) ?? []
      for (const [, label = ''] of matchers.matchAll(/([a-z_]+)(?:=|!~|!=|=~)"/g))
        expect(known, `${title}: ${name}`).toContain(label)
      return known
    })
    for (const [, list = ''] of expr.matchAll(grouping))
      for (const label of list.split(', ')) expect(labels, title).toContain(label)
  }
  const unused = Object.values<Metric>(metrics).filter(
    ({ name }) => ![...used].some((series) => series.startsWith(name)),
  )
  expect(unused).toEqual([])
})

it('OBS-07 no metric has a label that Prometheus adds itself, because it would be renamed', () => {
  const labels = Object.values<Metric>(metrics).flatMap((metric) => metric.labels)
  expect(labels.filter((label) => ['job', 'instance', 'le'].includes(label))).toEqual([])
})

it('OBS-07 every alert has a severity, and says what is wrong and what to do', () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  for (const { alert, labels, annotations } of rules) {
    expect(['page', 'ticket'], alert).toContain(labels.severity)
    expect([annotations.summary.endsWith('.'), annotations.action.endsWith('.')], alert).toEqual([true, true])
  }
})

it('OBS-07 the panels of the dashboard have ids of their own and do not overlap', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)}:${y + Math.floor(n / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  for (const { gridPos, title } of panels) expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
})
