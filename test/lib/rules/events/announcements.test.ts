import { describe, expect, it } from 'vitest'
import { maxTextLength, toAlertContent, toEscalationDetails } from '#rules/events/escalation-alert.ts'
import { type Event, toAnnouncement } from '#rules/events/events.ts'
import { toSnippet } from '#rules/events/snippet.ts'

const origin = { actorId: 'u', teamId: 't' }
const details = {
  ...{
    urgency: 'high' as const,
    client_name: 'Contoso',
    psa_ticket_id: '7',
    reason: 'r',
    summary: 'No tunnel',
    what_was_tried: 'w',
    next_steps: 'n',
  },
} as const
const reminder = {
  ...{
    ...origin,
    key: 'escalation.reminded',
    sessionId: 's',
    handoffId: 'h',
    problemSummary: 'VPN',
    psaTicketId: null,
    round: 1,
    step: 1,
  },
  ...{ userIds: ['a'], rounds: 3, toldIds: ['b', 'c'], toldNames: ['Bo'], waitingSeconds: 1530, details },
}
const unreached = {
  ...origin,
  key: 'escalation.unreached',
  sessionId: 's',
  handoffId: 'h',
  problemSummary: 'VPN',
  psaTicketId: null,
  round: 1,
  step: 2,
}
const approval = {
  ...origin,
  caseKind: 'session',
  approvalId: 'p',
  sessionId: 's',
  subjectTitle: 'Run it',
  userIds: ['a'],
}
const decision = { ...approval, key: 'approval.decided', approverName: 'Ada', isApproved: true, comment: '' }
const push = {
  ...origin,
  key: 'psa.push_failed',
  sessionId: 's',
  psaTicketId: '7',
  reason: 'r',
  ownerId: 'o',
  source: 'session',
}
const escalated = {
  ...origin,
  key: 'session.escalated',
  sessionId: 's',
  engineerName: 'Dana',
  problemSummary: 'VPN',
  psaTicketId: null,
  targetUserId: null,
}
const timer = {
  ...origin,
  key: 'session.timer_due',
  sessionId: 's',
  stepTitle: 'Wait',
  flowName: 'Flow',
  userId: 'u',
}
const batch = {
  ...origin,
  key: 'maintenance.batch_created',
  scheduleId: 'm',
  scheduleName: 'Patch',
  sessionCount: 1,
  ownerId: 'o',
}
const assessment = {
  ...origin,
  key: 'handoff.assessment_ready',
  sessionId: 's',
  sessionTitle: 'T',
  claimantId: null,
}
const proposal = {
  ...origin,
  proposalId: 'p',
  flowName: 'Flow',
  submitterId: 'u',
  submitterName: 'Ada',
  reason: 'no',
}
const nobody = { userIds: [], notifyAdmins: false, emailRecipients: false }

