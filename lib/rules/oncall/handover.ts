import type { openStates, Urgency } from '#rules/ai/session-values.ts'
import { formatDuration } from '#rules/exports/time-format.ts'
import { clip } from '#rules/text/clip.ts'
import { isolate, sentence } from '#rules/text/sentence.ts'
import type { HandoverLine } from './handover-lines.ts'
import { createReaderFormatter, writeLocalTimes } from './local-times.ts'

// What a shift tells the next one, from stored facts alone.

export interface HandoverCase {
  session_id: string
  title: string
  status: (typeof openStates)[number]
  urgency: Urgency
  client_name: string | null
  psa_ticket_id: string | null
  engineer_name: string | null
  claimant_name: string | null
  acknowledged_by: string | null
  acknowledged_by_name: string | null
  acknowledged_at: string | null
  next_steps: string | null
  created_at: string
  escalated_at: string | null
  claimed_at: string | null
  script_runs: number
}
export const promiseKinds = ['client_note', 'pending_fix', 'timer'] as const
export interface HandoverPromise {
  kind: (typeof promiseKinds)[number]
  text: string
  /** The AI session or, for a timer and the note of a run, the session. */
  session_id: string | null
  is_ai: boolean
  psa_ticket_id: string | null
  told_at: string | null
  due_at: string | null
}
export interface HandoverDuty {
  schedule_id: string
  schedule_name: string
  user: { id: string; name: string } | null
  until: string | null
  next_user: { id: string; name: string } | null
  next_from: string | null
}
/** Whose open cases a handover counts: of the account, of a team, or those of the reader and the queue. */
export const handoverScopes = ['account', 'team', 'own'] as const

export interface HandoverFacts {
  scope: (typeof handoverScopes)[number]
  since: string
  until: string
  timezone: string
  cases: readonly HandoverCase[]
  has_more_cases: boolean
  resolved_count: number
  promises: readonly HandoverPromise[]
  on_call: readonly HandoverDuty[]
}
const maxPart = 200

const scopeTexts: Record<HandoverFacts['scope'], string> = {
  account: 'in the account',
  team: 'of the team',
  own: 'of yours or in the queue',
}

/**
 * Write a handover as sentences: an overview, each open case, what was promised, and who is on call. Its times
 * are those of its time zone and of the zones of other readers.
 */
export function writeHandover(facts: HandoverFacts, readerZones: readonly string[] = []): HandoverLine[] {
  const timezones = [facts.timezone, ...readerZones] as const
  const formatTime = createReaderFormatter(timezones)
  return [
    { text: writeOverview(facts, writeLocalTimes(facts.since, timezones)), path: null },
    ...facts.cases.map((item) => ({ text: writeCase(item, facts), path: `/pilot/${item.session_id}` })),
    ...facts.promises.map((promise) => ({ text: writePromise(promise, formatTime), path: toPath(promise) })),
    ...facts.on_call.map((duty) => ({
      text: writeDuty(duty, formatTime),
      path: `/on-call/${duty.schedule_id}`,
    })),
  ]
}

const isWaiting = ({ status }: HandoverCase) => status === 'escalated' || status === 'requesting_escalation'
const isAfter = (time: string | null, since: string) => time !== null && Date.parse(time) >= Date.parse(since)
const toPlural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
const toLine = (text: string) => clip(text.replace(/\s+/g, ' ').trim(), maxPart)

function writeOverview(
  { scope, cases, has_more_cases, resolved_count, promises }: HandoverFacts,
  since: string,
): string {
  const waitingCount = cases.filter(isWaiting).length
  const dueCount = promises.filter(({ due_at }) => due_at !== null).length
  const open =
    cases.length === 0
      ? `No open case ${scopeTexts[scope]}`
      : `${has_more_cases ? 'More than ' : ''}${toPlural(cases.length, 'open case')} ${scopeTexts[scope]}`
  const parts = [
    open,
    `${waitingCount} wait${waitingCount === 1 ? 's' : ''} for a colleague`,
    `${resolved_count} resolved`,
    `${dueCount} with a time to continue`,
  ]
  return `Since ${since}: ${parts.join(', ')}.`
}

