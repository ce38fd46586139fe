import { type Html, html } from '#rules/text/html.ts'
import { type Chart, describeChart, getAxisEnd } from './labels.ts'

// In units of the view box. The page scales it to its width.
const width = 640
const height = 220
const left = 48
const top = 16
const bottom = 28
const plotHeight = height - top - bottom
/** Of many bars every third has a label, which is then large enough on a telephone. */
const maxLabels = 12
/** The share of a label's width that its bars fill. */
const filledShare = 0.72

/**
 * Render a bar chart as an inline SVG with a title and a description. The page colours the classes `bar-0`,
 * `bar-1`, `grid` and `label`.
 */
export function renderSvgChart(chart: Chart, id: string): Html {
  const end = getAxisEnd(chart)
  const lines = [0, end / 2, end].map((value) => renderGridLine(value, toY(value, end)))
  const bars = chart.bars.map((bar, index) => renderBars(chart, bar, { index, end }))
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${chart.title}</title>
<desc id="${id}-desc">${describeChart(chart)}</desc>
${[...lines, ...bars].map(
  (part) => html`${part}
`,
)}</svg>`
}

const toY = (value: number, end: number) => top + plotHeight * (1 - value / end)
const round = (value: number) => String(Math.round(value * 10) / 10)

function renderGridLine(value: number, y: number): Html {
  const label = html`<text class="label" x="${left - 8}" y="${round(y + 4)}" text-anchor="end">${value}</text>`
  return html`<line class="grid" x1="${left}" x2="${width}" y1="${round(y)}" y2="${round(y)}"/>${label}`
}

function renderBars(
  { bars, series }: Chart,
  { label, values }: Chart['bars'][number],
  { index, end }: { index: number; end: number },
): Html {
  const slot = (width - left) / bars.length
  const barWidth = (slot * filledShare) / series.length
  const start = left + index * slot + (slot * (1 - filledShare)) / 2
  const rects = values.map((value, number) => {
    const y = toY(value, end)
    const box = html`x="${round(start + number * barWidth)}" y="${round(y)}" width="${round(barWidth - 1)}" height="${round(toY(0, end) - y)}"`
    return value !== 0 && html`<rect class="bar-${number}" ${box} rx="1.5"/>`
  })
  if (bars.length > maxLabels && index % 3 > 0) return html`${rects}`
  const x = round(left + (index + 0.5) * slot)
  return html`${rects}<text class="label" x="${x}" y="${height - 6}" text-anchor="middle">${label}</text>`
}
