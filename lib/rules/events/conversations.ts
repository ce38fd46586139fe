import type { EventKey } from './keys.ts'

/**
 * Whether further events of the same page can follow an event. Their e-mails are then one conversation: what
 * was asked and decided, what was started and failed.
 */
const hasFollowers: Record<EventKey, boolean> = {
  'session.escalated': true,
  'escalation.reminded': true,
  'escalation.unreached': true,
  'escalation.acknowledged': true,
  'handoff.claimed': true,
  'handoff.assessment_ready': true,
  'proposal.submitted': true,
  'proposal.approved': true,
  'proposal.rejected': true,
  'approval.requested': true,
  'approval.decided': true,
  'approval.expired': true,
  'session.timer_due': true,
  'maintenance.batch_created': true,
  'maintenance.run_failed': true,
  'psa.push_failed': true,
  'alert.opened': true,
  'alert.limited': true,
  'oncall.overridden': true,
  'oncall.changed': true,
  'oncall.shift_starts': true,
  'oncall.substitute_requested': true,
  'oncall.substitute_updated': true,
  // A report of its own each day.
  'handover.due': false,
  // Of other flows each time. Its page is a list.
  'flow.review_due': false,
  // Once for a webhook and a member. Their page is a list.
  'channel.disconnected': false,
  'phone.limited': false,
  'member.joined': false,
}

/** The events whose e-mails can belong to a conversation. */
export const conversationKeys = (Object.keys(hasFollowers) as EventKey[]).filter((key) => hasFollowers[key])

/**
 * Return the name of the matter that an event is about, as the left side of a Message-ID: the path of its
 * page. Return null for an event that no other follows.
 */
export function nameMatter(key: EventKey, link: string | null): string | null {
  if (!hasFollowers[key] || link === null) return null
  const [page = ''] = link.split('?pickup')
  return page
    .split(/[/?=&]+/)
    .filter(Boolean)
    .map((part) => encodeURIComponent(part).replace(/[().]/g, '_'))
    .join('.')
}
