import { expect } from 'vitest'
import type { WeeklyReport } from '#rules/reports/weekly.ts'
import type { Person } from '#test/support/people.ts'
import { readClock, type Week } from './week.ts'

// Every count of the reports once more, in JavaScript over all rows of the tables. It shares no code with the
// service. All people and teams are in UTC.

const dayMs = 86_400_000
interface Session {
  id: string
  parent_session_id: string | null
  team_id: string | null
  user_id: string
  tree_id: string
  state: string
  outcome: string | null
  started_at: Date | null
  completed_at: Date | null
}
interface AiSession {
  id: string
  team_id: string | null
  status: string
  created_at: Date
  resolved_at: Date | null
  updated_at: Date
}
interface Handoff {
  session_id: string
  intent: string
  created_at: Date
  claimed_at: Date | null
  picked_up_at: Date | null
  closed_at: Date | null
}
interface Approval {
  team_id: string | null
  state: string
  requested_at: Date
  expires_at: Date
}
interface Rating {
  session_id: string
  session_user_id: string
  score: number
  rated_at: Date
}
interface Tree {
  id: string
  name: string
  author_id: string
  visibility: string
}

async function readRows({ service, admin }: Week) {
  const read = <Row extends object>(table: string) =>
    service.sql<Row & Record<string, unknown>>(`select * from ${table} where account_id = $1`, [
      admin.accountId,
    ])
  return {
    sessions: await read<Session>('sessions'),
    aiSessions: await read<AiSession>('ai_sessions'),
    handoffs: await read<Handoff>('ai_handoffs'),
    approvals: await read<Approval>('approvals'),
    ratings: await read<Rating>('session_ratings'),
    trees: await read<Tree>('trees'),
  }
}
type Rows = Awaited<ReturnType<typeof readRows>>

const isIn = (at: Date | null, from: number, until: number) =>
  at !== null && at.getTime() >= from && at.getTime() < until
const toDate = (at: Date | number) => new Date(at).toISOString().slice(0, 10)
const isTopLevel = ({ parent_session_id }: Session) => parent_session_id === null

/** The value at a share of the sorted numbers, interpolated; null without any. */
function percentile(numbers: readonly number[], share: number): number | null {
  const sorted = numbers.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return low === undefined || high === undefined ? null : low + (high - low) * (place - Math.floor(place))
}
const close = (value: number | null, digits = 1) =>
  value === null ? null : (expect.closeTo(value, digits) as number)
const secondsBetween = (from: Date | null, to: Date | null) =>
  ((to?.getTime() ?? 0) - (from?.getTime() ?? 0)) / 1000
const average = (numbers: readonly number[]) =>
  numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length

function countCompleted(completed: readonly Session[]) {
  const lasted = completed.map((session) => secondsBetween(session.started_at, session.completed_at) / 60)
  return {
    resolution_rate: close(average(completed.map(({ outcome }) => (outcome === 'resolved' ? 1 : 0))), 3),
    median_minutes: close(percentile(lasted, 0.5)),
  }
}

/** What the metrics of the last seven days must be, of the sessions that `counts`. */
function countMetrics(
  { sessions, ratings, trees }: Rows,
  { admin, gone }: Week,
  reader: Person,
  now: number,
  counts: (session: Session) => boolean,
) {
  const from = Date.parse(toDate(now)) - 6 * dayMs
  const counted = sessions.filter(counts)
  const runs = counted.filter(isTopLevel)
  const completed = runs.filter(({ completed_at }) => isIn(completed_at, from, Infinity))
  const ids = new Set(counted.map(({ id }) => id))
  const scores = ratings.filter(
    ({ session_id, rated_at }) => ids.has(session_id) && isIn(rated_at, from, Infinity),
  )
  const isHidden = (treeId: string) =>
    trees.some(
      ({ id, visibility, author_id }) =>
        id === treeId &&
        visibility === 'private' &&
        author_id !== reader.id &&
        !(reader === admin && gone.some((person) => person.id === author_id)),
    )
  const started = counted.filter(({ started_at }) => isIn(started_at, from, Infinity))
  const byFlow = Map.groupBy(started, ({ tree_id }) => tree_id)
  return {
    sessions_started: runs.filter(({ started_at }) => isIn(started_at, from, Infinity)).length,
    sessions_completed: completed.length,
    ...countCompleted(completed),
    csat_average: close(average(scores.map(({ score }) => score))),
    csat_count: scores.length,
    by_day: Array.from({ length: 7 }, (_, n) => {
      const [start, end] = [from + n * dayMs, from + (n + 1) * dayMs]
      return {
        date: toDate(start),
        started: runs.filter(({ started_at }) => isIn(started_at, start, end)).length,
        completed: runs.filter(({ completed_at }) => isIn(completed_at, start, end)).length,
      }
    }),
    top_flows: [...byFlow]
      .filter(([treeId]) => !isHidden(treeId))
      .map(([tree_id, list]) => ({ tree_id, sessions: list.length }))
      .sort((a, b) => a.tree_id.localeCompare(b.tree_id)),
  }
}

