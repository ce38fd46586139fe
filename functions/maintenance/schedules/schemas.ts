import * as z from 'zod'
import { Id, idParams, Name, Time, Timezone } from '#http/fields.ts'
import { CronError, checkCron } from '#rules/schedules/cron.ts'

export const ScheduleId = idParams('schedule_id', 'maintenance schedule')

const CronText = z
  .string()
  .trim()
  .max(200)
  .transform((text, ctx) => {
    try {
      checkCron(text)
    } catch (error) {
      if (!(error instanceof CronError)) throw error
      ctx.addIssue({ code: 'custom', message: error.message })
    }
    return text.split(/[ \t]+/).join(' ')
  })

/** What started a run: the schedule or a user. */
export const Trigger = z.enum(['scheduled', 'manual']).meta({ id: 'RunTrigger' })
export const RunStatus = z.enum(['created', 'failed', 'missed']).meta({ id: 'RunStatus' })
export const runFields = {
  id: Id,
  due_at: Time.describe('When the run was due; for a manual run, when it was requested.'),
  trigger: Trigger.describe('Whether the schedule or a user started it.'),
  status: RunStatus.describe(
    '`created`: the run created its sessions. `failed`: it could not create them. `missed`: it did not start, because a later run replaced it or the schedule was paused.',
  ),
  error: z.string().nullable().describe('Why the run created no sessions; null if it created them.'),
  session_count: z.int().describe('Number of sessions that the run created.'),
  started_at: Time.nullable().describe('When the run started; null for a missed run.'),
}

const timingFields = {
  cron: z
    .string()
    .describe('Five fields: minute, hour, day of the month, month, day of the week.')
    .meta({ example: '0 2 * * SUN' }),
  timezone: z.string().describe('IANA time zone of these fields.'),
}
const scheduleFields = {
  id: Id,
  account_id: Id.describe('The account it belongs to.'),
  team_id: Id.describe('The team it belongs to.'),
  tree_id: Id.describe('The maintenance flow that it runs.'),
  tree_name: z.string().nullable().describe('Name of the flow; null for a private one of a colleague.'),
  name: z.string().describe('Name of the schedule.').meta({ example: 'Contoso: weekly patches' }),
  ...timingFields,
  warnings: z
    .array(z.string())
    .describe('Effects of the cron fields that users often do not intend, as sentences.'),
  target_list_id: Id.describe('The target list that the flow is run on.'),
  is_active: z.boolean().describe('False while it is paused.'),
  next_run_at: Time.nullable().describe(
    'The next due time; null while the schedule is paused. A time in the past means that its run is still pending.',
  ),
  last_run: z.strictObject(runFields).nullable().describe('The latest run; null before the first.'),
  ticket_number: z
    .string()
    .nullable()
    .describe('The ticket that it works for; it is paused when the ticket is closed.'),
  created_by: Id.describe('The owner of the schedule, who also owns the sessions of its scheduled runs.'),
  created_at: Time,
  updated_at: Time.describe('When a user last changed it.'),
}
export const Schedule = z.strictObject(scheduleFields).meta({ id: 'MaintenanceSchedule' })
export type Schedule = z.infer<typeof Schedule>

export const ScheduleDetail = z
  .strictObject({
    ...scheduleFields,
    next_runs: z
      .array(Time)
      .describe('The next five due times; empty while it is paused.')
      .meta({ example: ['2026-11-22T01:00:00.000Z', '2026-11-29T01:00:00.000Z'] }),
  })
  .meta({ id: 'MaintenanceScheduleDetail' })

const cron = CronText.describe(
  'Five fields: minute, hour, day of the month, month, day of the week. Supports `*`, lists, ranges, steps, English names, `L` for the last day of the month, `5#2` for the second Friday and `5L` for the last. Runs must be at least 5 minutes apart. A local time that the clock skips is due when the gap ends. A local time that occurs twice is due only the first time if hour and minute are fixed; a `*` or a step in one of them keeps its interval through both.',
).meta({ example: '0 2 * * SUN' })
const inputFields = {
  name: Name.describe('Name of the schedule.').meta({ example: 'Contoso: weekly patches' }),
  cron,
  timezone: Timezone.describe('IANA time zone of the cron fields.'),
  target_list_id: Id.describe('A target list that I can see.'),
  is_active: z.boolean().describe('False pauses the schedule.').meta({ example: true }),
  ticket_number: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .nullable()
    .describe('The ticket that it works for. A callback that closes the ticket pauses the schedule.'),
}
export const ScheduleCreate = z
  .strictObject({
    tree_id: Id.describe('A published maintenance flow of my team.'),
    ...inputFields,
    is_active: inputFields.is_active.default(true).describe('False creates a paused schedule.'),
    ticket_number: inputFields.ticket_number.default(null),
  })
  .meta({ id: 'MaintenanceScheduleCreate' })
export type ScheduleCreate = z.infer<typeof ScheduleCreate>

export const ScheduleUpdate = z.strictObject(inputFields).partial().meta({ id: 'MaintenanceScheduleUpdate' })
export type ScheduleUpdate = z.infer<typeof ScheduleUpdate>
