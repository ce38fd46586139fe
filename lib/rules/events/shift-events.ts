import { createTimeFormatter } from '#rules/exports/time-format.ts'
import { writeSpan } from '#rules/oncall/local-times.ts'
import type { SubstituteOutcome } from '#rules/oncall/substitutes.ts'
import { toPlainName } from '#rules/text/plain-name.ts'
import { sentence } from '#rules/text/sentence.ts'
import { toSnippet } from './snippet.ts'

// The events about on-call shifts, and what they say.

interface SubstituteFields {
  scheduleId: string
  scheduleName: string
  requestId: string
  /** Whose shift it is. */
  member: { id: string; name: string }
  /** RFC 3339. */
  startsAt: string
  endsAt: string
  /** Those of the schedule and of the readers. */
  timezones: string[]
  /** Who is told. */
  userIds: string[]
}

type SubstituteEvent =
  | (SubstituteFields & { key: 'oncall.substitute_requested'; note: string | null })
  | (SubstituteFields & {
      key: 'oncall.substitute_updated'
      outcome: SubstituteOutcome
      /** Who has accepted; null for the other outcomes. */
      colleague: { id: string; name: string } | null
    })

export type ShiftEvent =
  | SubstituteEvent
  | {
      key: 'oncall.overridden'
      scheduleId: string
      scheduleName: string
      memberName: string
      memberId: string
      /** RFC 3339. */
      startsAt: string
      endsAt: string
      /** Whether an override ends that would have begun or gone on. */
      isEnded: boolean
      /** Who would have been on call, or is again. */
      replacedIds: string[]
      /** Who is told: those, and who was put on call by somebody else. */
      userIds: string[]
      /** Whether the schedule belongs to another team, whose admins are told. */
      isOtherTeam: boolean
      /** Whether it is so soon, or so important to them, that they are told by e-mail too. */
      isMailed: boolean
      /** Those of the schedule and of the readers. */
      timezones: string[]
    }
  | {
      key: 'oncall.changed'
      scheduleId: string
      scheduleName: string
      /** Who is on call now; null for nobody. */
      member: { id: string; name: string } | null
      previous: { id: string; name: string } | null
      /** Whether the schedule was deleted. */
      isDeleted: boolean
      /** Who is told. */
      userIds: string[]
    }
  | {
      key: 'oncall.shift_starts'
      scheduleId: string
      scheduleName: string
      member: { id: string; name: string; timezone: string }
      /** RFC 3339. */
      startsAt: string
      /** Null if nothing ends the shift within a month. */
      endsAt: string | null
    }

/** The message of an event about shifts, with what an announcement has of it. */
interface ShiftMessage {
  title: string
  body: string
  link: string
  userIds: string[]
  notifyAdmins: boolean
  emailRecipients: boolean | string[]
}

/** The page of an on-call schedule. */
export const schedulePath = (id: string): string => `/on-call/${id}`

/** The page of a request for a substitute. */
const substitutePath = (scheduleId: string, id: string): string =>
  `${schedulePath(scheduleId)}?substitute=${id}`

/** Return the message of an event about shifts, and its receivers in the app. */
export function writeShiftMessage(event: ShiftEvent): ShiftMessage {
  const name = toSnippet(event.scheduleName)
  const message = { link: schedulePath(event.scheduleId), notifyAdmins: false, emailRecipients: true }
  switch (event.key) {
    case 'oncall.overridden': {
      const verb = event.isEnded ? 'no longer takes over' : 'takes over'
      return {
        ...message,
        title: sentence`${toPlainName(event.memberName)} ${verb} on-call: ${name}`,
        body: writeSpan(event.startsAt, event.endsAt, event.timezones),
        userIds: event.userIds,
        notifyAdmins: event.isOtherTeam,
        emailRecipients: event.isMailed && event.userIds,
      }
    }
    case 'oncall.shift_starts': {
      const { member, startsAt, endsAt } = event
      const toLocal = createTimeFormatter(member.timezone)
      return {
        ...message,
        title: sentence`${toPlainName(member.name)} is on call from ${toLocal(startsAt)}: ${name}`,
        body: `${endsAt ? `Until ${toLocal(endsAt)}. ` : ''}${sentence`The time zone is ${member.timezone}.`}`,
        userIds: [member.id],
      }
    }
    case 'oncall.changed': {
      const { member, previous, isDeleted } = event
      const before = previous ? toPlainName(previous.name) : 'nobody'
      if (isDeleted)
        return {
          ...message,
          title: sentence`An on-call schedule was deleted: ${name}`,
          body: sentence`${before} was on call by it.`,
          // Messages that lead to something deleted are removed.
          link: '/on-call',
          userIds: event.userIds,
        }
      return {
        ...message,
        title: member
          ? sentence`${toPlainName(member.name)} is on call now: ${name}`
          : sentence`Nobody is on call now: ${name}`,
        body: sentence`Before: ${before}.`,
        userIds: event.userIds,
        notifyAdmins: member === null,
      }
    }
    case 'oncall.substitute_requested':
    case 'oncall.substitute_updated':
      return writeSubstituteMessage(event)
  }
}

function writeSubstituteMessage(event: SubstituteEvent): ShiftMessage {
  const { scheduleId, requestId, startsAt, endsAt, timezones, userIds } = event
  const [member, name] = [toPlainName(event.member.name), toSnippet(event.scheduleName)]
  const span = writeSpan(startsAt, endsAt, timezones)
  const message = {
    link: substitutePath(scheduleId, requestId),
    userIds,
    body: span,
    notifyAdmins: false,
    emailRecipients: true,
  }
  if (event.key === 'oncall.substitute_requested')
    return {
      ...message,
      title: sentence`${member} asks for a substitute: ${name}`,
      body: event.note ? `${span}\n\n${event.note}` : span,
    }
  const stays = `${span} ${sentence`${member} stays on call unless somebody takes over.`}`
  switch (event.outcome) {
    case 'accepted':
      return {
        ...message,
        title: sentence`${toPlainName(event.colleague?.name ?? '')} takes the shift of ${member}: ${name}`,
        emailRecipients: false,
      }
    case 'withdrawn':
      return {
        ...message,
        title: sentence`${member} no longer asks for a substitute: ${name}`,
        emailRecipients: false,
      }
    case 'declined':
      return {
        ...message,
        title: sentence`Everybody declined the shift of ${member}: ${name}`,
        body: stays,
      }
    case 'unanswered':
      return {
        ...message,
        title: sentence`Nobody has taken the shift of ${member}: ${name}`,
        body: stays,
      }
  }
}
