import { type Branding, createPageFrame, parseBrandColour } from '#rules/exports/pdf-frame.ts'
import { drawContent, drawTextLine, formatNumber, serializeDocument } from '#rules/pdf/document.ts'
import { type FontAssets, loadFonts } from '#rules/pdf/fonts.ts'
import type { TextKind } from '#rules/pdf/glyph.ts'
import { addCodePoints } from '#rules/pdf/line-layout.ts'
import {
  addSpace,
  createPageLayout,
  describeFigure,
  margin,
  type PageLayout,
  page,
  toRuns,
  wrapText,
  writeElement,
  writeText,
} from '#rules/pdf/page-layout.ts'
import { writeTable } from '#rules/pdf/table-layout.ts'
import {
  type Chart,
  describeChart,
  formatBusiestHours,
  formatPeriod,
  formatRate,
  getAxisEnd,
  listCharts,
  listMetrics,
} from './labels.ts'
import { isQuiet } from './summary.ts'
import type { FlowResult, WeeklyReport } from './weekly.ts'

const textColour = '0.12 0.16 0.2'
const mutedColour = '0.32 0.38 0.43'
const gridColour = '0.85 0.89 0.93'
const body = { size: 10, colour: textColour, spaceAfter: 3 }
const axisStyle = { size: 7.5, colour: mutedColour }
const plotHeight = 110
const axisWidth = 26
const plotWidth = page.width - 2 * margin - axisWidth
/** The share of a label's width that its bars fill. */
const filledShare = 0.72

interface PdfOptions {
  branding: Branding
  assets: FontAssets
}

/** Render a report as PDF with the branding of the team. */
export async function renderReportPdf(
  report: WeeklyReport,
  { branding, assets }: PdfOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const title = `Weekly report: ${report.team.name}`
  const kind: TextKind = 'text'
  const fonts = await loadFonts(assets, new Map([[kind, collectCodePoints(report, branding)]]))
  const layout = createPageLayout(fonts, kind)
  const colour = parseBrandColour(branding.colour)
  writeText(layout, title, { size: 20, colour, bold: true, spaceAfter: 2, heading: 1 })
  writeText(layout, `Week ${report.week}, ${formatPeriod(report)}`, {
    ...body,
    colour: mutedColour,
    spaceAfter: 8,
  })
  for (const sentence of report.summary) writeText(layout, sentence, body)
  if (!isQuiet(report)) writeNumbers(layout, report, colour)
  const drawPageFrame = createPageFrame(layout, branding, title)
  for (const index of layout.document.pages.keys()) drawPageFrame(index)
  return serializeDocument(layout.document, { ...page, title, author: branding.company })
}

function writeNumbers(layout: PageLayout, report: WeeklyReport, colour: string): void {
  addSpace(layout, 6)
  const metrics = listMetrics(report)
  writeRows(
    layout,
    metrics.map(({ label }) => label),
    [metrics.map(({ value }) => value)],
  )
  const { days, hours } = listCharts(report)
  for (const chart of [days, hours]) writeChart(layout, chart, colour)
  writeText(layout, `Busiest hours: ${formatBusiestHours(report)}`, body)
  writeFlows(layout, 'Flows that help', report.helpful_flows, colour)
  writeFlows(layout, 'Flows that do not help', report.unhelpful_flows, colour)
}

function writeHeading(layout: PageLayout, title: string, colour: string, minSpaceBelow: number): void {
  addSpace(layout, 12)
  writeText(layout, title, { size: 13, colour, bold: true, spaceAfter: 4, minSpaceBelow, heading: 2 })
}

function writeFlows(layout: PageLayout, title: string, flows: readonly FlowResult[], colour: string): void {
  writeHeading(layout, title, colour, 60)
  if (flows.length === 0) {
    writeText(layout, 'None this week.', { ...body, colour: mutedColour })
    return
  }
  const rows = flows.map((flow) => [
    flow.name,
    String(flow.completed),
    String(flow.resolved),
    formatRate(flow),
  ])
  writeRows(layout, ['Flow', 'Completed', 'Resolved', 'Rate'], rows)
}

function writeRows(
  layout: PageLayout,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  writeTable(
    layout,
    [header, ...rows].map((row) => row.map(toRuns)),
    { ...body, size: 9 },
  )
}

/**
 * Draw a bar chart over the whole width. The first of two series is outlined, so that they differ without
 * colours.
 */
function writeChart(layout: PageLayout, chart: Chart, colour: string): void {
  const legend = chart.series.length > 1 ? ` (${chart.series[0]}: outlined, ${chart.series[1]}: filled)` : ''
  // The heading and the chart are on the same page.
  writeHeading(layout, chart.title + legend, colour, plotHeight + 36)
  const base = layout.y - plotHeight - 10
  const box = { x: margin, y: base - 20, width: axisWidth + plotWidth, height: layout.y - base + 20 }
  const description = `${chart.title}. ${describeChart(chart)}`
  writeElement(
    layout,
    'Figure',
    () => drawChart(layout, chart, { colour, base }),
    describeFigure(description, box),
  )
  layout.y = base - 20
}

function drawChart(
  layout: PageLayout,
  chart: Chart,
  { colour, base }: { colour: string; base: number },
): void {
  const end = getAxisEnd(chart)
  for (const value of [0, end / 2, end]) drawGridLine(layout, value, base + (plotHeight * value) / end)
  for (const [index, { label, values }] of chart.bars.entries()) {
    const slot = plotWidth / chart.bars.length
    const barWidth = (slot * filledShare) / values.length
    const start = margin + axisWidth + index * slot + (slot * (1 - filledShare)) / 2
    for (const [number, value] of values.entries()) {
      const box = [start + number * barWidth, base, barWidth - 1.5, (plotHeight * value) / end]
        .map(formatNumber)
        .join(' ')
      const isOutlined = number < values.length - 1
      if (value > 0)
        drawContent(layout.document, `${colour} RG ${colour} rg 0.8 w ${box} re ${isOutlined ? 'S' : 'B'}`)
    }
    drawLabel(layout, label, start + (slot * filledShare) / 2, base - 11, 0.5)
  }
}

function drawGridLine(layout: PageLayout, value: number, y: number): void {
  const height = formatNumber(y)
  drawContent(
    layout.document,
    `${gridColour} RG 0.5 w ${margin + axisWidth} ${height} m ${page.width - margin} ${height} l S`,
  )
  drawLabel(layout, String(value), margin + axisWidth - 4, y - 2.5, 1)
}

/** Draw a short text at `x`, of which `share` of its width is to the left. */
function drawLabel(layout: PageLayout, text: string, x: number, y: number, share: number): void {
  const [line] = wrapText(layout, toRuns(text), axisStyle, page.width)
  if (line)
    drawTextLine(
      layout.document,
      line,
      x - ((line.width * axisStyle.size) / 1000) * share,
      y,
      axisStyle.size,
      axisStyle,
    )
}

function collectCodePoints(report: WeeklyReport, { company, footer }: Branding): Set<number> {
  const codePoints = new Set<number>()
  const printableAscii = Array.from({ length: 95 }, (_, n) => String.fromCharCode(n + 32)).join('')
  const flows = [...report.helpful_flows, ...report.unhelpful_flows]
  const texts = [
    report.team.name,
    company,
    footer ?? '',
    ...report.summary,
    ...flows.map(({ name }) => name),
    printableAscii,
  ]
  for (const text of texts) addCodePoints(text, codePoints)
  return codePoints
}
