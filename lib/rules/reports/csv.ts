import { writeCsv } from '#rules/text/csv.ts'
import type { FlowResult, WeeklyReport } from './weekly.ts'

type Row = [section: string, name: string, metric: string, value: number | null]

/** Write a report as CSV: one number per line, so that a pivot table can read it. */
export function renderReportCsv(report: WeeklyReport): string {
  const { team, week, timezone } = report
  const rows: Row[] = [
    ...listMetrics('sessions', report.sessions),
    ...listMetrics('ai_sessions', report.ai_sessions),
    ...listMetrics('time_to_claim', report.time_to_claim),
    ...report.helpful_flows.flatMap((flow) => listFlow('helpful_flow', flow)),
    ...report.unhelpful_flows.flatMap((flow) => listFlow('unhelpful_flow', flow)),
    ...report.by_day.flatMap(({ date, started, resolved }) =>
      listMetrics('day', { started, resolved }, date),
    ),
    ...report.by_hour.flatMap(({ hour, started }) =>
      listMetrics('hour', { started }, String(hour).padStart(2, '0')),
    ),
    ...listMetrics('previous', report.previous),
    ...listMetrics('open', report.open),
    ...report.waiting.flatMap(({ waits_for, ...metrics }) => listMetrics('waiting', metrics, waits_for)),
    ...report.slow_flows.flatMap(({ name, completed, median_seconds }) =>
      listMetrics('slow_flow', { completed, median_seconds }, name),
    ),
    ...report.unfinished_flows.flatMap(({ name, started }) =>
      listMetrics('unfinished_flow', { started }, name),
    ),
    ...listMetrics('overdue_reviews', { count: report.overdue_reviews.count }),
  ]
  const header = ['team', 'week', 'timezone', 'section', 'name', 'metric', 'value']
  return writeCsv([header, ...rows.map((row) => [team.name, week, timezone, ...row])])
}

function listMetrics(section: string, metrics: Readonly<Record<string, number | null>>, name = ''): Row[] {
  return Object.entries(metrics).map(([metric, value]) => [section, name, metric, value])
}

function listFlow(section: string, { name, completed, resolved }: FlowResult): Row[] {
  return listMetrics(section, { completed, resolved }, name)
}
