import { type Html, html, writeHtmlPage } from '#rules/text/html.ts'
import {
  type Chart,
  formatBusiestHours,
  formatPeriod,
  formatRate,
  listCharts,
  listMetrics,
} from './labels.ts'
import { isQuiet } from './summary.ts'
import { renderSvgChart } from './svg-chart.ts'
import type { FlowResult, WeeklyReport } from './weekly.ts'

// Bars differ by filled and outlined, not by colour alone.
const stylesheet = `
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:var(--text);background:var(--page);max-width:52rem;margin:2rem auto;padding:0 1.25rem;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.15rem;margin:2rem 0 .75rem}
p{margin:.4rem 0}
ul{margin:1rem 0;padding-inline-start:1.25rem}
li{margin:.25rem 0}
.muted{color:var(--muted)}
dl{display:grid;grid-template-columns:repeat(2,1fr);gap:.75rem;margin:1.25rem 0}
dl>div{background:var(--panel);border-radius:6px;padding:.6rem .8rem;display:flex;flex-direction:column-reverse;justify-content:flex-end}
@media (min-width:34rem){dl{grid-template-columns:repeat(3,1fr)}}
dt{color:var(--muted);font-size:.87em}
dd{margin:0;font-size:1.35rem;font-weight:600}
svg{display:block;width:100%;height:auto}
.label{fill:var(--muted);font-size:20px}
@media (min-width:34rem){.label{font-size:12px}}
.grid{stroke:var(--line)}
.bar-0{fill:var(--page);stroke:var(--accent);stroke-width:1.5}
.bar-1,.single .bar-0{fill:var(--accent);stroke:var(--accent)}
.legend span{margin-inline-end:1rem}
.legend i{display:inline-block;width:.8em;height:.8em;border:1.5px solid var(--accent);border-radius:2px;margin-inline-end:.35em}
.legend span:last-child i{background:var(--accent)}
table{border-collapse:collapse;width:100%;margin:.5rem 0}
th,td{border-bottom:1px solid var(--line);padding:.3rem .5rem;text-align:start}
td.number,th.number{text-align:end;font-variant-numeric:tabular-nums;white-space:nowrap}
summary{cursor:pointer;color:var(--muted)}
`

/** Render a report as one HTML page. It loads nothing and has no scripts. */
export function renderReportHtml(report: WeeklyReport): string {
  const title = `Weekly report: ${report.team.name}`
  const { days, hours } = listCharts(report)
  const body = html`<h1 dir="auto">${title}</h1>
<p class="muted">Week ${report.week}, ${formatPeriod(report)}</p>
<ul>${report.summary.map((sentence) => html`<li dir="auto">${sentence}</li>`)}</ul>
${!isQuiet(report) && [renderMetrics(report), renderChart(days, 'days', 'Day'), renderChart(hours, 'hours', 'Hour'), renderFlowLists(report)]}
`
  return writeHtmlPage({ title, stylesheet, body })
}

function renderFlowLists(report: WeeklyReport): Html {
  return html`<p>Busiest hours: ${formatBusiestHours(report)}</p>
${renderFlows('Flows that help', report.helpful_flows)}
${renderFlows('Flows that do not help', report.unhelpful_flows)}`
}

function renderMetrics(report: WeeklyReport): Html {
  return html`<dl>${listMetrics(report).map(({ label, value }) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`
}

function renderChart(chart: Chart, id: string, labelName: string): Html {
  const legend = html`<p class="legend muted" aria-hidden="true">${chart.series.map((name) => html`<span><i></i>${name}</span>`)}</p>`
  const rows = chart.bars.map(({ label, values }) => [label, ...values.map(String)])
  return html`<section${chart.series.length === 1 && html` class="single"`}>
<h2>${chart.title}</h2>
${chart.series.length > 1 && legend}
${renderSvgChart(chart, id)}
<details><summary>${chart.title} as a table</summary>${renderTable([labelName, ...chart.series], rows)}</details>
</section>`
}

function renderFlows(title: string, flows: readonly FlowResult[]): Html {
  const rows = flows.map((flow) => [
    flow.name,
    String(flow.completed),
    String(flow.resolved),
    formatRate(flow),
  ])
  const table =
    rows.length > 0
      ? renderTable(['Flow', 'Completed', 'Resolved', 'Rate'], rows)
      : html`<p class="muted">None this week.</p>`
  return html`<section><h2>${title}</h2>${table}</section>`
}

/** Render a table whose first column has names and whose other columns have numbers. */
function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): Html {
  const heads = header.map(
    (name, column) => html`<th scope="col"${column > 0 && html` class="number"`}>${name}</th>`,
  )
  const lines = rows.map(([name = '', ...numbers]) => {
    const cells = numbers.map((number) => html`<td class="number">${number}</td>`)
    return html`<tr><th scope="row" dir="auto">${name}</th>${cells}</tr>`
  })
  return html`<table><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table>`
}
