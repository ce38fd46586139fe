import type { Fault } from '#local/vendors/faults.ts'

// The plan of a night shift, and a model that computes who must be notified of what. It shares no code with
// the service.

/** The clock moves in steps of this length. Everything that people do happens directly after a step. */
export const stepMinutes = 5
const minuteMs = 60_000

const urgencies = ['low', 'normal', 'high', 'critical'] as const
export const teamNames = ['Network', 'Servers', 'Service desk'] as const
const escalationCount = 40
/** The minute at which the second person of each team takes over, counted from the start of the shift. */
export const handoffMinute = 120

/** How people respond to an escalation, and after how many minutes. */
type PlannedResponse = { type: 'claim' | 'acknowledgement' | 'resolution'; after: number } | { type: 'none' }
const responses: readonly PlannedResponse[] = [
  { type: 'none' },
  { type: 'claim', after: 5 },
  { type: 'claim', after: 15 },
  { type: 'acknowledgement', after: 20 },
  { type: 'resolution', after: 30 },
]

export interface PlannedEscalation {
  /** Part of its problem text, so that each message can be found. */
  name: string
  team: number
  urgency: (typeof urgencies)[number]
  /** Minutes since the start of the shift. */
  minute: number
  response: PlannedResponse
}

export const escalations: readonly PlannedEscalation[] = Array.from({ length: escalationCount }, (_, n) => ({
  name: `Incident ${String(n + 1).padStart(2, '0')}`,
  team: n % teamNames.length,
  urgency: urgencies[Math.floor(n / 3) % urgencies.length] ?? 'low',
  minute: n * stepMinutes,
  response: responses[n % responses.length] ?? { type: 'none' },
}))

/**
 * The policy of each team: the person on call after 10 minutes, the lead and the channel 15 minutes later,
 * twice.
 */
export const policySteps = [
  { delay: 10, notifies: 'on_call' },
  { delay: 15, notifies: 'lead' },
] as const
export const policyRounds = 2

/** The minute at which the last reminder is due, and some more for retries. */
export const lastMinute = (escalationCount - 1) * stepMinutes + 50 + 30

export type Role = 'lead' | 'first' | 'second'
export interface ExpectedReminder {
  name: string
  team: number
  round: number
  step: number
  receiver: Role
  minute: number
}

/** List the reminders of a planned escalation, in order. */
function listReminders({ name, team, minute, response }: PlannedEscalation): ExpectedReminder[] {
  let due = minute
  const reminders: ExpectedReminder[] = []
  for (let round = 1; round <= policyRounds; round++)
    for (const [index, { delay, notifies }] of policySteps.entries()) {
      due += delay
      if (response.type !== 'none' && minute + response.after < due) return reminders
      const onCall = due < handoffMinute ? 'first' : 'second'
      reminders.push({
        name,
        team,
        round,
        step: index + 1,
        receiver: notifies === 'lead' ? 'lead' : onCall,
        minute: due,
      })
    }
  return reminders
}

export const expectedReminders: readonly ExpectedReminder[] = escalations.flatMap(listReminders)

/** Return the time of day of a minute of the shift as `HH:MM`. The shift begins at 22:00. */
export function toLocalTime(minute: number): string {
  return new Date(22 * 60 * minuteMs + minute * minuteMs).toISOString().slice(11, 16)
}

export type PlannedFault = Fault & { from: number; to: number }

/** Faults of vendors and of the service, by the minutes between which they last. */
export const faults: readonly PlannedFault[] = [
  { from: 20, to: 35, service: 'qstash', mode: 'down' },
  { from: 45, to: 50, service: 'resend', mode: 'error' },
  { from: 60, to: 80, service: 'qstash', mode: 'duplicate' },
  { from: 85, to: 90, service: 'chat1', mode: 'down' },
  { from: 95, to: 100, service: 'resend', mode: 'garbage', times: 2 },
  { from: 130, to: 150, service: 'redis', mode: 'down' },
  { from: 155, to: 165, service: 'qstash', mode: 'error' },
  { from: 170, to: 190, service: 'openai', mode: 'error' },
  { from: 195, to: 200, service: 'resend', mode: 'rate_limit', times: 3 },
  { from: 205, to: 210, service: 'postgres', mode: 'down' },
]
