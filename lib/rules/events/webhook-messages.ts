import { joinLines } from '#rules/oncall/handover-lines.ts'
import { clip } from '#rules/text/clip.ts'
import { maxTextLength } from './escalation-alert.ts'
import type { Event } from './events.ts'
import type { EventKey } from './keys.ts'
import type { WebhookData } from './webhook-schemas.ts'

/** A message for webhooks. Messages of one subject are sent in order. */
export interface WebhookContent {
  subject: string
  data: object
}

type Builders = {
  [K in EventKey]: (event: Extract<Event, { key: K }>) => { subject: string; data: WebhookData<K> }
}

interface ApprovalFields {
  approvalId: string
  sessionId: string
  subjectTitle: string
  teamId: string | null
}
const toApproval = ({ approvalId, sessionId, subjectTitle, teamId }: ApprovalFields) => ({
  approval_id: approvalId,
  session_id: sessionId,
  title: subjectTitle,
  team_id: teamId,
})

interface EscalationFields {
  sessionId: string
  handoffId: string
  teamId: string | null
  psaTicketId: string | null
  problemSummary: string
}
const toEscalation = ({ sessionId, handoffId, teamId, psaTicketId, problemSummary }: EscalationFields) => ({
  session_id: sessionId,
  handoff_id: handoffId,
  team_id: teamId,
  ticket_id: psaTicketId,
  problem: clip(problemSummary, maxTextLength),
})

