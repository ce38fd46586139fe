import type { EventKey } from './keys.ts'

interface Common {
  /** Who caused it; null when a schedule or a job did. */
  actorId: string | null
  /** The team whose admins count as team admins of it. */
  teamId: string | null
}

/** Everything that can happen, with what its messages need to say. */
export type Event = Common &
  (
    | {
        key: 'session.escalated'
        sessionId: string
        engineerName: string
        problemSummary: string
        psaTicketId: string | null
        targetUserId: string | null
      }
    | { key: 'handoff.claimed'; sessionId: string; sessionTitle: string; claimantName: string; engineerId: string }
    | { key: 'handoff.assessment_ready'; sessionId: string; sessionTitle: string; claimantId: string | null }
    | { key: 'proposal.submitted'; proposalId: string; flowName: string; submitterName: string }
    | { key: 'proposal.approved'; proposalId: string; flowName: string; submitterId: string }
    | { key: 'proposal.rejected'; proposalId: string; flowName: string; submitterId: string; reason: string }
    | { key: 'maintenance.batch_created'; scheduleId: string; scheduleName: string; sessionCount: number; ownerId: string }
    | { key: 'maintenance.run_failed'; scheduleId: string; scheduleName: string; reason: string; ownerId: string }
    | {
        key: 'psa.push_failed'
        source: 'session' | 'ai_session' | 'output'
        sessionId: string
        psaTicketId: string
        reason: string
        ownerId: string
      }
    | { key: 'member.joined'; memberName: string; inviterId: string }
  )

/** What is told, and to whom in the app. */
export interface Announcement {
  key: EventKey
  title: string
  body: string
  /** A path of the frontend. */
  link: string
  userIds: string[]
  /** Also the account admins and the admins of the team, without the actor. */
  admins: boolean
  /** Also a mail to each of them at the own address. */
  mailEach: boolean
}

/** The problem in one line, its first 70 characters followed by an ellipsis when it is longer. */
export function snippet(problem: string): string {
  const line = Array.from(problem.replace(/\s+/g, ' ').trim())
  return line.length > 70 ? `${line.slice(0, 70).join('')}…` : line.join('')
}

/** Where an escalation is picked up. */
export const escalationLink = (sessionId: string) => `/pilot/${sessionId}?pickup=true`

export function announce(event: Event): Announcement {
  const told = { key: event.key, userIds: [] as string[], admins: false, mailEach: false }
  switch (event.key) {
    case 'session.escalated': {
      const ticket = event.psaTicketId ? ` (Ticket #${event.psaTicketId})` : ''
      const title = `${event.engineerName} escalated: ${snippet(event.problemSummary)}${ticket}`
      const userIds = event.targetUserId ? [event.targetUserId] : []
      return {
        ...told,
        title,
        body: event.problemSummary,
        link: escalationLink(event.sessionId),
        userIds,
        admins: true,
        mailEach: true,
      }
    }
    case 'handoff.claimed':
      return {
        ...told,
        title: `${event.claimantName} picked up your escalation`,
        body: event.sessionTitle,
        link: `/pilot/${event.sessionId}`,
        userIds: [event.engineerId],
      }
    case 'handoff.assessment_ready': {
      const link = `/pilot/${event.sessionId}${event.claimantId ? '' : '?pickup=true'}`
      return {
        ...told,
        title: 'AI assessment ready',
        body: event.sessionTitle,
        link,
        userIds: event.claimantId ? [event.claimantId] : [],
        admins: !event.claimantId,
      }
    }
    case 'proposal.submitted':
      return {
        ...told,
        title: `${event.submitterName} proposed a flow: ${snippet(event.flowName)}`,
        body: event.flowName,
        link: `/flow-proposals/${event.proposalId}`,
        admins: true,
      }
    case 'proposal.approved':
      return {
        ...told,
        title: `Flow proposal approved: ${snippet(event.flowName)}`,
        body: event.flowName,
        link: `/flow-proposals/${event.proposalId}`,
        userIds: [event.submitterId],
      }
    case 'proposal.rejected':
      return {
        ...told,
        title: `Flow proposal rejected: ${snippet(event.flowName)}`,
        body: event.reason,
        link: `/flow-proposals/${event.proposalId}`,
        userIds: [event.submitterId],
      }
    default:
      return announceOperations(event, told)
  }
}

type Told = Pick<Announcement, 'key' | 'userIds' | 'admins' | 'mailEach'>
type Operational = Extract<Event, { key: `maintenance.${string}` | `psa.${string}` | `member.${string}` }>

function announceOperations(event: Operational, told: Told): Announcement {
  switch (event.key) {
    case 'maintenance.batch_created': {
      const body = `${event.sessionCount} ${event.sessionCount === 1 ? 'session is' : 'sessions are'} waiting.`
      return {
        ...told,
        title: `Maintenance batch created: ${snippet(event.scheduleName)}`,
        body,
        link: `/maintenance/${event.scheduleId}`,
        userIds: [event.ownerId],
      }
    }
    case 'maintenance.run_failed':
      return {
        ...told,
        title: `Maintenance run failed: ${snippet(event.scheduleName)}`,
        body: event.reason,
        link: `/maintenance/${event.scheduleId}`,
        userIds: [event.ownerId],
        admins: true,
      }
    case 'psa.push_failed':
      return {
        ...told,
        title: `Push to ticket #${event.psaTicketId} failed`,
        body: event.reason,
        link: event.source === 'session' ? `/sessions/${event.sessionId}` : `/pilot/${event.sessionId}`,
        userIds: [event.ownerId],
      }
    case 'member.joined':
      return {
        ...told,
        title: `${event.memberName} joined the account`,
        body: 'Your invite was accepted.',
        link: '/settings/members',
        userIds: [event.inviterId],
      }
  }
}
