import { sentence } from '#rules/text/sentence.ts'
import { formatDate, formatDuration } from './labels.ts'
import type { WaitingCases, WeeklyReport } from './weekly.ts'

// A weekly report in sentences. Whoever reads only these knows what the numbers say.

type Facts = Omit<WeeklyReport, 'summary'>

/** Return the sentences of a report, also for a week in which nothing happened. */
export function writeSummary(report: Facts): string[] {
  return [
    ...writeWork(report),
    ...writeClaims(report),
    writeOpen(report.open),
    ...report.waiting.map(writeWaiting),
    ...report.slow_flows
      .slice(0, 1)
      .map(
        ({ name, completed, median_seconds }) =>
          sentence`The slowest flow was “${name}”: half of its ${completed} sessions took longer than ${formatDuration(median_seconds)}.`,
      ),
    ...report.unfinished_flows.map(
      ({ name, started }) =>
        sentence`Nobody has finished “${name}”: ${started} sessions were started, and none was completed.`,
    ),
    ...writeOverdue(report.overdue_reviews),
  ]
}

/** Return whether nothing was started or ended in the week, so that its charts and tables would be empty. */
export function isQuiet({ sessions, ai_sessions }: Pick<WeeklyReport, 'sessions' | 'ai_sessions'>): boolean {
  return (
    sessions.started +
      sessions.completed +
      ai_sessions.started +
      ai_sessions.resolved +
      ai_sessions.escalated ===
    0
  )
}

function writeWork({ sessions, ai_sessions, previous }: Facts): string[] {
  const before = (now: number, then: number) => `${compare(now, then)} the week before`
  if (isQuiet({ sessions, ai_sessions }))
    return [
      `A quiet week: no session was started or ended. The week before ${toPlural(previous.started, 'session')} ${were(previous.started)} started and ${previous.resolved} resolved.`,
    ]
  const [started, resolved, escalated] = [
    sessions.started + ai_sessions.started,
    sessions.resolved + ai_sessions.resolved,
    sessions.escalated + ai_sessions.escalated,
  ]
  return [
    `${toPlural(started, 'session')} ${were(started)} started, ${before(started, previous.started)}.`,
    `${resolved} ${were(resolved)} resolved, ${before(resolved, previous.resolved)}; ${escalated} ${were(escalated)} escalated, ${before(escalated, previous.escalated)}.`,
  ]
}

function compare(now: number, then: number): string {
  if (now === then) return 'as many as'
  return `${Math.abs(now - then)} ${now > then ? 'more' : 'fewer'} than`
}

function writeClaims({ time_to_claim: { median_seconds, unclaimed }, previous }: Facts): string[] {
  const then =
    previous.median_seconds === null ? '' : ` (${formatDuration(previous.median_seconds)} the week before)`
  return [
    ...(median_seconds === null
      ? []
      : [`Half of the claimed escalations were claimed within ${formatDuration(median_seconds)}${then}.`]),
    ...(unclaimed > 0 ? [`Nobody has claimed ${toPlural(unclaimed, 'escalation')} of the week.`] : []),
  ]
}

function writeOpen({ sessions, ai_sessions }: WeeklyReport['open']): string {
  const all = sessions + ai_sessions
  if (all === 0) return 'At the end of the week no case was open.'
  return `At the end of the week ${toPlural(all, 'case')} ${were(all)} open: ${toPlural(sessions, 'session')} of flows and ${toPlural(ai_sessions, 'AI session')}.`
}

const subjects: Record<WaitingCases['waits_for'], [noun: string, waited: string]> = {
  colleague: ['escalation', 'for a colleague to claim it'],
  claimant: ['claimed escalation', 'for whoever had claimed it to pick it up'],
  approver: ['request', 'for an approval'],
}

function writeWaiting({ waits_for, count, longest_seconds }: WaitingCases): string {
  const [noun, waited] = subjects[waits_for]
  return `${toPlural(count, noun)} waited ${waited}, ${count === 1 ? 'since' : 'the oldest since'} ${formatDuration(longest_seconds)}.`
}

function writeOverdue({ count, flows }: Facts['overdue_reviews']): string[] {
  if (count === 0) return []
  const names = flows.map(({ name, due_on }) => sentence`“${name}” since ${formatDate(due_on)}`).join(', ')
  return [
    `The review of ${toPlural(count, 'flow')} is overdue: ${names}${count > flows.length ? ' and others' : ''}.`,
  ]
}

const toPlural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
const were = (count: number) => (count === 1 ? 'was' : 'were')