function writeCase(item: HandoverCase, { since, until }: HandoverFacts): string {
  const { title, client_name, psa_ticket_id, urgency, next_steps } = item
  const about = [client_name && isolate(client_name), psa_ticket_id && sentence`ticket ${psa_ticket_id}`]
    .filter(Boolean)
    .join(', ')
  const changes = listChanges(item, since)
  return [
    sentence`${urgency === 'normal' ? '' : `${urgency.charAt(0).toUpperCase()}${urgency.slice(1)}: `}${toLine(title)}${about ? sentence` (${toLine(about)})` : ''}: ${describeState(item, until)}.`,
    changes.length > 0 ? `Since then: ${changes.join(', ')}.` : '',
    next_steps?.trim() ? sentence`Next: ${toLine(next_steps)}` : '',
  ]
    .filter(Boolean)
    .join(' ')
}

function describeState(item: HandoverCase, until: string): string {
  const { status, engineer_name, claimant_name, escalated_at, acknowledged_at, acknowledged_by_name } = item
  const engineer = engineer_name ?? 'nobody'
  if (isWaiting(item)) {
    const seconds = escalated_at === null ? 0 : (Date.parse(until) - Date.parse(escalated_at)) / 1000
    return sentence`escalated by ${engineer}${seconds >= 60 ? ` ${formatDuration(seconds - (seconds % 60))} ago` : ''}${acknowledged_at ? sentence`, acknowledged by ${acknowledged_by_name ?? 'somebody in a chat channel'}` : ''}, nobody has claimed it`
  }
  if (status === 'claimed')
    return sentence`claimed by ${claimant_name ?? 'a colleague'}, escalated by ${engineer}`
  return status === 'parked' ? sentence`parked by ${engineer}` : sentence`${engineer} works on it`
}

/** Return what happened to a case since a time, in the order in which it can happen. */
function listChanges(
  { created_at, escalated_at, claimed_at, script_runs }: HandoverCase,
  since: string,
): string[] {
  return [
    ...(isAfter(created_at, since) ? ['new'] : []),
    ...(script_runs > 0 ? [toPlural(script_runs, 'script run')] : []),
    ...(isAfter(escalated_at, since) ? ['escalated'] : []),
    ...(isAfter(claimed_at, since) ? ['claimed'] : []),
  ]
}

function writePromise(
  { kind, text, psa_ticket_id, told_at, due_at }: HandoverPromise,
  formatTime: (time: string) => string,
): string {
  const ticket = psa_ticket_id ? sentence` (ticket ${psa_ticket_id})` : ''
  switch (kind) {
    case 'client_note':
      return sentence`Told the client${told_at ? ` at ${formatTime(told_at)}` : ''}${ticket}: ${toLine(text)}`
    case 'pending_fix':
      return sentence`Waits for a result${ticket}: ${toLine(text)}`
    case 'timer':
      return sentence`Due at ${due_at ? formatTime(due_at) : ''}${ticket}: ${toLine(text)}`
  }
}

function toPath({ session_id, is_ai }: HandoverPromise): string | null {
  return session_id && `/${is_ai ? 'pilot' : 'sessions'}/${session_id}`
}

function writeDuty(
  { schedule_name, user, until, next_user, next_from }: HandoverDuty,
  formatTime: (time: string) => string,
): string {
  const now = user ? sentence`${user.name}${until ? ` until ${formatTime(until)}` : ''}` : 'nobody'
  return sentence`On call by ${toLine(schedule_name)}: ${now}${next_user && next_from ? sentence`, then ${next_user.name} from ${formatTime(next_from)}` : ''}.`
}