const builders: Builders = {
  'session.escalated': ({
    sessionId,
    actorId,
    engineerName,
    targetUserId,
    onCallIds = [],
    teamId,
    psaTicketId,
    problemSummary,
    details = null,
  }) => ({
    subject: sessionId,
    data: {
      session_id: sessionId,
      engineer_id: actorId,
      engineer_name: engineerName,
      target_user_id: targetUserId,
      on_call_user_ids: onCallIds,
      team_id: teamId,
      ticket_id: psaTicketId,
      // The problem may be a whole message. A payload has a limit, and an event that does not fit would undo
      // what caused it.
      problem: clip(problemSummary, maxTextLength),
      details,
    },
  }),
  'escalation.reminded': ({ round, rounds, step, userIds, toldIds, waitingSeconds, ...escalation }) => ({
    subject: escalation.sessionId,
    data: {
      ...toEscalation(escalation),
      round,
      rounds,
      step,
      user_ids: userIds,
      told_user_ids: toldIds,
      waiting_seconds: waitingSeconds,
    },
  }),
  'escalation.unreached': ({ round, step, isWholePolicy, ...escalation }) => ({
    subject: escalation.sessionId,
    data: {
      ...toEscalation(escalation),
      round,
      step,
      is_whole_policy: isWholePolicy,
    },
  }),
  'escalation.acknowledged': ({ sessionId, handoffId, teamId, actorId, colleagueName }) => ({
    subject: sessionId,
    data: {
      session_id: sessionId,
      handoff_id: handoffId,
      team_id: teamId,
      acknowledged_by: actorId,
      name: colleagueName,
    },
  }),
  'handoff.claimed': ({ sessionId, sessionTitle, actorId, claimantName, engineerId, teamId }) => ({
    subject: sessionId,
    data: {
      session_id: sessionId,
      title: sessionTitle,
      claimed_by: actorId,
      claimant_name: claimantName,
      engineer_id: engineerId,
      team_id: teamId,
    },
  }),
  'handoff.assessment_ready': ({ sessionId, sessionTitle, claimantId, teamId }) => ({
    subject: sessionId,
    data: { session_id: sessionId, title: sessionTitle, claimed_by: claimantId, team_id: teamId },
  }),
  'proposal.submitted': ({ proposalId, flowName, submitterName, actorId, teamId }) => ({
    subject: proposalId,
    data: {
      proposal_id: proposalId,
      team_id: teamId,
      flow_name: flowName,
      submitted_by: actorId,
      submitter_name: submitterName,
    },
  }),
  'proposal.approved': ({ proposalId, flowName, submitterId, actorId, teamId }) => ({
    subject: proposalId,
    data: {
      proposal_id: proposalId,
      team_id: teamId,
      flow_name: flowName,
      submitted_by: submitterId,
      decided_by: actorId,
    },
  }),
  'proposal.rejected': ({ proposalId, flowName, submitterId, actorId, teamId, reason }) => ({
    subject: proposalId,
    data: {
      proposal_id: proposalId,
      team_id: teamId,
      flow_name: flowName,
      submitted_by: submitterId,
      decided_by: actorId,
      reason: clip(reason, maxTextLength),
    },
  }),
  'approval.requested': ({
    approvalId,
    sessionId,
    subjectTitle,
    requesterName,
    actorId,
    teamId,
    userIds,
  }) => ({
    subject: sessionId,
    data: {
      ...toApproval({ approvalId, sessionId, subjectTitle, teamId }),
      requested_by: actorId,
      requester_name: requesterName,
      user_ids: userIds,
    },
  }),
  'approval.decided': ({
    approvalId,
    sessionId,
    subjectTitle,
    isApproved,
    comment,
    approverName,
    actorId,
    teamId,
  }) => ({
    subject: sessionId,
    data: {
      ...toApproval({ approvalId, sessionId, subjectTitle, teamId }),
      is_approved: isApproved,
      decided_by: actorId,
      approver_name: approverName,
      comment: clip(comment, maxTextLength),
    },
  }),
  'approval.expired': ({ approvalId, sessionId, subjectTitle, teamId }) => ({
    subject: sessionId,
    data: toApproval({ approvalId, sessionId, subjectTitle, teamId }),
  }),
  'session.timer_due': ({ sessionId, flowName, stepTitle, userId, teamId }) => ({
    subject: sessionId,
    // Variables can make a title long.
    data: {
      session_id: sessionId,
      flow_name: flowName,
      step_title: clip(stepTitle, maxTextLength),
      user_id: userId,
      team_id: teamId,
    },
  }),
  'handover.due': ({ handoverTeamId, teamName, lines, frontendUrl }) => ({
    subject: handoverTeamId,
    data: { team_id: handoverTeamId, team_name: teamName, text: joinLines(lines, frontendUrl) },
  }),
  'flow.review_due': ({ ownerId, teamId, count, flows }) => ({
    subject: flows[0]?.treeId ?? '',
    data: {
      owner_id: ownerId,
      team_id: teamId,
      count,
      flows: flows.map(({ treeId, name, dueOn }) => ({ flow_id: treeId, flow_name: name, due_on: dueOn })),
    },
  }),
  'maintenance.batch_created': ({ scheduleId, scheduleName, sessionCount, ownerId, teamId }) => ({
    subject: scheduleId,
    data: {
      schedule_id: scheduleId,
      schedule_name: scheduleName,
      session_count: sessionCount,
      owner_id: ownerId,
      team_id: teamId,
    },
  }),
  'maintenance.run_failed': ({ scheduleId, scheduleName, reason, ownerId, teamId }) => ({
    subject: scheduleId,
    data: {
      schedule_id: scheduleId,
      schedule_name: scheduleName,
      reason,
      owner_id: ownerId,
      team_id: teamId,
    },
  }),
  'psa.push_failed': ({ source, sessionId, psaTicketId, reason, ownerId }) => ({
    subject: sessionId,
    data: { source, source_id: sessionId, ticket_id: psaTicketId, reason, owner_id: ownerId },
  }),
  'oncall.overridden': ({
    scheduleId,
    scheduleName,
    memberId,
    memberName,
    startsAt,
    endsAt,
    isEnded,
    replacedIds,
    teamId,
  }) => ({
    subject: scheduleId,
    data: {
      schedule_id: scheduleId,
      schedule_name: scheduleName,
      user_id: memberId,
      name: memberName,
      starts_at: startsAt,
      ends_at: endsAt,
      has_ended: isEnded,
      replaced_user_ids: replacedIds,
      team_id: teamId,
    },
  }),
  'oncall.changed': ({ scheduleId, scheduleName, member, previous, isDeleted, teamId }) => ({
    subject: scheduleId,
    data: {
      schedule_id: scheduleId,
      schedule_name: scheduleName,
      user_id: member?.id ?? null,
      name: member?.name ?? null,
      previous_user_id: previous?.id ?? null,
      schedule_deleted: isDeleted,
      team_id: teamId,
    },
  }),
  'oncall.shift_starts': ({ scheduleId, scheduleName, member, startsAt, endsAt, teamId }) => ({
    subject: scheduleId,
    data: {
      schedule_id: scheduleId,
      schedule_name: scheduleName,
      user_id: member.id,
      name: member.name,
      starts_at: startsAt,
      ends_at: endsAt,
      team_id: teamId,
    },
  }),
  'oncall.substitute_requested': (event) => ({
    subject: event.requestId,
    data: toSubstituteData(event),
  }),
  'oncall.substitute_updated': (event) => ({
    subject: event.requestId,
    data: {
      ...toSubstituteData(event),
      outcome: event.outcome,
      accepted_by: event.colleague?.id ?? null,
      accepted_by_name: event.colleague?.name ?? null,
    },
  }),
  'alert.opened': ({ alertId, title, sourceName, aiSessionId, sessionId, ownerId, teamId }) => ({
    subject: alertId,
    data: {
      alert_id: alertId,
      title: clip(title, maxTextLength),
      source_name: sourceName,
      ai_session_id: aiSessionId,
      session_id: sessionId,
      owner_id: ownerId,
      team_id: teamId,
    },
  }),
  'alert.limited': ({ sourceId, sourceName, reason }) => ({
    subject: sourceId,
    data: { source_id: sourceId, source_name: sourceName, reason },
  }),
  'channel.disconnected': ({ configId, host }) => ({
    subject: configId,
    data: { config_id: configId, host },
  }),
  'phone.limited': ({ gatewayId, dailyLimit }) => ({
    subject: gatewayId,
    data: { gateway_id: gatewayId, daily_limit: dailyLimit },
  }),
  'member.joined': ({ actorId, memberName, inviterId, teamId }) => ({
    subject: actorId ?? inviterId,
    data: { user_id: actorId, name: memberName, invited_by: inviterId, team_id: teamId },
  }),
}

function toSubstituteData({
  scheduleId,
  scheduleName,
  requestId,
  member,
  startsAt,
  endsAt,
  teamId,
}: Extract<Event, { key: `oncall.substitute_${string}` }>) {
  return {
    request_id: requestId,
    schedule_id: scheduleId,
    schedule_name: scheduleName,
    user_id: member.id,
    name: member.name,
    starts_at: startsAt,
    ends_at: endsAt,
    team_id: teamId,
  }
}

/** Return what receivers of webhooks get of an event. */
export function toWebhookContent(event: Event): WebhookContent {
  return (builders[event.key] as (event: Event) => WebhookContent)(event)
}
