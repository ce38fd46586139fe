import * as z from 'zod'
import { exampleItem } from '#functions/sessions/sessions/schemas.ts'
import { exampleIds, Id, idParams, Name, Time, Timezone } from '#http/fields.ts'
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
export const exampleRun = {
  id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1f52',
  due_at: '2026-11-15T01:00:00.000Z',
  trigger: 'scheduled' as const,
  status: 'created' as const,
  error: null,
  session_count: 3,
  started_at: '2026-11-15T01:00:12.000Z',
}

const timingFields = {
  cron: z.string().describe('Five fields: minute, hour, day of the month, month, day of the week.'),
  timezone: z.string().describe('IANA time zone of these fields.'),
}
const scheduleFields = {
  id: Id,
  account_id: Id.describe('The account it belongs to.'),
  team_id: Id.describe('The team it belongs to.'),
  tree_id: Id.describe('The maintenance flow that it runs.'),
  tree_name: z.string().nullable().describe('Name of the flow.'),
  name: z.string().describe('Name of the schedule.'),
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
export const exampleScheduleId = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1f51'
const exampleInput = {
  tree_id: exampleItem.tree_id,
  name: 'Contoso: weekly patches',
  cron: '0 2 * * SUN',
  timezone: 'Europe/Berlin',
  target_list_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1f41',
}
const example = {
  id: exampleScheduleId,
  account_id: exampleIds.account,
  team_id: exampleIds.team,
  ...exampleInput,
  tree_name: 'Patch a server',
  warnings: [],
  is_active: true,
  ticket_number: '4711',
  next_run_at: '2026-11-22T01:00:00.000Z',
  last_run: exampleRun,
  created_by: exampleIds.user,
  created_at: '2026-11-02T08:12:00.000Z',
  updated_at: '2026-11-02T08:12:00.000Z',
}

export const Schedule = z
  .strictObject(scheduleFields)
  .meta({ id: 'MaintenanceSchedule', examples: [example] })
export type Schedule = z.infer<typeof Schedule>

export const ScheduleDetail = z
  .strictObject({
    ...scheduleFields,
    next_runs: z.array(Time).describe('The next five due times; empty while it is paused.'),
  })
  .meta({
    id: 'MaintenanceScheduleDetail',
    examples: [{ ...example, next_runs: [22, 29].map((day) => `2026-11-${day}T01:00:00.000Z`) }],
  })

const cron = CronText.describe(
  'Five fields: minute, hour, day of the month, month, day of the week. Supports `*`, lists, ranges, steps, English names, `L` for the last day of the month, `5#2` for the second Friday and `5L` for the last. Runs must be at least 5 minutes apart. A local time that the clock skips is due when the gap ends. A local time that occurs twice is due only the first time if hour and minute are fixed; a `*` or a step in one of them keeps its interval through both.',
)
const inputFields = {
  name: Name.describe('Name of the schedule.'),
  cron,
  timezone: Timezone.describe('IANA time zone of the cron fields.'),
  target_list_id: Id.describe('A target list that I can see.'),
  is_active: z.boolean().describe('False pauses the schedule.'),
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
  .meta({ id: 'MaintenanceScheduleCreate', examples: [exampleInput] })
export type ScheduleCreate = z.infer<typeof ScheduleCreate>

export const ScheduleUpdate = z
  .strictObject(inputFields)
  .partial()
  .meta({ id: 'MaintenanceScheduleUpdate', examples: [{ cron: '30 3 * * SAT,SUN', is_active: true }] })
export type ScheduleUpdate = z.infer<typeof ScheduleUpdate>
