import * as z from 'zod'
import { ExpectedVersion, Id, InputTime, idParams, Name, Time, Timezone, Version } from '#http/fields.ts'
import { Rotations } from '#rules/oncall/schema.ts'
import { Uuid } from '#rules/uuid.ts'

export const ScheduleId = idParams('schedule_id', 'on-call schedule')
export const OverrideId = z.object({ ...ScheduleId.shape, override_id: Uuid.describe('Id of the override.') })

export const OnCallMemberId = idParams('user_id', 'member')

const TeamId = Id.nullable().describe('The team it belongs to; null for the whole account.')
const RotationList = Rotations.describe(
  'Who is on call in turn. Each rotation applies until the next one of its layer begins. A member who is deactivated or a viewer loses the turn to the next.',
).meta({
  example: [
    {
      kind: 'weekly',
      members: ['01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d14'],
      handoff_day: 'monday',
      handoff_time: '09:00',
      starts_on: '2026-11-02',
    },
  ],
})
const fields = {
  name: Name.describe('Name of the schedule.').meta({ example: 'Network, nights and weekends' }),
  timezone: Timezone,
  team_id: TeamId,
  rotations: RotationList,
}

const Person = z
  .strictObject({ id: Id, name: z.string().describe('Full name.').meta({ example: 'Dana Reyes' }) })
  .describe('Who is on call.')

const scheduleFields = {
  id: Id,
  ...fields,
  name: z.string().describe('Name of the schedule.').meta({ example: 'Network, nights and weekends' }),
  timezone: z.string().describe('IANA time zone.'),
  version: Version,
  created_by: Id.describe('The user who created it.'),
  created_at: Time,
  updated_at: Time.describe('When it was last saved.'),
}

export const OnCallSchedule = z.strictObject(scheduleFields).meta({ id: 'OnCallScheduleResponse' })
export type OnCallSchedule = z.infer<typeof OnCallSchedule>

const hint = z
  .string()
  .nullable()
  .describe('Why an escalation reaches nobody by this schedule; null if it reaches somebody.')
  .meta({ example: null })

export const CreatedSchedule = z
  .strictObject({ ...scheduleFields, hint })
  .meta({ id: 'OnCallScheduleCreated' })
export type CreatedSchedule = z.infer<typeof CreatedSchedule>

export const UpdatedSchedule = z
  .strictObject({
    ...scheduleFields,
    hint,
    on_call_before: Person.nullable().describe('Who was on call just before the change; null for nobody.'),
    on_call_after: Person.nullable().describe(
      'Who is on call now. Another user than before was put on call by the change.',
    ),
  })
  .meta({ id: 'OnCallScheduleUpdated' })
export type UpdatedSchedule = z.infer<typeof UpdatedSchedule>

export const ScheduleCreate = z
  .strictObject({
    ...fields,
    team_id: TeamId.default(null),
    rotations: RotationList.default([]),
  })
  .meta({ id: 'OnCallScheduleCreate' })
export type ScheduleCreate = z.infer<typeof ScheduleCreate>

export const ScheduleUpdate = z
  .strictObject({ ...fields, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'OnCallScheduleUpdate' })
export type ScheduleUpdate = z.infer<typeof ScheduleUpdate>

export const OverrideCreate = z
  .strictObject({
    member_id: Id.describe('Id of the user who takes over: an engineer or admin.'),
    starts_at: InputTime.describe('When it begins.'),
    ends_at: InputTime.describe('When it ends: in the future, at most 31 days after `starts_at`.'),
  })
  .meta({ id: 'OnCallOverrideCreate' })
export type OverrideCreate = z.infer<typeof OverrideCreate>

export const Override = z
  .strictObject({
    id: Id,
    user: Person,
    starts_at: Time,
    ends_at: Time,
    created_by: Id.describe('The user who created it.'),
    created_at: Time,
  })
  .meta({ id: 'OnCallOverrideResponse' })
export type Override = z.infer<typeof Override>

export const ShiftQuery = z.strictObject({
  from: InputTime.describe('The start of the time.'),
  to: InputTime.describe('Its end, at most 92 days later.'),
})

const OverrideIdOrNull = Id.nullable().describe(
  'The override that puts this user on call; null for a turn of a rotation.',
)
export const Shift = z
  .strictObject({ user: Person, starts_at: Time, ends_at: Time, override_id: OverrideIdOrNull })
  .meta({ id: 'OnCallShift' })
export type Shift = z.infer<typeof Shift>

export const OnCallQuery = z.strictObject({
  team_id: Uuid.optional().describe('Only the schedules of this team.'),
})

export const OnCall = z
  .strictObject({
    schedule_id: Id.describe('Id of the schedule.'),
    schedule_name: z.string().describe('Its name.').meta({ example: 'Network, nights and weekends' }),
    team_id: TeamId,
    user: Person.nullable().describe('The user on call; null for none.'),
    until: Time.nullable().describe('When the shift ends; null without a user on call.'),
    override_id: OverrideIdOrNull,
  })
  .meta({ id: 'OnCallNow' })
export type OnCall = z.infer<typeof OnCall>

const Named = z.strictObject({
  id: Id,
  name: z.string().describe('Its name.').meta({ example: 'Network, nights and weekends' }),
})
export const OnCallDuties = z
  .strictObject({
    schedules: z
      .array(Named)
      .describe('Schedules with the member in a rotation, or in an override that has not ended.'),
    policies: z.array(Named).describe('Escalation policies with a step that notifies the member.'),
  })
  .meta({ id: 'OnCallDuties' })
export type OnCallDuties = z.infer<typeof OnCallDuties>
