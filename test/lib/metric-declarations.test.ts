import { expect, it } from 'vitest'
import { metrics, toStatusClass } from '#metrics.ts'

it('OBS-03 the metrics have these names, labels and buckets', async () => {
  const lines = Object.values(metrics).map((metric) => {
    const buckets = 'buckets' in metric ? ` up to ${metric.buckets.join(', ')}` : ''
    return `${metric.name}{${metric.labels.join(', ')}}${buckets}`
  })
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('metric-declarations.txt')
})

it.each([
  [100, '1xx'],
  [199, '1xx'],
  [200, '2xx'],
  [599, '5xx'],
])('the class of the status %i is %s', (status, statusClass) => {
  expect(toStatusClass(status)).toBe(statusClass)
})
