import { expect, it } from 'vitest'
import { buildWeeklyReport } from '#rules/reports/build-weekly.ts'
import type { WeekCounts } from '#rules/reports/weekly.ts'
import { createWeekCounts } from '#test/support/week-counts.ts'
import { writeReportContent } from '#vendors/mail/weekly-report.ts'

const url = 'https://app.example'

function write(counts: Partial<WeekCounts>) {
  const report = buildWeeklyReport(createWeekCounts(counts))
  return writeReportContent(report, url)
}

it('the e-mail of a week without sessions has no bars', () => {
  expect(write({})).toMatchObject({
    subject: 'Weekly report: Field service, 2026-W47',
    bars: [],
    sections: [
      { label: 'Flows that help', text: 'None this week.' },
      { label: 'Flows that do not help', text: 'None this week.' },
      { label: 'Busiest hours' },
    ],
    link: { label: 'Open the report', url: `${url}/reports/weekly?team_id=t1&week=2026-W47` },
  })
})

it('the e-mail of a week has one chart per series, whose bars can be compared', () => {
  const { bars = [] } = write({
    hours: [
      { day: 1, hour: 8, sessions: 1, ai_sessions: 0, resolved: 1 },
      { day: 3, hour: 9, sessions: 1, ai_sessions: 0, resolved: 0 },
    ],
  })
  expect(bars.map(({ end }) => end)).toEqual([1, 1])
  expect(bars.map(({ rows }) => rows.map(({ value }) => value))).toEqual([
    [1, 0, 1, 0, 0, 0, 0],
    [1, 0, 0, 0, 0, 0, 0],
  ])
})

it('the e-mail of a week lists its flows, each on a line', () => {
  const flow = (name: string, resolved: number) => ({ tree_id: name, name, completed: 4, resolved })
  const { sections = [] } = write({
    flows: [flow('Reset a password', 4), flow('Printer', 3), flow('VPN', 1)],
  })
  expect(sections.slice(0, 2)).toEqual([
    {
      label: 'Flows that help',
      text: 'Reset a password: 4 of 4 resolved (100 %)\nPrinter: 3 of 4 resolved (75 %)',
    },
    { label: 'Flows that do not help', text: 'VPN: 1 of 4 resolved (25 %)' },
  ])
})
