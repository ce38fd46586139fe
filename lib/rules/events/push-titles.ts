import type { EscalationDetails } from './escalation-alert.ts'
import type { EventKey } from './keys.ts'

type Titles = { readonly [K in EventKey]?: string }

/**
 * What a browser shows of each alert, where the account does not allow its texts there: a locked screen is
 * read by whoever is near it.
 */
const titles: Titles = {
  'alert.opened': 'An alert of the monitoring opened a case of yours',
  'escalation.unreached': 'Nobody was on call for an escalation',
  'handoff.assessment_ready': 'The assessment of an escalation is ready',
  'approval.requested': 'A request waits for your approval',
  'oncall.changed': 'Who is on call has changed',
  'oncall.shift_starts': 'Your on-call shift begins soon',
  'oncall.substitute_requested': 'A colleague asks for a substitute',
}

/** Return the title of a notification without any text of the account. */
export function writePushTitle(
  key: EventKey | null,
  escalation: Pick<EscalationDetails, 'urgency'> | null,
): string {
  if (key === null) return 'Test message'
  const urgency = escalation?.urgency ?? 'normal'
  const subject = urgency === 'high' || urgency === 'critical' ? `A ${urgency} escalation` : 'An escalation'
  if (key === 'session.escalated') return `${subject} waits for you`
  if (key === 'escalation.reminded') return `${subject} still waits for somebody`
  return titles[key] ?? 'A message waits for you'
}
