import type { WeekCounts } from '#rules/reports/weekly.ts'

/** Return the counts of a team's week, without flows and hours unless `changes` has some. */
export function createWeekCounts(changes: Partial<WeekCounts> = {}): WeekCounts {
  return {
    week: {
      team_id: 't1',
      team_name: 'Field service',
      timezone: 'Europe/Berlin',
      week: '2026-W47',
      monday: '2026-11-16',
    },
    sessions: { completed: 8, resolved: 6, escalated: 2 },
    ai: { resolved: 3 },
    escalations: { escalated: 4, claimed: 3, unclaimed: 1, median_seconds: 240, p90_seconds: null },
    flows: [],
    hours: [],
    previous: { started: 4, resolved: 9, escalated: 7, median_seconds: 120 },
    open: { sessions: 0, ai_sessions: 0 },
    waiting: [],
    slow_flows: [],
    unfinished_flows: [],
    overdue_reviews: { count: 0, flows: [] },
    ...changes,
  }
}
