import { expect, it } from 'vitest'
import type { Event } from '#rules/events/events.ts'
import { toWebhookContent } from '#rules/events/webhook-messages.ts'

const long = 'x'.repeat(2001)
const cut = `${'x'.repeat(1999)}…`
const origin = { actorId: 'u', teamId: 't' }
const approval = { ...origin, approvalId: 'p', sessionId: 's', subjectTitle: 'Run it', userIds: ['a'] }
const approvalData = { approval_id: 'p', session_id: 's', title: 'Run it', team_id: 't' }
const escalated = {
  ...{
    ...origin,
    key: 'session.escalated',
    sessionId: 's',
    engineerName: 'Dana',
    problemSummary: long,
    psaTicketId: '7',
    targetUserId: 'x',
  },
}
const proposal = {
  ...origin,
  proposalId: 'p',
  flowName: 'F',
  submitterId: 'b',
  submitterName: 'Bo',
  reason: long,
}
const push = {
  ...origin,
  key: 'psa.push_failed',
  source: 'session',
  sessionId: 's',
  psaTicketId: '7',
  reason: 'r',
  ownerId: 'o',
}
const joined = { ...origin, key: 'member.joined', memberName: 'Bo', inviterId: 'i' }

it.each<[object, string, object]>([
  [
    escalated,
    's',
    {
      ...{
        session_id: 's',
        engineer_id: 'u',
        engineer_name: 'Dana',
        target_user_id: 'x',
        on_call_user_ids: [],
        team_id: 't',
        ticket_id: '7',
        problem: cut,
      },
      details: null,
    },
  ],
  [
    {
      ...{
        ...origin,
        key: 'escalation.reminded',
        sessionId: 's',
        handoffId: 'h',
        problemSummary: long,
        psaTicketId: null,
      },
      ...{
        round: 1,
        rounds: 3,
        step: 2,
        userIds: ['a'],
        toldIds: ['b'],
        toldNames: ['Bo'],
        waitingSeconds: 600,
      },
    },
    's',
    {
      session_id: 's',
      handoff_id: 'h',
      team_id: 't',
      ticket_id: null,
      problem: cut,
      round: 1,
      rounds: 3,
      step: 2,
      user_ids: ['a'],
      told_user_ids: ['b'],
      waiting_seconds: 600,
    },
  ],
  [
    {
      ...{
        ...origin,
        key: 'escalation.unreached',
        sessionId: 's',
        handoffId: 'h',
        problemSummary: long,
        psaTicketId: null,
      },
      ...{ round: 1, step: 2, isWholePolicy: false },
    },
    's',
    {
      session_id: 's',
      handoff_id: 'h',
      team_id: 't',
      ticket_id: null,
      problem: cut,
      round: 1,
      step: 2,
      is_whole_policy: false,
    },
  ],
  [
    { ...origin, key: 'escalation.acknowledged', sessionId: 's', handoffId: 'h', colleagueName: 'Bo' },
    's',
    { session_id: 's', handoff_id: 'h', team_id: 't', acknowledged_by: 'u', name: 'Bo' },
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
    's',
    { session_id: 's', title: 'T', claimed_by: 'u', claimant_name: 'Ada', engineer_id: 'e', team_id: 't' },
  ],
  [
    { ...origin, key: 'handoff.assessment_ready', sessionId: 's', sessionTitle: 'T', claimantId: null },
    's',
    { session_id: 's', title: 'T', claimed_by: null, team_id: 't' },
  ],
  [
    { ...proposal, key: 'proposal.submitted' },
    'p',
    { proposal_id: 'p', team_id: 't', flow_name: 'F', submitted_by: 'u', submitter_name: 'Bo' },
  ],
  [
    { ...proposal, key: 'proposal.approved' },
    'p',
    { proposal_id: 'p', team_id: 't', flow_name: 'F', submitted_by: 'b', decided_by: 'u' },
  ],
  [
    { ...proposal, key: 'proposal.rejected' },
    'p',
    { proposal_id: 'p', team_id: 't', flow_name: 'F', submitted_by: 'b', decided_by: 'u', reason: cut },
  ],
  [
    { ...approval, key: 'approval.requested', requesterName: 'Dana' },
    's',
    { ...approvalData, requested_by: 'u', requester_name: 'Dana', user_ids: ['a'] },
  ],
  [
    { ...approval, key: 'approval.decided', approverName: 'Ada', isApproved: true, comment: long },
    's',
    { ...approvalData, is_approved: true, decided_by: 'u', approver_name: 'Ada', comment: cut },
  ],
  [{ ...approval, key: 'approval.expired' }, 's', approvalData],
  [
    { ...origin, key: 'session.timer_due', sessionId: 's', flowName: 'F', stepTitle: long, userId: 'v' },
    's',
    { session_id: 's', flow_name: 'F', step_title: cut, user_id: 'v', team_id: 't' },
  ],
  [
    {
      ...origin,
      key: 'handover.due',
      teamName: 'N',
      lines: [{ text: 'T', path: null }],
      frontendUrl: 'u',
      handoverTeamId: 'h',
      userIds: [],
    },
    'h',
    { team_id: 'h', team_name: 'N', text: 'T' },
  ],
  [
    {
      ...origin,
      key: 'maintenance.batch_created',
      scheduleId: 'm',
      scheduleName: 'P',
      sessionCount: 3,
      ownerId: 'o',
    },
    'm',
    { schedule_id: 'm', schedule_name: 'P', session_count: 3, owner_id: 'o', team_id: 't' },
  ],
  [
    {
      ...origin,
      key: 'alert.opened',
      alertId: 'a',
      title: 'Disk',
      text: '97%',
      clientName: 'Contoso',
      machine: 'SRV-FILE-01',
      urgency: 'high',
      sourceName: 'Z',
      aiSessionId: null,
      sessionId: 's',
      ownerId: 'o',
    },
    'a',
    {
      alert_id: 'a',
      title: 'Disk',
      source_name: 'Z',
      ai_session_id: null,
      session_id: 's',
      owner_id: 'o',
      team_id: 't',
    },
  ],
  [
    { ...origin, key: 'alert.limited', sourceId: 's', sourceName: 'Z', reason: 'r' },
    's',
    { source_id: 's', source_name: 'Z', reason: 'r' },
  ],
  [
    {
      ...origin,
      key: 'maintenance.run_failed',
      scheduleId: 'm',
      scheduleName: 'P',
      reason: 'r',
      ownerId: 'o',
    },
    'm',
    { schedule_id: 'm', schedule_name: 'P', reason: 'r', owner_id: 'o', team_id: 't' },
  ],
  [push, 's', { source: 'session', source_id: 's', ticket_id: '7', reason: 'r', owner_id: 'o' }],
  [
    { ...push, ownerId: null },
    's',
    { source: 'session', source_id: 's', ticket_id: '7', reason: 'r', owner_id: null },
  ],
  [joined, 'u', { user_id: 'u', name: 'Bo', invited_by: 'i', team_id: 't' }],
  [{ ...joined, actorId: null }, 'i', { user_id: null, name: 'Bo', invited_by: 'i', team_id: 't' }],
])('a webhook receives %j', (event, subject, data) => {
  expect(toWebhookContent(event as Event)).toEqual({ subject, data })
})
