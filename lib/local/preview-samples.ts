import type { Event } from '../events/events.ts'
import type { EventKey } from '../events/keys.ts'
import type { Feedback, Lead } from '../mail/contents.ts'

const origin = { actorId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d14', teamId: null }
const session = { sessionId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d15', sessionTitle: 'VPN drops every few minutes for the whole branch' }
const proposal = { proposalId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d20', flowName: 'VPN: rebuild the site-to-site tunnel' }
const schedule = {
  scheduleId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d21',
  scheduleName: 'Patch the domain controllers',
  ownerId: origin.actorId,
}

const escalation = {
  urgency: 'critical',
  client_name: 'Contoso Dental',
  psa_ticket_id: '4711',
  reason: 'Needs access to the firewall.',
  summary: 'The tunnel of the branch drops every few minutes since 9:40. Both sides log a failed rekey.',
  what_was_tried:
    '1. Restarted the firewall of the branch: no change.\n2. Compared the pre-shared keys: equal.\n3. Switched to the second line: no change.',
  next_steps: 'Compare the phase 2 lifetimes: https://wiki.contoso.example/vpn',
} as const

/** A sample of each event. */
export const sampleEvents: { [K in EventKey]: Extract<Event, { key: K }> } = {
  'session.escalated': {
    key: 'session.escalated',
    ...origin,
    sessionId: session.sessionId,
    engineerName: 'Dana Reyes',
    problemSummary: session.sessionTitle,
    psaTicketId: '4711',
    targetUserId: null,
    details: escalation,
  },
  'escalation.reminded': {
    key: 'escalation.reminded',
    ...origin,
    sessionId: session.sessionId,
    handoffId: session.sessionId,
    problemSummary: session.sessionTitle,
    psaTicketId: '4711',
    round: 1,
    step: 2,
    userIds: [origin.actorId],
    details: escalation,
  },
  'escalation.acknowledged': {
    key: 'escalation.acknowledged',
    ...origin,
    sessionId: session.sessionId,
    handoffId: session.sessionId,
    problemSummary: session.sessionTitle,
    engineerId: origin.actorId,
  },
  'handoff.claimed': { key: 'handoff.claimed', ...origin, ...session, claimantName: 'Sam Ortiz', engineerId: origin.actorId },
  'handoff.assessment_ready': { key: 'handoff.assessment_ready', ...origin, ...session, claimantId: null },
  'proposal.submitted': { key: 'proposal.submitted', ...origin, ...proposal, submitterName: 'Sam Ortiz' },
  'proposal.approved': { key: 'proposal.approved', ...origin, ...proposal, submitterId: origin.actorId },
  'proposal.rejected': {
    key: 'proposal.rejected',
    ...origin,
    ...proposal,
    submitterId: origin.actorId,
    reason: 'The second step must not be done during office hours.',
  },
  'maintenance.batch_created': { key: 'maintenance.batch_created', ...origin, ...schedule, sessionCount: 12 },
  'maintenance.run_failed': {
    key: 'maintenance.run_failed',
    ...origin,
    ...schedule,
    reason: 'The owner of the schedule can no longer see the flow',
  },
  'psa.push_failed': {
    key: 'psa.push_failed',
    ...origin,
    source: 'session',
    sessionId: session.sessionId,
    psaTicketId: '4711',
    reason: 'The ticketing system refuses the credentials',
    ownerId: origin.actorId,
  },
  'member.joined': { key: 'member.joined', ...origin, memberName: 'Sam Ortiz', inviterId: origin.actorId },
}

export const sampleLead: Lead = {
  name: 'Kim Lee',
  company: 'Fabrikam',
  email: 'kim@fabrikam.example',
  phone: '+1 555 0100',
  seats: 40,
  source: 'pricing_page',
  message: 'Please call me on Monday.',
}

export const sampleFeedback: Feedback = {
  subject: 'Shortcuts',
  message: 'Number keys for the options, please.',
  page_url: 'https://app.supportflow.example/sessions/4711',
  author: 'Dana Reyes',
  email: 'dana@northwind.example',
  account_name: 'Northwind IT',
}
