import type { Service } from './app.ts'
import { postSignedJob } from './jobs.ts'
import type { Person } from './people.ts'

interface Target {
  type: 'user' | 'schedule' | 'channel'
  id: string
}

/**
 * Create the default escalation policy of the account, with a step of 10 minutes for each list of targets.
 */
export function createDefaultPolicy({ client }: Person, steps: Target[][], rounds = 1) {
  return client.oncall.policies.create({
    name: 'Nobody waits',
    is_default: true,
    rounds,
    steps: steps.map((targets) => ({ delay_minutes: 10, targets })),
  })
}

export const notifyUser = ({ id }: Person): Target => ({ type: 'user', id })

export interface ReminderRow {
  id: string
  round: number
  step: number
  state: string
  attempts: number
  event_id: string | null
}

/** Select the reminders of an escalation, in the order of their steps. */
export function selectReminders(service: Service, handoffId: string): Promise<ReminderRow[]> {
  return service.sql<ReminderRow>(
    `select r.id, r.round, r.step, r.state, r.attempts, r.event_id from escalation_reminders r join escalation_follow_ups f on f.id = r.follow_up_id
      where f.handoff_id = $1 order by r.round, r.step`,
    [handoffId],
  )
}

/** Make the next step of an escalation due. Return its reminder, or undefined if no step is left. */
export async function makeReminderDue(service: Service, handoffId: string): Promise<ReminderRow | undefined> {
  const reminder = (await selectReminders(service, handoffId)).find(({ state }) => state === 'waiting')
  if (reminder)
    await service.sql('update escalation_reminders set next_attempt_at = app.now() where id = $1', [
      reminder.id,
    ])
  return reminder
}

/** Send the message of a reminder's attempt. Return the status. */
export async function postReminder(service: Service, { id, attempts }: ReminderRow): Promise<number> {
  return (
    await postSignedJob(service, '/jobs/escalations/remind', { reminder_id: id, attempt: attempts + 1 })
  ).status
}

/** Take the next step of an escalation. */
export async function takeNextStep(service: Service, handoffId: string): Promise<void> {
  const reminder = await makeReminderDue(service, handoffId)
  if (!reminder) throw new Error('No step is left')
  await postReminder(service, reminder)
}

/** Return how often each person was reminded of an escalation, in the app. */
export async function countReminded(
  service: Service,
  handoffId: string,
  people: readonly Person[],
): Promise<number[]> {
  const rows = await service.sql<{ user_id: string }>(
    `select n.user_id from notifications n join escalation_reminders r on r.event_id = n.event_id
       join escalation_follow_ups f on f.id = r.follow_up_id where f.handoff_id = $1`,
    [handoffId],
  )
  return people.map(({ id }) => rows.filter(({ user_id }) => user_id === id).length)
}
