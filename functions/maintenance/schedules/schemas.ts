import { z } from 'zod'
import { exampleIds, Id, idParams, Name, Time, Timezone } from '../../../lib/http/fields.ts'
import { BadCron, parseCron } from '../../../lib/schedules/cron.ts'
import { exampleItem } from '../../sessions/sessions/schemas.ts'

export const ScheduleId = idParams('schedule_id', 'maintenance schedule')

const CronText = z
  .string()
  .trim()
  .max(200)
  .transform((text, ctx) => {
    try {
      parseCron(text)
    } catch (error) {
      if (!(error instanceof BadCron)) throw error
      ctx.addIssue({ code: 'custom', message: error.message })
    }
    return text.split(/[ \t]+/).join(' ')
  })

/** Of a run: when it was due, and how it began. */
export const Trigger = z.enum(['scheduled', 'manual'])
export const RunStatus = z.enum(['created', 'failed', 'missed'])
export const runFields = {
  id: Id,
  due_at: Time.describe('When it was due; of a manual one, when somebody asked for it.'),
  trigger: Trigger.describe('Whether the schedule or a person began it.'),
  status: RunStatus.describe('`created` its sessions, `failed` to, or was `missed`: nobody tried in time, and a later one was made up.'),
  error: z.string().nullable().describe('Why there are no sessions.'),
  session_count: z.int().describe('Sessions it created.'),
  started_at: Time.nullable().describe('When it was tried; null for a missed one.'),
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

const timing = {
  cron: z.string().describe('Five fields: minute, hour, day of the month, month, day of the week.'),
  timezone: z.string().describe('IANA time zone of these fields.'),
}
const shown = {
  id: Id,
  account_id: Id.describe('The account it belongs to.'),
  team_id: Id.describe('The team it belongs to.'),
  tree_id: Id.describe('The maintenance flow that is run.'),
  tree_name: z.string().nullable().describe('What the flow is called.'),
  name: z.string().describe('What it is called.'),
  ...timing,
  target_list_id: Id.describe('What the flow is run on.'),
  is_active: z.boolean().describe('Whether it runs; false while it is paused.'),
  next_run_at: Time.nullable().describe('When it is due next; a time that has passed is being made up. Null while it is paused.'),
  last_run: z.strictObject(runFields).nullable().describe('The run that was due last; null before the first.'),
  created_by: Id.describe('Who made it, its owner: the sessions of its runs are theirs.'),
  created_at: Time,
  updated_at: Time.describe('When it was last changed by somebody.'),
}
export const exampleScheduleId = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1f51'
const given = {
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
  ...given,
  tree_name: 'Patch a server',
  is_active: true,
  next_run_at: '2026-11-22T01:00:00.000Z',
  last_run: exampleRun,
  created_by: exampleIds.user,
  created_at: '2026-11-02T08:12:00.000Z',
  updated_at: '2026-11-02T08:12:00.000Z',
}

export const Schedule = z.strictObject(shown).meta({ id: 'MaintenanceSchedule', examples: [example] })
export type Schedule = z.infer<typeof Schedule>

export const ScheduleDetail = z
  .strictObject({ ...shown, next_runs: z.array(Time).describe('When it is due the next five times; none while it is paused.') })
  .meta({
    id: 'MaintenanceScheduleDetail',
    examples: [{ ...example, next_runs: [22, 29].map((day) => `2026-11-${day}T01:00:00.000Z`) }],
  })

const cron = CronText.describe(
  'Five fields, at least 5 minutes apart: minute, hour, day of the month, month, day of the week, with `*`, lists, ranges, steps and English names. A local time that the clock skips runs when the gap ends; one that comes twice runs the first time alone.',
)
const fields = {
  name: Name.describe('What it is called.'),
  cron,
  timezone: Timezone.describe('IANA time zone of the cron fields.'),
  target_list_id: Id.describe('A target list that I see.'),
  is_active: z.boolean().describe('Whether it runs.'),
}
export const ScheduleCreate = z
  .strictObject({
    tree_id: Id.describe('A published maintenance flow of my team.'),
    ...fields,
    is_active: fields.is_active.default(true).describe('Whether it runs; true when not said.'),
  })
  .meta({ id: 'MaintenanceScheduleCreate', examples: [given] })
export type ScheduleCreate = z.infer<typeof ScheduleCreate>

export const ScheduleUpdate = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'MaintenanceScheduleUpdate', examples: [{ cron: '30 3 * * SAT,SUN', is_active: true }] })
export type ScheduleUpdate = z.infer<typeof ScheduleUpdate>