it.each<[object, object]>([
  [
    escalated,
    {
      ...nobody,
      title: 'Dana escalated: VPN',
      body: 'VPN',
      link: '/pilot/s?pickup=true',
      notifyAdmins: true,
      emailRecipients: true,
    },
  ],
  [
    { ...escalated, psaTicketId: '7', targetUserId: 'x', details },
    { title: 'Dana escalated: VPN (Ticket #7)', userIds: ['x'], escalation: details },
  ],
  [
    reminder,
    {
      ...nobody,
      title: 'Nobody has taken this yet: VPN',
      link: '/pilot/s?pickup=true',
      userIds: ['a'],
      escalation: {
        ...details,
        reminder: 'It has waited for 25 min. Round 1 of 3, step 1. Told before: Bo and 1 more.',
      },
      emailRecipients: true,
    },
  ],
  [{ ...reminder, psaTicketId: '7' }, { title: 'Nobody has taken this yet: VPN (Ticket #7)' }],
  [
    { ...unreached, isWholePolicy: false },
    {
      ...nobody,
      title: 'No one was on call: VPN',
      body: 'Nobody could be notified by step 2 of the escalation policy. VPN',
      notifyAdmins: true,
    },
  ],
  [
    { ...unreached, isWholePolicy: true },
    {
      body: 'Nobody could be notified by the whole escalation policy. VPN',
      notifyAdmins: true,
      emailRecipients: true,
    },
  ],
  [
    {
      ...origin,
      key: 'escalation.acknowledged',
      sessionId: 's',
      handoffId: 'h',
      problemSummary: 'VPN',
      engineerId: 'e',
      colleagueName: 'Bo',
    },
    { ...nobody, title: 'Bo acknowledged the escalation: VPN', userIds: ['e'] },
  ],
  [
    {
      ...origin,
      key: 'handoff.claimed',
      sessionId: 's',
      sessionTitle: 'T',
      claimantName: 'Ada',
      engineerId: 'e',
    },
    { ...nobody, title: 'Ada picked up the escalation: T', body: 'T', link: '/pilot/s', userIds: ['e'] },
  ],
  [
    {
      ...origin,
      key: 'handoff.claimed',
      sessionId: 's',
      sessionTitle: 'T',
      claimantName: 'Ada',
      engineerId: 'e',
      toldIds: ['a', 'b'],
      mailedIds: ['b'],
    },
    { ...nobody, userIds: ['e', 'a', 'b'], emailRecipients: ['b'] },
  ],
  [assessment, { ...nobody, title: 'Assessment ready: T', link: '/pilot/s?pickup=true', notifyAdmins: true }],
  [
    { ...assessment, claimantId: 'c' },
    { ...nobody, link: '/pilot/s', userIds: ['c'] },
  ],
  [
    { ...proposal, key: 'proposal.submitted' },
    { ...nobody, title: 'Ada proposed a flow: Flow', link: '/flow-proposals/p', notifyAdmins: true },
  ],
  [
    { ...proposal, key: 'proposal.approved' },
    { ...nobody, title: 'Flow proposal approved: Flow', userIds: ['u'] },
  ],
  [
    { ...proposal, key: 'proposal.rejected' },
    { ...nobody, title: 'Flow proposal rejected: Flow', body: 'no', userIds: ['u'] },
  ],
  [timer, { ...nobody, title: 'Time to continue: Wait', body: 'Flow', link: '/sessions/s', userIds: ['u'] }],
  [{ ...timer, stepTitle: '' }, { title: 'Time to continue: Flow' }],
  [
    { ...approval, key: 'approval.requested', requesterName: 'Dana' },
    {
      ...nobody,
      title: 'Dana asks for your approval: Run it',
      link: '/sessions/s?approval=p',
      userIds: ['a'],
      emailRecipients: true,
    },
  ],
  [decision, { ...nobody, title: 'Ada approved: Run it', body: 'Run it', userIds: ['a'] }],
  [
    { ...decision, isApproved: false, comment: 'Not now' },
    { title: 'Ada rejected: Run it', body: 'Not now' },
  ],
  [
    { ...approval, key: 'approval.expired' },
    { ...nobody, title: 'Nobody decided in time: Run it', userIds: ['a'] },
  ],
  [
    batch,
    {
      ...nobody,
      title: 'Maintenance batch created: Patch',
      body: '1 session is waiting.',
      link: '/maintenance/m',
      userIds: ['o'],
    },
  ],
  [{ ...batch, sessionCount: 2 }, { body: '2 sessions are waiting.' }],
  [
    {
      ...origin,
      key: 'maintenance.run_failed',
      scheduleId: 'm',
      scheduleName: 'Patch',
      reason: 'r',
      ownerId: 'o',
    },
    { ...nobody, title: 'Maintenance run failed: Patch', body: 'r', userIds: ['o'], notifyAdmins: true },
  ],
  [push, { ...nobody, title: 'Push to ticket #7 failed', body: 'r', link: '/sessions/s', userIds: ['o'] }],
  [{ ...push, source: 'ai_session' }, { link: '/pilot/s' }],
  [{ ...push, source: 'output' }, { link: '/pilot/s' }],
  [{ ...push, source: 'user' }, { link: '/tickets/7' }],
  [{ ...push, psaTicketId: null }, { title: 'The ticket of a session was not created' }],
  [{ ...push, ownerId: null }, { userIds: [] }],
  [
    {
      ...origin,
      key: 'alert.opened',
      alertId: 'a',
      title: 'Disk is full',
      text: '97%',
      clientName: 'Contoso',
      machine: 'SRV-FILE-01',
      urgency: 'high',
      sourceName: 'Zabbix',
      aiSessionId: 's',
      sessionId: null,
      ownerId: 'o',
    },
    { ...nobody, title: 'Alert: Disk is full', link: '/pilot/s', userIds: ['o'], emailRecipients: true },
  ],
  [
    { ...origin, key: 'alert.limited', sourceId: 's', sourceName: 'Zabbix', reason: 'r' },
    {
      title: 'Too many alerts to open cases: Zabbix',
      body: 'r',
      link: '/settings/alerts/s',
      notifyAdmins: true,
      emailRecipients: true,
    },
  ],
  [
    { ...origin, key: 'channel.disconnected', configId: 'c', host: 'chat.example', authorId: null },
    {
      title: 'A chat channel gets no more messages: chat.example',
      userIds: [],
      notifyAdmins: true,
      emailRecipients: true,
    },
  ],
  [
    { ...origin, key: 'phone.limited', gatewayId: 'g', dailyLimit: 100 },
    {
      title: 'No more text messages and calls today: the limit of 100 is reached',
      userIds: [],
      notifyAdmins: true,
      emailRecipients: true,
    },
  ],
  [
    { ...origin, key: 'member.joined', memberName: 'Bo', inviterId: 'i' },
    {
      ...nobody,
      title: 'Bo joined the account',
      body: 'Your invite was accepted.',
      link: '/settings/members',
      userIds: ['i'],
    },
  ],
])('%j is announced', (event, announcement) => {
  expect(toAnnouncement(event as Event)).toMatchObject({ key: (event as Event).key, ...announcement })
})

