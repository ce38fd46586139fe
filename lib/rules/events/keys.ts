/** Every event that a channel can subscribe to, with the description that the API returns. */
export const eventKeys = {
  'session.escalated':
    'An engineer escalated a session; team admins, the target engineer and who is on call are notified',
  'escalation.reminded':
    'Nobody has taken an escalation yet; a step of its escalation policy notifies people and channels',
  'escalation.unreached':
    'A step of an escalation policy reached nobody, such as when no one was on call; team admins are notified',
  'escalation.acknowledged': 'A colleague acknowledged an escalation; the engineer who escalated is notified',
  'handoff.claimed': 'A colleague claimed a handoff; the engineer who escalated is notified',
  'handoff.assessment_ready':
    'The AI assessment of a handoff is stored; its claimant is notified, or the team admins while it is unclaimed',
  'proposal.submitted': 'A flow proposal awaits review; team admins are notified',
  'proposal.approved': 'A flow proposal was approved; its submitter is notified',
  'proposal.rejected': 'A flow proposal was rejected; its submitter is notified',
  'approval.requested': 'A session needs an approval; everyone who may decide is notified',
  'approval.decided':
    'A request for an approval was approved or rejected; the technicians of the session are notified',
  'approval.expired':
    'Nobody has decided a request for an approval in time; the technicians of the session are notified',
  'session.timer_due': 'The timer of a step is due; the user of the session is reminded',
  'handover.due':
    'The handover of a shift of a team, at the time that the team has set; who is on call is notified',
  'flow.review_due':
    'The review of flows is overdue; their owner is notified, or the team admins if nobody owns them, on the day and a week later',
  'maintenance.batch_created': 'A maintenance schedule created a batch of sessions; its owner is notified',
  'maintenance.run_failed':
    'A due maintenance run could not be created or was missed; its owner and team admins are notified',
  'psa.push_failed': "A push to the ticketing system gave up; the session's owner is notified",
  'alert.opened': 'An alert of monitoring opened a case; the user of its source is notified',
  'alert.limited':
    'Alerts of a source are more than may open cases; account admins are notified, at most once per hour',
  'channel.disconnected':
    'A chat tool says that the webhook of a config no longer exists; account admins and who set it up are notified, once per webhook',
  'phone.limited':
    'The account has reached its daily limit of text messages and calls; account admins are notified, once per day',
  'oncall.overridden':
    'An on-call shift was taken over, or that has ended; who is replaced, or on call again, is notified, who was put on call by somebody else, and the admins of another team',
  'oncall.changed':
    'A change of a schedule or of a member puts somebody else on call now; they are notified, or the admins if nobody is left. Of a deleted schedule, whoever was on call',
  'oncall.shift_starts': 'An on-call shift begins within an hour; whose shift it is is notified',
  'oncall.substitute_requested':
    'An engineer asks for a substitute for an on-call shift; the asked are notified',
  'oncall.substitute_updated':
    'A request for a substitute was accepted or withdrawn, and the others who were asked are notified; or everybody has declined, or nobody has accepted and the shift comes near, and whose shift it is is notified',
  'member.joined': 'An invited colleague joined the account; the inviter is notified',
} as const

export type EventKey = keyof typeof eventKeys
export const eventKeyList = Object.keys(eventKeys) as [EventKey, ...EventKey[]]