function countUsers({ sessions }: Rows, { people }: Week, now: number, teamId: string | undefined) {
  const from = Date.parse(toDate(now)) - 6 * dayMs
  const runs = sessions.filter(
    (session) => isTopLevel(session) && (teamId === undefined || session.team_id === teamId),
  )
  return people
    .flatMap(({ id }) => {
      const ofUser = runs.filter(({ user_id }) => user_id === id)
      const completed = ofUser.filter(({ completed_at }) => isIn(completed_at, from, Infinity))
      const started = ofUser.filter(({ started_at }) => isIn(started_at, from, Infinity)).length
      if (started + completed.length === 0) return []
      return [{ user_id: id, sessions: started, ...countCompleted(completed) }]
    })
    .sort((a, b) => a.user_id.localeCompare(b.user_id))
}

/** What the report of a team's week must be. */
function countWeek(rows: Rows, { start }: Week, teamId: string, now: number) {
  const end = start + 7 * dayMs
  const sessions = rows.sessions.filter((session) => isTopLevel(session) && session.team_id === teamId)
  const aiSessions = rows.aiSessions.filter(({ team_id }) => team_id === teamId)
  const caseIds = new Set(aiSessions.map(({ id }) => id))
  const handoffs = rows.handoffs.filter(
    ({ session_id, intent }) => intent === 'escalate' && caseIds.has(session_id),
  )
  const during = (at: Date | null) => isIn(at, start, end)
  const started = [
    ...sessions.flatMap(({ started_at }) => (during(started_at) ? [started_at as Date] : [])),
    ...aiSessions.flatMap(({ created_at }) => (during(created_at) ? [created_at] : [])),
  ]
  const completed = sessions.filter(({ completed_at }) => during(completed_at))
  const resolvedRuns = completed.filter(({ outcome }) => outcome === 'resolved')
  const resolvedCases = aiSessions.filter(({ resolved_at }) => during(resolved_at))
  const resolved = [
    ...resolvedRuns.map(({ completed_at }) => completed_at as Date),
    ...resolvedCases.map(({ resolved_at }) => resolved_at as Date),
  ]
  const escalations = handoffs.filter(({ created_at }) => during(created_at))
  const waits = escalations.flatMap(({ created_at, claimed_at }) =>
    claimed_at ? [secondsBetween(created_at, claimed_at)] : [],
  )
  const isLaterThan = (at: Date | null) => at === null || at.getTime() >= end
  const open = handoffs.filter(({ closed_at }) => isLaterThan(closed_at))
  const waiting = {
    colleague: open.filter(({ claimed_at }) => isLaterThan(claimed_at)).length,
    claimant: open.filter((handoff) => !isLaterThan(handoff.claimed_at) && isLaterThan(handoff.picked_up_at))
      .length,
    approver: rows.approvals.filter(
      ({ team_id, state, expires_at }) =>
        team_id === teamId && state === 'pending' && expires_at.getTime() > Math.min(now, end),
    ).length,
  }
  return {
    sessions: {
      started: sessions.filter(({ started_at }) => during(started_at)).length,
      completed: completed.length,
      resolved: resolvedRuns.length,
      escalated: completed.filter(({ outcome }) => outcome === 'escalated').length,
    },
    ai_sessions: {
      started: aiSessions.filter(({ created_at }) => during(created_at)).length,
      resolved: resolvedCases.length,
      escalated: escalations.length,
    },
    time_to_claim: {
      claimed: waits.length,
      unclaimed: escalations.length - waits.length,
      median_seconds: close(percentile(waits, 0.5)),
      p90_seconds: close(percentile(waits, 0.9)),
    },
    by_day: Array.from({ length: 7 }, (_, n) => toDate(start + n * dayMs)).map((date) => ({
      date,
      started: started.filter((at) => toDate(at) === date).length,
      resolved: resolved.filter((at) => toDate(at) === date).length,
    })),
    by_hour: Array.from({ length: 24 }, (_, hour) => ({
      hour,
      started: started.filter((at) => at.getUTCHours() === hour).length,
    })),
    previous: { started: 0, resolved: 0, escalated: 0, median_seconds: null },
    open: {
      sessions: sessions.filter(
        ({ state, completed_at, started_at }) =>
          started_at !== null &&
          (state === 'in_progress' || (completed_at !== null && isLaterThan(completed_at))),
      ).length,
      ai_sessions: aiSessions.filter(({ status, resolved_at, updated_at }) =>
        status === 'resolved'
          ? isLaterThan(resolved_at)
          : !['abandoned', 'archived'].includes(status) || isLaterThan(updated_at),
      ).length,
    },
    waiting: Object.entries(waiting).flatMap(([waits_for, count]) =>
      count > 0 ? [{ waits_for, count }] : [],
    ),
  }
}

