import type { LogLine } from '#local/dashboard/log-lines.ts'
import { element } from './element.ts'

const minutes = 30
const minuteMs = 60_000

/**
 * Show the requests per minute and their latency of the last half hour. A minute with a failure of the
 * service is red.
 */
export function renderTrafficPlots(lines: readonly LogLine[]): HTMLElement[] {
  const thisMinute = Math.floor(Date.now() / minuteMs)
  const requests = lines.filter(({ status, ms }) => typeof status === 'number' && typeof ms === 'number')
  const byMinute = Map.groupBy(requests, ({ at }) => Math.floor(Date.parse(String(at)) / minuteMs))
  const columns = Array.from({ length: minutes }, (_, n) => byMinute.get(thisMinute - minutes + 1 + n) ?? [])
  const isBad = columns.map((column) => column.some(({ status }) => Number(status) >= 500))
  const counts = columns.map((column) => column.length)
  const latencies = columns.map((column) => findPercentile(column.map(({ ms }) => Number(ms))))
  return [
    ...renderPlot('Requests per minute', counts, isBad, ''),
    ...renderPlot('Latency that 95 % of the requests stay below', latencies, isBad, ' ms'),
  ]
}

function findPercentile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? 0
}

function renderPlot(
  title: string,
  values: readonly number[],
  isBad: readonly boolean[],
  unit: string,
): HTMLElement[] {
  const max = Math.max(1, ...values)
  const bars = values.map((value, n) =>
    element('i', {
      class: isBad[n] ? 'bad' : undefined,
      style: `height: ${(100 * value) / max}%`,
      title: `${value}${unit}`,
    }),
  )
  const summary = `The last ${minutes} minutes, at most ${max}${unit}, now ${values.at(-1)}${unit}.`
  return [
    element('h2', {}, title),
    element('div', { class: 'plot', role: 'img', 'aria-label': `${title}. ${summary}` }, ...bars),
    element('p', { class: 'small' }, summary),
  ]
}
