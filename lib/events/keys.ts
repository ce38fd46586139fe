/** The closed list of what can be notified of, with what each means to the person who switches it on. */
export const eventKeys = {
  'session.escalated': 'An engineer escalated a session; team admins and the target engineer are told',
  'handoff.claimed': 'A colleague claimed a handoff; the engineer who escalated is told',
  'handoff.assessment_ready': 'The AI assessment of a handoff is stored; its claimant is told, or the team admins while nobody has claimed',
  'proposal.submitted': 'A flow proposal awaits review; team admins are told',
  'proposal.approved': 'A flow proposal was approved; its submitter is told',
  'proposal.rejected': 'A flow proposal was rejected; its submitter is told',
  'maintenance.batch_created': 'A maintenance schedule created a batch of sessions; its owner is told',
  'maintenance.run_failed': 'A due maintenance run could not be created or was missed; its owner and team admins are told',
  'psa.push_failed': "A push to the ticketing system gave up; the session's owner is told",
  'member.joined': 'An invited colleague joined the account; the inviter is told',
} as const

export type EventKey = keyof typeof eventKeys
export const eventKeyList = Object.keys(eventKeys) as [EventKey, ...EventKey[]]
