import type { Urgency } from '#rules/ai/session-values.ts'
import type { PushSource } from '#rules/events/push-values.ts'
import { formatDuration } from '#rules/exports/time-format.ts'
import { type HandoverLine, joinLines } from '#rules/oncall/handover-lines.ts'
import { toPlainName } from '#rules/text/plain-name.ts'
import { isolate, sentence } from '#rules/text/sentence.ts'
import { type ApprovalAlert, toAlertText } from './approval-alert.ts'
import { type EscalationDetails, toEscalationDetails, toExcerpt } from './escalation-alert.ts'
import type { EventKey } from './keys.ts'
import { type ReviewAlert, type ReviewDueEvent, writeReviewMessage } from './review-alert.ts'
import { type ShiftEvent, writeShiftMessage } from './shift-events.ts'
import { toSnippet } from './snippet.ts'

interface EventOrigin {
  /** The user who caused it; null when a schedule or a job did. */
  actorId: string | null
  /**
   * The user whose work a job reports. E-mails about it leave only if this user, or else the actor, has
   * verified their address.
   */
  causedById?: string | null
  /** The team whose admins notifyAdmins includes. Null: only account admins. */
  teamId: string | null
}

/** Every event that sends notifications, with the data of its messages. */
export type Event = EventOrigin &
  (
    | {
        key: 'session.escalated'
        sessionId: string
        engineerName: string
        problemSummary: string
        psaTicketId: string | null
        targetUserId: string | null
        /** Who is on call for it now, and is told at once. */
        onCallIds?: string[]
        /** Whether whoever had it can no longer work. */
        isReturned?: boolean
        details?: EscalationDetails
      }
    | {
        key: 'escalation.reminded'
        sessionId: string
        handoffId: string
        problemSummary: string
        psaTicketId: string | null
        /** The place of the step, counted from 1. */
        round: number
        step: number
        rounds: number
        userIds: string[]
        /** Who was told of the escalation before: the ids, and the first names. */
        toldIds: string[]
        toldNames: string[]
        waitingSeconds: number
        details: EscalationDetails
      }
    | {
        key: 'escalation.unreached'
        sessionId: string
        handoffId: string
        problemSummary: string
        psaTicketId: string | null
        round: number
        step: number
        /** Whether all steps of a round reached nobody, and no step before it somebody. */
        isWholePolicy: boolean
      }
    | {
        key: 'escalation.acknowledged'
        sessionId: string
        handoffId: string
        problemSummary: string
        engineerId: string
        /** Null for the link in a chat channel. */
        colleagueName: string | null
      }
    | {
        key: 'handoff.claimed'
        sessionId: string
        sessionTitle: string
        claimantName: string
        engineerId: string
        /** Who else was told of the escalation, and who of them by e-mail. */
        toldIds?: string[]
        mailedIds?: string[]
        /** The urgency, client and ticket. */
        details?: EscalationDetails
      }
    | {
        key: 'handoff.assessment_ready'
        sessionId: string
        sessionTitle: string
        claimantId: string | null
        details?: EscalationDetails
      }
    | { key: 'proposal.submitted'; proposalId: string; flowName: string; submitterName: string }
    | { key: 'proposal.approved'; proposalId: string; flowName: string; submitterId: string }
    | { key: 'proposal.rejected'; proposalId: string; flowName: string; submitterId: string; reason: string }
    | {
        key: 'approval.requested'
        approvalId: string
        sessionId: string
        caseKind: 'session' | 'ai_session'
        requesterName: string
        /** What is to be approved. */
        subjectTitle: string
        userIds: string[]
        /** What the messages show of the request. */
        alert?: ApprovalAlert
      }
    | {
        key: 'approval.decided'
        approvalId: string
        sessionId: string
        caseKind: 'session' | 'ai_session'
        approverName: string
        isApproved: boolean
        comment: string
        subjectTitle: string
        userIds: string[]
      }
    | {
        key: 'approval.expired'
        approvalId: string
        sessionId: string
        caseKind: 'session' | 'ai_session'
        /** Whether it ended because nobody is left who may decide it. */
        isNobodyLeft: boolean
        subjectTitle: string
        userIds: string[]
      }
    | { key: 'session.timer_due'; sessionId: string; flowName: string; stepTitle: string; userId: string }
    | {
        key: 'handover.due'
        teamName: string
        lines: readonly HandoverLine[]
        frontendUrl: string
        handoverTeamId: string
        userIds: string[]
      }
    | {
        key: 'maintenance.batch_created'
        scheduleId: string
        scheduleName: string
        sessionCount: number
        ownerId: string
      }
    | {
        key: 'maintenance.run_failed'
        scheduleId: string
        scheduleName: string
        reason: string
        ownerId: string
      }
    | {
        key: 'psa.push_failed'
        source: PushSource
        /** The source's id. */
        sessionId: string
        /** Null for a ticket that was not created. */
        psaTicketId: string | null
        reason: string
        /** Null for what a job pushed. */
        ownerId: string | null
      }
    | ShiftEvent
    | ReviewDueEvent
    | {
        key: 'alert.opened'
        alertId: string
        title: string
        text: string
        clientName: string | null
        machine: string | null
        urgency: Urgency
        sourceName: string
        /** The case: an AI session, or a session of a flow. */
        aiSessionId: string | null
        sessionId: string | null
        ownerId: string
      }
    | {
        key: 'alert.limited'
        sourceId: string
        sourceName: string
        reason: string
      }
    | {
        key: 'channel.disconnected'
        configId: string
        /** The host of the webhook; its path is a secret. */
        host: string
        /** Who set the webhook up. */
        authorId: string | null
      }
    | { key: 'phone.limited'; gatewayId: string; dailyLimit: number }
    | { key: 'member.joined'; memberName: string; inviterId: string }
  )

