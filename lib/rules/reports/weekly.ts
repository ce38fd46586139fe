export const reportDays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const
type ReportDay = (typeof reportDays)[number]

/** A flow and how its completed sessions ended. */
export interface FlowResult {
  tree_id: string
  name: string
  completed: number
  resolved: number
}

export const reportWaits = ['colleague', 'claimant', 'approver'] as const
/** Cases that waited for somebody at the end of a week. */
export interface WaitingCases {
  waits_for: (typeof reportWaits)[number]
  count: number
  longest_seconds: number
}

/** What is counted with limits and in the order of the report. */
interface CountedParts {
  /** Of the week before, sessions of flows and AI sessions together. */
  previous: { started: number; resolved: number; escalated: number; median_seconds: number | null }
  /** At the end of the week, of those that were started within 90 days. */
  open: { sessions: number; ai_sessions: number }
  waiting: WaitingCases[]
  slow_flows: { tree_id: string; name: string; completed: number; median_seconds: number }[]
  unfinished_flows: { tree_id: string; name: string; started: number }[]
  /** At the end of the week, of the flows of the team and of no team: how many, and the longest overdue ones. */
  overdue_reviews: { count: number; flows: { tree_id: string; name: string; due_on: string }[] }
}

/**
 * The weekly report of a team. Its counts contain sessions of flows and AI sessions, unless they say
 * otherwise.
 */
export interface WeeklyReport extends CountedParts {
  /** The report in sentences. */
  summary: string[]
  team: { id: string; name: string }
  week: string
  timezone: string
  /** Monday and Sunday, as YYYY-MM-DD. */
  starts_on: string
  ends_on: string
  sessions: { started: number; completed: number; resolved: number; escalated: number }
  ai_sessions: { started: number; resolved: number; escalated: number }
  time_to_claim: {
    claimed: number
    unclaimed: number
    median_seconds: number | null
    p90_seconds: number | null
  }
  helpful_flows: FlowResult[]
  unhelpful_flows: FlowResult[]
  by_day: { date: string; day: ReportDay; started: number; resolved: number }[]
  by_hour: { hour: number; started: number }[]
  busiest_hours: { day: ReportDay; hour: number; started: number }[]
}

/** What the database counts. */
export interface WeekCounts extends CountedParts {
  week: { team_id: string; team_name: string; timezone: string; week: string; monday: string }
  sessions: Omit<WeeklyReport['sessions'], 'started'>
  ai: { resolved: number }
  escalations: WeeklyReport['time_to_claim'] & { escalated: number }
  flows: readonly FlowResult[]
  /** By local day (1 is Monday) and hour. */
  hours: readonly { day: number; hour: number; sessions: number; ai_sessions: number; resolved: number }[]
}

export function getResolutionRate({
  completed,
  resolved,
}: Pick<FlowResult, 'completed' | 'resolved'>): number {
  return completed === 0 ? 0 : resolved / completed
}
