import { describe, expect, it } from 'vitest'
import { buildWeeklyReport } from '#rules/reports/build-weekly.ts'
import { renderReportHtml } from '#rules/reports/html.ts'
import type { WeekCounts } from '#rules/reports/weekly.ts'
import { createWeekCounts } from '#test/support/week-counts.ts'
import { writeReportContent } from '#vendors/mail/weekly-report.ts'

const createReport = (changes: Partial<WeekCounts> = {}) => buildWeeklyReport(createWeekCounts(changes))
const nothing = { completed: 0, resolved: 0, escalated: 0 }
const noClaims = { escalated: 0, claimed: 0, unclaimed: 0, median_seconds: null, p90_seconds: null }
const quietWeek = { sessions: nothing, ai: { resolved: 0 }, escalations: noClaims }
const flow = { tree_id: 'a', name: 'VPN http://evil.example/x' }
const busyWeek: Partial<WeekCounts> = {
  hours: [{ day: 1, hour: 9, sessions: 3, ai_sessions: 1, resolved: 1 }],
  previous: { started: 3, resolved: 10, escalated: 6, median_seconds: 7200 },
  open: { sessions: 1, ai_sessions: 2 },
  waiting: [
    { waits_for: 'colleague', count: 2, longest_seconds: 266_400 },
    { waits_for: 'claimant', count: 1, longest_seconds: 60 },
    { waits_for: 'approver', count: 1, longest_seconds: 3600 },
  ],
  slow_flows: [{ ...flow, completed: 3, median_seconds: 2700 }],
  unfinished_flows: [{ tree_id: 'b', name: 'Replace a disk', started: 4 }],
}

describe('the sentences of a weekly report', () => {
  it('RPT-15 compare a busy week with the one before, and say what is open, slow, unfinished and waits for whom', () => {
    expect(createReport(busyWeek).summary).toEqual([
      '4 sessions were started, 1 more than the week before.',
      '9 were resolved, 1 fewer than the week before; 6 were escalated, as many as the week before.',
      'Half of the claimed escalations were claimed within 4 min (2 h the week before).',
      'Nobody has claimed 1 escalation of the week.',
      'At the end of the week 3 cases were open: 1 session of flows and 2 AI sessions.',
      '2 escalations waited for a colleague to claim it, the oldest since 3 d 2 h.',
      '1 claimed escalation waited for whoever had claimed it to pick it up, since 1 min.',
      '1 request waited for an approval, since 1 h.',
      'The slowest flow was “VPN http://evil.example/x”: half of its 3 sessions took longer than 45 min.',
      'Nobody has finished “Replace a disk”: 4 sessions were started, and none was completed.',
    ])
  })

  it('RPT-16 say something of a quiet week, and its page and e-mail have no charts and tables of zeros', () => {
    const report = createReport({ ...quietWeek, open: { sessions: 0, ai_sessions: 1 } })
    expect(report.summary).toEqual([
      'A quiet week: no session was started or ended. The week before 4 sessions were started and 9 resolved.',
      'At the end of the week 1 case was open: 0 sessions of flows and 1 AI session.',
    ])
    const html = renderReportHtml(report)
    expect(html).toContain('A quiet week')
    expect(html).not.toMatch(/<svg|<table|Flows that help/)
    const mail = writeReportContent(report, 'https://app.example')
    expect(mail).toMatchObject({ facts: [], bars: [], sections: [] })
    expect(mail.paragraphs.slice(1)).toEqual(report.summary)
  })

  it('RPT-17 are the same in the e-mail as in the API and on the page, where no name of a flow is a link', () => {
    const report = createReport(busyWeek)
    const { paragraphs } = writeReportContent(report, 'https://app.example')
    expect(paragraphs.slice(1)).toEqual(
      report.summary.map((text) => text.replace('http://evil.example/x”:', '[link]')),
    )
    const html = renderReportHtml(report)
    expect(html.indexOf('1 more than the week before')).toBeGreaterThan(0)
    expect(html.indexOf('1 more than the week before')).toBeLessThan(html.indexOf('<svg'))
  })
})