/** The message of an event, and its receivers in the app. */
export interface Announcement {
  key: EventKey
  title: string
  body: string
  /** A path in the frontend. */
  link: string
  /** What an alert shows of an escalation. */
  escalation?: EscalationDetails | undefined
  /** What the messages show of a request for an approval. */
  approval?: ApprovalAlert | undefined
  /** What the messages show of the flows to review. */
  review?: ReviewAlert | undefined
  userIds: string[]
  /** Also notifies the account admins and the admins of the team, except the actor. */
  notifyAdmins: boolean
  /**
   * Also sends every recipient, admins included, an e-mail, unless a matching config already contains the
   * address.
   */
  emailRecipients: boolean | string[]
}

/** Return the frontend path where an escalation is picked up. */
export const escalationPath = (sessionId: string) => `/pilot/${sessionId}?pickup=true`

/** Return the session of a path, or undefined for the path of something else. */
export function readSessionPath(link: string | null): string | undefined {
  return /^\/pilot\/([0-9a-f-]{36})(?:\?pickup=true)?$/.exec(link ?? '')?.[1]
}

/** Return the message and the receivers of an event. */
export function toAnnouncement(event: Event): Announcement {
  const defaults = { key: event.key, userIds: [] as string[], notifyAdmins: false, emailRecipients: false }
  switch (event.key) {
    case 'session.escalated': {
      const ticket = event.psaTicketId ? sentence` (Ticket #${toSnippet(event.psaTicketId)})` : ''
      const problem = toSnippet(event.problemSummary)
      const title = event.isReturned
        ? sentence`Waits for a colleague again: ${problem}${ticket}`
        : sentence`${toPlainName(event.engineerName)} escalated: ${problem}${ticket}`
      const userIds = [...(event.targetUserId ? [event.targetUserId] : []), ...(event.onCallIds ?? [])]
      return {
        ...defaults,
        title,
        body: event.problemSummary,
        link: escalationPath(event.sessionId),
        escalation: event.details,
        userIds,
        notifyAdmins: true,
        emailRecipients: true,
      }
    }
    case 'escalation.reminded':
    case 'escalation.unreached':
    case 'escalation.acknowledged':
      return toFollowUpAnnouncement(event, defaults)
    case 'handoff.claimed':
      return {
        ...defaults,
        title: sentence`${toPlainName(event.claimantName)} picked up the escalation: ${toSnippet(event.sessionTitle)}`,
        body: event.sessionTitle,
        link: `/pilot/${event.sessionId}`,
        escalation: event.details,
        userIds: [event.engineerId, ...(event.toldIds ?? [])],
        emailRecipients: event.mailedIds ?? false,
      }
    case 'handoff.assessment_ready': {
      const link = `/pilot/${event.sessionId}${event.claimantId ? '' : '?pickup=true'}`
      return {
        ...defaults,
        title: sentence`Assessment ready: ${toSnippet(event.sessionTitle)}`,
        body: event.sessionTitle,
        link,
        // The markup is taken off last, so that a text is released as its readers see it.
        escalation: event.details && {
          ...event.details,
          assessment: toExcerpt(event.details.assessment ?? ''),
        },
        userIds: event.claimantId ? [event.claimantId] : [],
        notifyAdmins: !event.claimantId,
      }
    }
    case 'proposal.submitted':
      return {
        ...defaults,
        title: sentence`${toPlainName(event.submitterName)} proposed a flow: ${toSnippet(event.flowName)}`,
        body: event.flowName,
        link: `/flow-proposals/${event.proposalId}`,
        notifyAdmins: true,
      }
    case 'proposal.approved':
      return {
        ...defaults,
        title: sentence`Flow proposal approved: ${toSnippet(event.flowName)}`,
        body: event.flowName,
        link: `/flow-proposals/${event.proposalId}`,
        userIds: [event.submitterId],
      }
    case 'proposal.rejected':
      return {
        ...defaults,
        title: sentence`Flow proposal rejected: ${toSnippet(event.flowName)}`,
        body: event.reason,
        link: `/flow-proposals/${event.proposalId}`,
        userIds: [event.submitterId],
      }
    case 'session.timer_due':
      return {
        ...defaults,
        title: sentence`Time to continue: ${toSnippet(event.stepTitle || event.flowName)}`,
        body: event.flowName,
        link: `/sessions/${event.sessionId}`,
        userIds: [event.userId],
      }
    case 'approval.requested':
    case 'approval.decided':
    case 'approval.expired':
      return toApprovalAnnouncement(event, defaults)
    case 'oncall.overridden':
    case 'oncall.changed':
    case 'oncall.shift_starts':
    case 'oncall.substitute_requested':
    case 'oncall.substitute_updated':
      return { ...defaults, ...writeShiftMessage(event) }
    case 'flow.review_due':
      return { ...defaults, ...writeReviewMessage(event) }
    default:
      return toRemainingAnnouncement(event, defaults)
  }
}