it.each([
  ['x'.repeat(70), 'x'.repeat(70)],
  ['x'.repeat(71), `${'x'.repeat(70)}…`],
  [' a\n b ', 'a b'],
])('toSnippet(%j) is %j', (text, snippet) => expect(toSnippet(text)).toBe(snippet))

describe('an alert of an escalation', () => {
  const facts = (content: ReturnType<typeof toAlertContent>) =>
    content.facts.map(({ label, text }) => `${label}: ${text}`)
  const labels = (content: ReturnType<typeof toAlertContent>) => content.sections.map(({ label }) => label)
  it('has the facts and the texts that the title does not show', () => {
    const content = toAlertContent(details, 'Dana escalated: VPN', 'It drops')
    expect([facts(content), labels(content), content.isUrgent]).toEqual([
      ['Urgency: High', 'Client: Contoso', 'Ticket: #7'],
      ['Problem', 'Summary', 'Next steps', 'Reason', 'What was tried'],
      true,
    ])
  })
  const people = { target_name: 'Sam', claimant_name: null, on_call_names: ['Ada', 'Bo'] }
  it.each([
    [people, ['For: Sam', 'On call: Ada, Bo']],
    [{ ...people, claimant_name: 'Ada' }, ['For: Sam', 'Taken by: Ada']],
    [{ ...people, target_name: null, on_call_names: [] }, []],
  ])('NOT-98 names the people %j', (names, expected) => {
    const content = toAlertContent(details, 'Dana escalated: VPN', 'It drops', names)
    expect(facts(content).filter((fact) => /^(For|On call|Taken by):/.test(fact))).toEqual(expected)
  })
  it.each([
    ['Dana escalated: It drops', 'It  drops', 'No tunnel', ['Summary']],
    ['Dana escalated: all', 'It drops', 'all', ['Problem']],
    ['Dana escalated', 'It drops', 'It drops', ['Summary']],
  ])('with the title %j repeats neither %j nor %j', (title, problem, summary, expected) => {
    const texts = {
      reason: '',
      what_was_tried: ' ',
      next_steps: '',
      client_name: null,
      psa_ticket_id: null,
      urgency: 'low' as const,
    }
    const content = toAlertContent({ ...details, ...texts, summary }, title, problem)
    expect([facts(content), labels(content)]).toEqual([['Urgency: Low'], expected])
  })
  it.each([
    ['critical', true],
    ['high', true],
    ['normal', false],
    ['low', false],
  ] as const)('is urgent for %s: %s', (urgency, isUrgent) =>
    expect(toAlertContent({ ...details, urgency }, 't', 'p').isUrgent).toBe(isUrgent),
  )
  it('stores texts of at most 2,000 characters', () => {
    const long = ` ${'x'.repeat(maxTextLength + 1)}`
    const stored = toEscalationDetails({
      ...details,
      reason: long,
      summary: long,
      what_was_tried: long,
      next_steps: ' n ',
    })
    expect([stored.reason, stored.summary, stored.what_was_tried].map((text) => text.length)).toEqual([
      2000, 2000, 2000,
    ])
    expect([stored.next_steps, stored.client_name, stored.psa_ticket_id, stored.urgency]).toEqual([
      'n',
      'Contoso',
      '7',
      'high',
    ])
  })
})
