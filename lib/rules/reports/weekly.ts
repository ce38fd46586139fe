import { addDays } from './week.ts'

const reportDays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
type ReportDay = (typeof reportDays)[number]

/** A flow and how its completed sessions ended. */
export interface FlowResult {
  tree_id: string
  name: string
  completed: number
  resolved: number
}

/** The weekly report of a team. Its counts contain sessions of flows and AI sessions, unless they say otherwise. */
export interface WeeklyReport {
  team: { id: string; name: string }
  week: string
  timezone: string
  /** Monday and Sunday, as YYYY-MM-DD. */
  starts_on: string
  ends_on: string
  sessions: { started: number; completed: number; resolved: number; escalated: number }
  ai_sessions: { started: number; resolved: number; escalated: number }
  time_to_claim: { claimed: number; unclaimed: number; median_seconds: number | null; p90_seconds: number | null }
  helpful_flows: FlowResult[]
  unhelpful_flows: FlowResult[]
  by_day: { date: string; day: ReportDay; started: number; resolved: number }[]
  by_hour: { hour: number; started: number }[]
  busiest_hours: { day: ReportDay; hour: number; started: number }[]
}

/** What the database counts. */
export interface WeekCounts {
  week: { team_id: string; team_name: string; timezone: string; week: string; monday: string }
  sessions: Omit<WeeklyReport['sessions'], 'started'>
  ai: { resolved: number }
  escalations: WeeklyReport['time_to_claim'] & { escalated: number }
  flows: readonly FlowResult[]
  /** By local day (1 is Monday) and hour. */
  hours: readonly { day: number; hour: number; sessions: number; ai_sessions: number; resolved: number }[]
}

const maxFlows = 5
const maxBusiestHours = 3
/** A flow with fewer completed sessions is in no list. */
const minCompleted = 3
const helpfulRate = 0.7
const unhelpfulRate = 0.5

/** Build the report from what the database counts. */
export function buildWeeklyReport({ week, sessions, ai, escalations, flows, hours }: WeekCounts): WeeklyReport {
  const { escalated, ...time_to_claim } = escalations
  const countedFlows = flows.filter(({ completed }) => completed >= minCompleted)
  return {
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
  }
}

export function getResolutionRate({ completed, resolved }: Pick<FlowResult, 'completed' | 'resolved'>): number {
  return completed === 0 ? 0 : resolved / completed
}

const countUnresolved = ({ completed, resolved }: FlowResult) => completed - resolved
const compareIds = (a: FlowResult, b: FlowResult) => (a.tree_id < b.tree_id ? -1 : 1)

function sum<T>(rows: readonly T[], read: (row: T) => number): number {
  return rows.reduce((total, row) => total + read(row), 0)
}

function countByTime(monday: string, hours: WeekCounts['hours']): Pick<WeeklyReport, 'by_day' | 'by_hour' | 'busiest_hours'> {
  const countStarted = (row: WeekCounts['hours'][number]) => row.sessions + row.ai_sessions
  const by_day = reportDays.map((day, index) => {
    const rows = hours.filter((row) => row.day === index + 1)
    return { date: addDays(monday, index), day, started: sum(rows, countStarted), resolved: sum(rows, (row) => row.resolved) }
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
    .toSorted((a, b) => b.started - a.started || reportDays.indexOf(a.day) - reportDays.indexOf(b.day) || a.hour - b.hour)
    .slice(0, maxBusiestHours)
  return { by_day, by_hour, busiest_hours }
}