function toApprovalAnnouncement(
  event: Extract<Event, { key: `approval.${string}` }>,
  defaults: AnnouncementDefaults,
): Announcement {
  const { sessionId, caseKind, approvalId, userIds } = event
  const announcement = {
    ...defaults,
    body: event.subjectTitle,
    link: `/${caseKind === 'session' ? 'sessions' : 'pilot'}/${sessionId}?approval=${approvalId}`,
    userIds,
  }
  const snippet = toSnippet(event.subjectTitle)
  if (event.key === 'approval.expired')
    return {
      ...announcement,
      title: event.isNobodyLeft
        ? sentence`Nobody is left to decide: ${snippet}`
        : sentence`Nobody decided in time: ${snippet}`,
    }
  if (event.key === 'approval.requested') {
    const { alert, requesterName } = event
    const title = sentence`${toPlainName(requesterName)} asks for your approval: ${snippet}`
    return {
      ...announcement,
      title,
      ...(alert ? { body: toAlertText(alert), approval: alert } : {}),
      emailRecipients: true,
    }
  }
  const verb = event.isApproved ? 'approved' : 'rejected'
  return {
    ...announcement,
    title: sentence`${toPlainName(event.approverName)} ${verb}: ${snippet}`,
    body: event.comment || event.subjectTitle,
  }
}

function toFollowUpAnnouncement(
  event: Extract<Event, { key: `escalation.${string}` }>,
  defaults: AnnouncementDefaults,
): Announcement {
  const announcement = { ...defaults, body: event.problemSummary, link: escalationPath(event.sessionId) }
  const snippet = toSnippet(event.problemSummary)
  if (event.key === 'escalation.acknowledged')
    return {
      ...announcement,
      // One text for the engineer and for channels.
      title: sentence`${event.colleagueName === null ? 'Somebody in a chat channel' : toPlainName(event.colleagueName)} acknowledged the escalation: ${snippet}`,
      userIds: [event.engineerId],
    }
  const ticket = event.psaTicketId ? sentence` (Ticket #${toSnippet(event.psaTicketId)})` : ''
  if (event.key === 'escalation.unreached') {
    const place = event.isWholePolicy
      ? 'the whole escalation policy'
      : `step ${event.step} of the escalation policy`
    return {
      ...announcement,
      title: sentence`No one was on call: ${snippet}${ticket}`,
      body: sentence`Nobody could be notified by ${place}. ${event.problemSummary}`,
      notifyAdmins: true,
      emailRecipients: event.isWholePolicy,
    }
  }
  const { userIds } = event
  const details = { ...event.details, reminder: describeReminder(event) }
  return {
    ...announcement,
    title: sentence`Nobody has taken this yet: ${snippet}${ticket}`,
    userIds,
    escalation: details,
    emailRecipients: true,
  }
}

/** Say how long an escalation waits, which reminder it is, and who was told before. */
function describeReminder({
  waitingSeconds,
  round,
  rounds,
  step,
  toldIds,
  toldNames,
}: Extract<Event, { key: 'escalation.reminded' }>): string {
  const names = toldNames.map((name) => isolate(toPlainName(name))).join(', ')
  const others = toldIds.length - toldNames.length
  return [
    `It has waited for ${waitingSeconds < 60 ? 'less than a minute' : formatDuration(waitingSeconds - (waitingSeconds % 60))}.`,
    `Round ${round} of ${rounds}, step ${step}.`,
    `Told before: ${names || 'nobody'}${others > 0 ? ` and ${others} more` : ''}.`,
  ].join(' ')
}

