import type { EventKey } from './keys.ts'

/**
 * What can have happened to the matter of an event before its message is sent. `app.what_happened` finds it
 * out, in this order.
 */
export const happenings = ['read', 'taken', 'decided', 'closed'] as const
export type Happening = (typeof happenings)[number]

/** `leave_out`: nobody needs the message. `say`: the message says it before its text. */
type LateRule = Partial<Record<Exclude<Happening, 'read'>, 'leave_out' | 'say'>>

/**
 * What a message of each event does when it is late, such as after an outage. Whatever a person has read in
 * the app is not sent to them, and what was deleted to nobody (`app.remove_notifications`).
 */
const lateRules: Record<EventKey, LateRule> = {
  'session.escalated': { taken: 'leave_out' },
  'escalation.reminded': { taken: 'leave_out' },
  'escalation.unreached': { taken: 'leave_out' },
  'escalation.acknowledged': { closed: 'say' },
  'handoff.claimed': { closed: 'say' },
  'handoff.assessment_ready': { taken: 'leave_out', closed: 'leave_out' },
  'proposal.submitted': { decided: 'leave_out' },
  'proposal.approved': {},
  'proposal.rejected': {},
  'approval.requested': { decided: 'leave_out' },
  'approval.decided': { closed: 'say' },
  'approval.expired': { closed: 'leave_out' },
  'session.timer_due': { closed: 'leave_out' },
  'handover.due': {},
  'flow.review_due': { decided: 'leave_out' },
  'maintenance.batch_created': {},
  'maintenance.run_failed': {},
  'psa.push_failed': {},
  'alert.opened': { closed: 'leave_out' },
  'alert.limited': {},
  'channel.disconnected': {},
  'phone.limited': {},
  'oncall.overridden': {},
  'oncall.changed': {},
  'oncall.shift_starts': {},
  'oncall.substitute_requested': { decided: 'leave_out' },
  'oncall.substitute_updated': {},
  'member.joined': {},
}

const sentences: Record<Happening, string> = {
  read: 'It was read in the app',
  taken: 'Somebody has taken the escalation since',
  decided: 'The request was decided or has ended since',
  closed: 'The session has ended since',
}

/**
 * Return why a message is left out, or what it says before its text. Return null for one that is not late,
 * and for test messages.
 */
export function judgeLateMessage(
  key: EventKey | null,
  happened: readonly Happening[],
): { leftOut: string } | { notice: string } | null {
  if (key === null) return null
  const rule = toWholeRule(key)
  const needless = happened.find((happening) => rule[happening] === 'leave_out')
  if (needless) return { leftOut: sentences[needless] }
  const worthSaying = happened.find((happening) => rule[happening] === 'say')
  return worthSaying ? { notice: `${sentences[worthSaying]}.` } : null
}

const toWholeRule = (key: EventKey): Partial<Record<Happening, 'leave_out' | 'say'>> => ({
  ...lateRules[key],
  read: 'leave_out',
})

/**
 * The reasons to leave out a message, by event and by what has happened: for statements that choose among
 * many.
 */
export const reasonsToLeaveOut = Object.fromEntries(
  (Object.keys(lateRules) as EventKey[]).map((key) => [
    key,
    Object.fromEntries(
      happenings
        .filter((happening) => toWholeRule(key)[happening] === 'leave_out')
        .map((happening) => [happening, sentences[happening]]),
    ),
  ]),
)
