import {
  formatBusiestHours,
  formatPeriod,
  formatRate,
  listCharts,
  listMetrics,
} from '#rules/reports/labels.ts'
import { isQuiet } from '#rules/reports/summary.ts'
import type { FlowResult, WeeklyReport } from '#rules/reports/weekly.ts'
import { removeLinks } from '#rules/text/plain-name.ts'
import { sentence } from '#rules/text/sentence.ts'
import type { EmailContent } from './layout.ts'

/** Return the content of the e-mail with a weekly report. The names of teams and flows are users' texts. */
export function writeReportContent(report: WeeklyReport, frontendUrl: string): EmailContent {
  const { days } = listCharts(report)
  const end = Math.max(...days.bars.flatMap(({ values }) => values))
  const bars = (end > 0 ? days.series : []).map((name, index) => ({
    title: `${name} per day`,
    end,
    rows: days.bars.map(({ label, values }) => ({ label, value: values[index] ?? 0 })),
  }))
  return {
    subject: sentence`Weekly report: ${removeLinks(report.team.name)}, ${report.week}`,
    facts: (isQuiet(report) ? [] : listMetrics(report)).map(({ label, value }) => ({ label, text: value })),
    bars,
    sections: isQuiet(report)
      ? []
      : [
          { label: 'Flows that help', text: listFlows(report.helpful_flows) },
          { label: 'Flows that do not help', text: listFlows(report.unhelpful_flows) },
          { label: 'Busiest hours', text: formatBusiestHours(report) },
        ],
    paragraphs: [formatPeriod(report), ...report.summary.map(removeLinks)],
    link: {
      label: 'Open the report',
      url: `${frontendUrl}/reports/weekly?team_id=${report.team.id}&week=${report.week}`,
    },
  }
}

function listFlows(flows: readonly FlowResult[]): string {
  if (flows.length === 0) return 'None this week.'
  return flows
    .map(
      (flow) =>
        sentence`${removeLinks(flow.name)}: ${flow.resolved} of ${flow.completed} resolved (${formatRate(flow)})`,
    )
    .join('\n')
}
