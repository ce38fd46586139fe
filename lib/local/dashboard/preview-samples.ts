import type { Event } from '#rules/events/events.ts'
import type { EventKey } from '#rules/events/keys.ts'
import type { buildWeeklyReport } from '#rules/reports/build-weekly.ts'
import type { Feedback, Lead } from '#vendors/mail/contents.ts'
import type { DigestItem } from '#vendors/mail/digest.ts'

type ReportFacts = Parameters<typeof buildWeeklyReport>[0]

const origin = { actorId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d14', teamId: null }
const session = {
  sessionId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d15',
  sessionTitle: 'VPN drops every few minutes for the whole branch',
}
const proposal = {
  proposalId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d20',
  flowName: 'VPN: rebuild the site-to-site tunnel',
}
const approval = {
  caseKind: 'session' as const,
  approvalId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d22',
  sessionId: session.sessionId,
  subjectTitle: 'Restart the domain controller',
  userIds: [origin.actorId],
}
const schedule = {
  scheduleId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d21',
  scheduleName: 'Patch the domain controllers',
  ownerId: origin.actorId,
}
const substitute = {
  scheduleId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e60',
  scheduleName: 'Night shift',
  requestId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e62',
  member: { id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e61', name: 'Sam Ortiz' },
  startsAt: '2026-11-22T20:00:00.000Z',
  endsAt: '2026-11-23T06:00:00.000Z',
  timezones: ['Europe/Berlin', 'America/New_York'],
  userIds: [],
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

const sampleEvents: { [K in EventKey]: Extract<Event, { key: K }> } = {
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
    rounds: 3,
    step: 2,
    userIds: [origin.actorId],
    toldIds: [origin.actorId],
    toldNames: ['Dana Reyes'],
    waitingSeconds: 1500,
    details: escalation,
  },
  'escalation.unreached': {
    key: 'escalation.unreached',
    ...origin,
    sessionId: session.sessionId,
    handoffId: session.sessionId,
    problemSummary: session.sessionTitle,
    psaTicketId: '4711',
    round: 1,
    step: 2,
    isWholePolicy: true,
  },
  'escalation.acknowledged': {
    key: 'escalation.acknowledged',
    ...origin,
    sessionId: session.sessionId,
    handoffId: session.sessionId,
    problemSummary: session.sessionTitle,
    engineerId: origin.actorId,
    colleagueName: 'Sam Ortiz',
  },
  'handoff.claimed': {
    key: 'handoff.claimed',
    ...origin,
    ...session,
    claimantName: 'Sam Ortiz',
    engineerId: origin.actorId,
  },
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
  'approval.requested': {
    key: 'approval.requested',
    ...origin,
    ...approval,
    requesterName: 'Sam Ortiz',
    alert: {
      approval_id: approval.approvalId,
      facts: [
        { label: 'Risk', text: 'High' },
        { label: 'Client', text: 'Northwind Dental' },
        { label: 'Ticket', text: '#4711' },
        { label: 'Decide until', text: '22 Nov 2026, 03:40 (Europe/Berlin)' },
      ],
      sections: [
        { label: 'Comment', text: 'The client agreed by phone.' },
        { label: 'Why this risk', text: 'Line 1: `remove-item` deletes files or folders' },
        { label: 'Parameters', text: 'Folder: C:\\Temp' },
        { label: 'Script', text: "Remove-Item 'C:\\Temp' -Recurse" },
      ],
    },
  },
  'approval.decided': {
    key: 'approval.decided',
    ...origin,
    ...approval,
    approverName: 'Dana Reyes',
    isApproved: false,
    comment: 'Wait until the backup has finished.',
  },
  'approval.expired': { key: 'approval.expired', isNobodyLeft: false, ...origin, ...approval },
  'flow.review_due': {
    key: 'flow.review_due',
    ...origin,
    ownerId: origin.actorId,
    count: 4,
    flows: [
      {
        treeId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d24',
        name: proposal.flowName,
        dueOn: '2026-11-20',
        reviewedAt: '2026-05-20T08:12:00.000Z',
        evidence: {
          runs: 48,
          ended: 46,
          resolved: 41,
          replay: { base_version: 3, runs: 40, unchanged: 36, ends_elsewhere: 1, asks_new: 2, breaks: 1 },
          open_findings: 2,
        },
      },
      {
        treeId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d25',
        name: 'Printer offline or stuck',
        dueOn: '2026-11-22',
        reviewedAt: null,
        evidence: { runs: 0, ended: 0, resolved: 0, replay: null, open_findings: 0 },
      },
    ],
  },
  'oncall.overridden': {
    key: 'oncall.overridden',
    ...origin,
    scheduleId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e60',
    scheduleName: 'Night shift',
    memberName: 'Sam Ortiz',
    memberId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e61',
    startsAt: '2026-11-22T20:00:00.000Z',
    endsAt: '2026-11-23T06:00:00.000Z',
    isEnded: false,
    replacedIds: [],
    userIds: [],
    isOtherTeam: true,
    isMailed: false,
    timezones: ['Europe/Berlin', 'America/New_York'],
  },
  'oncall.changed': {
    key: 'oncall.changed',
    ...origin,
    scheduleId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e60',
    scheduleName: 'Night shift',
    member: { id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e61', name: 'Sam Ortiz' },
    previous: null,
    isDeleted: false,
    userIds: [],
  },
  'oncall.substitute_requested': {
    key: 'oncall.substitute_requested',
    ...origin,
    ...substitute,
    note: 'My daughter has a school play that evening.',
  },
  'oncall.substitute_updated': {
    key: 'oncall.substitute_updated',
    ...origin,
    ...substitute,
    outcome: 'unanswered',
    colleague: null,
  },
  'oncall.shift_starts': {
    key: 'oncall.shift_starts',
    ...origin,
    scheduleId: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e60',
    scheduleName: 'Night shift',
    member: { id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e61', name: 'Sam Ortiz', timezone: 'Europe/Berlin' },
    startsAt: '2026-11-22T20:00:00.000Z',
    endsAt: '2026-11-23T06:00:00.000Z',
  },
  'session.timer_due': {
    key: 'session.timer_due',
    ...origin,
    sessionId: session.sessionId,
    flowName: 'Replace a disk',
    stepTitle: 'Check that the array is rebuilt',
    userId: origin.actorId,
  },
  'handover.due': {
    key: 'handover.due',
    ...origin,
    teamName: 'Field service',
    lines: [
      {
        text: 'Since 21 Nov 2026, 01:00 (Europe/Berlin): 1 open case of the team, 1 waits for a colleague, 2 resolved, 0 with a time to continue.',
        path: null,
      },
    ],
    frontendUrl: 'https://app.supportflow.example',
    handoverTeamId: session.sessionId,
    userIds: [],
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
  'alert.opened': {
    key: 'alert.opened',
    ...origin,
    alertId: session.sessionId,
    title: 'Disk of SRV-FILE-01 is full',
    text: '97% of C: are used.',
    clientName: 'Northwind',
    machine: 'SRV-FILE-01',
    urgency: 'high',
    sourceName: 'Prometheus of the data centre',
    aiSessionId: session.sessionId,
    sessionId: null,
    ownerId: origin.actorId,
  },
  'alert.limited': {
    key: 'alert.limited',
    ...origin,
    sourceId: session.sessionId,
    sourceName: 'Prometheus of the data centre',
    reason: 'The source has opened 20 cases within an hour',
  },
  'channel.disconnected': {
    key: 'channel.disconnected',
    ...origin,
    configId: session.sessionId,
    host: 'hooks.slack.example',
    authorId: origin.actorId,
  },
  'phone.limited': { key: 'phone.limited', ...origin, gatewayId: session.sessionId, dailyLimit: 100 },
  'member.joined': { key: 'member.joined', ...origin, memberName: 'Sam Ortiz', inviterId: origin.actorId },
}

const digestOrigin = { link: '/notifications', timezone: 'Europe/Berlin', total: 53 }

const sampleDigest: DigestItem[] = [
  {
    ...digestOrigin,
    title: 'Dana Reyes escalated: Printer of the reception offline (Ticket #4711)',
    created_at: '2026-11-21T22:14:00.000Z',
  },
  {
    ...digestOrigin,
    title: 'Sam Ortiz picked up the escalation: Printer of the reception offline',
    created_at: '2026-11-22T01:40:00.000Z',
  },
  { ...digestOrigin, title: 'Push to ticket #4712 failed', created_at: '2026-11-22T04:02:00.000Z' },
]

const flow = { tree_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d22' }

const sampleWeek: ReportFacts = {
  week: {
    team_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d16',
    team_name: 'Field service',
    timezone: 'Europe/Berlin',
    week: '2026-W47',
    monday: '2026-11-16',
  },
  sessions: { completed: 38, resolved: 31, escalated: 2 },
  ai: { resolved: 9 },
  escalations: { escalated: 4, claimed: 3, unclaimed: 1, median_seconds: 240, p90_seconds: 5400 },
  flows: [
    { ...flow, name: 'VPN: rebuild the site-to-site tunnel', completed: 14, resolved: 13 },
    { ...flow, name: 'Printer offline', completed: 12, resolved: 9 },
    {
      ...flow,
      name: 'Outlook asks for the password again and again after the migration of the mailbox',
      completed: 8,
      resolved: 2,
    },
  ],
  previous: { started: 95, resolved: 44, escalated: 5, median_seconds: 360 },
  open: { sessions: 5, ai_sessions: 2 },
  waiting: [{ waits_for: 'colleague', count: 1, longest_seconds: 190_000 }],
  slow_flows: [
    {
      tree_id: flow.tree_id,
      name: 'VPN: rebuild the site-to-site tunnel',
      completed: 14,
      median_seconds: 3900,
    },
  ],
  unfinished_flows: [{ tree_id: flow.tree_id, name: 'Replace a disk', started: 4 }],
  overdue_reviews: {
    count: 2,
    flows: [
      { tree_id: flow.tree_id, name: 'Printer offline', due_on: '2026-11-02' },
      { tree_id: flow.tree_id, name: 'Replace a disk', due_on: '2026-11-19' },
    ],
  },
  // Many sessions from Monday to Friday, mostly in the morning, and few on Saturday.
  hours: [1, 2, 3, 4, 5, 6].flatMap((day) =>
    [8, 9, 10, 11, 13, 14, 16].map((hour) => ({
      day,
      hour,
      sessions: day === 6 ? Number(hour === 10) : (day * hour) % 4,
      ai_sessions: Number(day < 6 && hour === 9),
      resolved: day === 6 ? 0 : (day + hour) % 3,
    })),
  ),
}

const sampleLead: Lead = {
  name: 'Kim Lee',
  company: 'Fabrikam',
  email: 'kim@fabrikam.example',
  phone: '+1 555 0100',
  seats: 40,
  source: 'pricing_page',
  message: 'Please call me on Monday.',
}

const sampleFeedback: Feedback = {
  subject: 'Shortcuts',
  message: 'Number keys for the options, please.',
  page_url: 'https://app.supportflow.example/sessions/4711',
  author: 'Dana Reyes',
  email: 'dana@northwind.example',
  account_name: 'Northwind IT',
}

/** The texts of users that the previews show, so that a test can show others. */
export const samples = {
  accountName: 'Northwind IT',
  people: { inviter: 'Dana Reyes', sender: 'Dana Reyes', configAuthor: 'Alex Kim' },
  webhookDescription: 'Ticket mirror',
  /** The subject of the conversation of a reply. */
  opening: 'Dana Reyes escalated: VPN drops every few minutes for the whole branch (Ticket #4711)',
  events: sampleEvents,
  digest: sampleDigest,
  week: sampleWeek,
  lead: sampleLead,
  feedback: sampleFeedback,
}
