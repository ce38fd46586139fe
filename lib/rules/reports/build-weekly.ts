import { writeSummary } from './summary.ts'
import { addDays } from './week.ts'
import {
  type FlowResult,
  getResolutionRate,
  reportDays,
  type WeekCounts,
  type WeeklyReport,
} from './weekly.ts'

const maxFlows = 5
const maxBusiestHours = 3
/** A flow with fewer completed sessions is in no list. */
const minCompleted = 3
const helpfulRate = 0.7
const unhelpfulRate = 0.5

/** Build the report from what the database counts. */
export function buildWeeklyReport({
  week,
  sessions,
  ai,
  escalations,
  flows,
  hours,
  ...parts
}: WeekCounts): WeeklyReport {
  const { escalated, ...time_to_claim } = escalations
  const countedFlows = flows.filter(({ completed }) => completed >= minCompleted)
  const report = {
    team: { id: week.team_id, name: week.team_name },
    week: week.week,
    timezone: week.timezone,
    starts_on: week.monday,
    ends_on: addDays(week.monday, 6),
    sessions: { started: sum(hours, (row) => row.sessions), ...sessions },
    ai_sessions: { started: sum(hours, (row) => row.ai_sessions), resolved: ai.resolved, escalated },
    time_to_claim,
    helpful_flows: countedFlows
      .filter((flow) => getResolutionRate(flow) >= helpfulRate)
      .toSorted((a, b) => b.resolved - a.resolved || compareIds(a, b))
      .slice(0, maxFlows),
    unhelpful_flows: countedFlows
      .filter((flow) => getResolutionRate(flow) < unhelpfulRate)
      .toSorted((a, b) => countUnresolved(b) - countUnresolved(a) || compareIds(a, b))
      .slice(0, maxFlows),
    ...countByTime(week.monday, hours),
    ...parts,
  }
  return { summary: writeSummary(report), ...report }
}

const countUnresolved = ({ completed, resolved }: FlowResult) => completed - resolved
const compareIds = (a: FlowResult, b: FlowResult) => (a.tree_id < b.tree_id ? -1 : 1)

function sum<T>(rows: readonly T[], read: (row: T) => number): number {
  return rows.reduce((total, row) => total + read(row), 0)
}

function countByTime(
  monday: string,
  hours: WeekCounts['hours'],
): Pick<WeeklyReport, 'by_day' | 'by_hour' | 'busiest_hours'> {
  const countStarted = (row: WeekCounts['hours'][number]) => row.sessions + row.ai_sessions
  const by_day = reportDays.map((day, index) => {
    const rows = hours.filter((row) => row.day === index + 1)
    return {
      date: addDays(monday, index),
      day,
      started: sum(rows, countStarted),
      resolved: sum(rows, (row) => row.resolved),
    }
  })
  const by_hour = Array.from({ length: 24 }, (_, hour) => ({
    hour,
    started: sum(
      hours.filter((row) => row.hour === hour),
      countStarted,
    ),
  }))
  const busiest_hours = hours
    .map((row) => ({ day: reportDays[row.day - 1] ?? 'monday', hour: row.hour, started: countStarted(row) }))
    .filter(({ started }) => started > 0)
    .toSorted(
      (a, b) =>
        b.started - a.started || reportDays.indexOf(a.day) - reportDays.indexOf(b.day) || a.hour - b.hour,
    )
    .slice(0, maxBusiestHours)
  return { by_day, by_hour, busiest_hours }
}