/** Compare every count that people see with that of the rows. */
export async function expectSameCounts(week: Week): Promise<void> {
  const { service, admin, teams, people, workers } = week
  const rows = await readRows(week)
  const now = readClock(service)
  const sortFlows = (list: { tree_id: string; name: string; sessions: number }[]) =>
    list.map(({ name: _, ...flow }) => flow).sort((a, b) => a.tree_id.localeCompare(b.tree_id))
  const sortUsers = (list: { user_id: string; name: string }[]) =>
    list.map(({ name: _, ...user }) => user).sort((a, b) => a.user_id.localeCompare(b.user_id))
  for (const teamId of [undefined, ...teams]) {
    const {
      period: _,
      by_user,
      top_flows,
      ...metrics
    } = await admin.client.analytics.getTeam(teamId === undefined ? {} : { team_id: teamId })
    const counts = (session: Session) => teamId === undefined || session.team_id === teamId
    const label = `the team ${teamId}`
    expect({ ...metrics, top_flows: sortFlows(top_flows) }, label).toEqual(
      countMetrics(rows, week, admin, now, counts),
    )
    expect(sortUsers(by_user), label).toEqual(countUsers(rows, week, now, teamId))
  }
  for (const person of people.filter((one) => workers.has(one))) {
    const { period: _, top_flows, ...metrics } = await person.client.analytics.getMine({})
    expect({ ...metrics, top_flows: sortFlows(top_flows) }, person.fullName).toEqual(
      countMetrics(rows, week, person, now, ({ user_id }) => user_id === person.id),
    )
  }
  const day = new Date(week.start + 3 * dayMs)
  const yearStart = Date.UTC(day.getUTCFullYear(), 0, 1)
  const number = Math.floor((day.getTime() - yearStart) / dayMs / 7) + 1
  const isoWeek = `${day.getUTCFullYear()}-W${String(number).padStart(2, '0')}`
  for (const team_id of teams) {
    const report = (await admin.client.analytics.reports.getWeekly({
      team_id,
      week: isoWeek,
    })) as WeeklyReport
    const expected = countWeek(rows, week, team_id, now)
    const { sessions, ai_sessions, time_to_claim, by_hour, previous, open } = report
    const by_day = report.by_day.map(({ day: _, ...counts }) => counts)
    const waiting = report.waiting.map(({ waits_for, count }) => ({ waits_for, count }))
    expect(
      { sessions, ai_sessions, time_to_claim, by_day, by_hour, previous, open, waiting },
      `the week of ${team_id}`,
    ).toEqual(expected)
  }
}