type AnnouncementDefaults = Pick<Announcement, 'key' | 'userIds' | 'notifyAdmins' | 'emailRecipients'>
type RemainingEvent = Extract<
  Event,
  {
    key:
      | `alert.${string}`
      | `handover.${string}`
      | `maintenance.${string}`
      | `channel.${string}`
      | `phone.${string}`
      | `psa.${string}`
      | `member.${string}`
  }
>

type PushFailure = Extract<Event, { key: 'psa.push_failed' }>
const toPilotPath = ({ sessionId }: PushFailure) => `/pilot/${sessionId}`
const pushSourcePaths: Record<PushFailure['source'], (event: PushFailure) => string> = {
  session: ({ sessionId }) => `/sessions/${sessionId}`,
  ai_session: toPilotPath,
  output: toPilotPath,
  user: ({ psaTicketId }) => `/tickets/${psaTicketId}`,
}

/** Announce an event that `toAnnouncement` has no case for. */
function toRemainingAnnouncement(event: RemainingEvent, defaults: AnnouncementDefaults): Announcement {
  switch (event.key) {
    case 'handover.due':
      return {
        ...defaults,
        title: sentence`Shift handover: ${toPlainName(event.teamName)}`,
        body: joinLines(event.lines, event.frontendUrl),
        link: `/handover?team_id=${event.handoverTeamId}`,
        userIds: event.userIds,
      }
    case 'maintenance.batch_created': {
      const body = `${event.sessionCount} ${event.sessionCount === 1 ? 'session is' : 'sessions are'} waiting.`
      return {
        ...defaults,
        title: sentence`Maintenance batch created: ${toSnippet(event.scheduleName)}`,
        body,
        link: `/maintenance/${event.scheduleId}`,
        userIds: [event.ownerId],
      }
    }
    case 'maintenance.run_failed':
      return {
        ...defaults,
        title: sentence`Maintenance run failed: ${toSnippet(event.scheduleName)}`,
        body: event.reason,
        link: `/maintenance/${event.scheduleId}`,
        userIds: [event.ownerId],
        notifyAdmins: true,
      }
    case 'psa.push_failed':
      return {
        ...defaults,
        title:
          event.psaTicketId === null
            ? 'The ticket of a session was not created'
            : sentence`Push to ticket #${toSnippet(event.psaTicketId)} failed`,
        body: event.reason,
        link: pushSourcePaths[event.source](event),
        userIds: event.ownerId === null ? [] : [event.ownerId],
      }
    case 'alert.opened':
      return {
        ...defaults,
        title: sentence`Alert: ${toSnippet(event.title)}`,
        body: sentence`Reported by the monitoring: ${toSnippet(event.sourceName)}`,
        link: event.aiSessionId ? `/pilot/${event.aiSessionId}` : `/sessions/${event.sessionId}`,
        escalation: toEscalationDetails({
          urgency: event.urgency,
          client_name: event.clientName,
          psa_ticket_id: null,
          reason: '',
          summary: event.text,
          what_was_tried: '',
          next_steps: '',
          known: event.machine ? sentence`Machine: ${event.machine}` : '',
        }),
        userIds: [event.ownerId],
        emailRecipients: true,
      }
    case 'alert.limited':
      return {
        ...defaults,
        title: sentence`Too many alerts to open cases: ${toSnippet(event.sourceName)}`,
        body: event.reason,
        link: `/settings/alerts/${event.sourceId}`,
        notifyAdmins: true,
        emailRecipients: true,
      }
    case 'channel.disconnected':
      return {
        ...defaults,
        title: sentence`A chat channel gets no more messages: ${toSnippet(event.host)}`,
        body: 'The chat tool says that its webhook no longer exists. Set up a new one, then send a test message.',
        link: '/settings/notifications',
        userIds: event.authorId === null ? [] : [event.authorId],
        notifyAdmins: true,
        emailRecipients: true,
      }
    case 'phone.limited':
      return {
        ...defaults,
        title: sentence`No more text messages and calls today: the limit of ${event.dailyLimit} is reached`,
        body: 'Alerts reach people by their other channels only. An account admin can raise the limit.',
        link: '/settings/notifications',
        notifyAdmins: true,
        emailRecipients: true,
      }
    case 'member.joined':
      return {
        ...defaults,
        title: sentence`${toPlainName(event.memberName)} joined the account`,
        body: 'Your invite was accepted.',
        link: '/settings/members',
        userIds: [event.inviterId],
      }
  }
}
