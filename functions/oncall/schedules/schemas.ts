import * as z from 'zod'
import {
  ExpectedVersion,
  exampleIds,
  Id,
  InputTime,
  idParams,
  Name,
  Time,
  Timezone,
  Version,
} from '#http/fields.ts'
import { Rotations } from '#rules/oncall/schema.ts'
import { Uuid } from '#rules/uuid.ts'

export const ScheduleId = idParams('schedule_id', 'on-call schedule')
export const OverrideId = z.object({ ...ScheduleId.shape, override_id: Uuid.describe('Id of the override.') })

export const OnCallMemberId = idParams('user_id', 'member')

const TeamId = Id.nullable().describe('The team it belongs to; null for the whole account.')
const RotationList = Rotations.describe(
  'Who is on call in turn. Each rotation applies until the next one of its layer begins. A member who is deactivated or a viewer loses the turn to the next.',
)
const fields = {
  name: Name.describe('Name of the schedule.'),
  timezone: Timezone,
  team_id: TeamId,
  rotations: RotationList,
}

const exampleSchedule = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c3a10'
const example = {
  name: 'Network, nights and weekends',
  timezone: 'Europe/Berlin',
  team_id: exampleIds.team,
  rotations: [
    {
      kind: 'weekly' as const,
      members: [exampleIds.user],
      handoff_day: 'monday' as const,
      handoff_time: '09:00',
      starts_on: '2026-11-02',
    },
  ],
}

const Person = z.strictObject({ id: Id, name: z.string().describe('Full name.') }).describe('Who is on call.')
const examplePerson = { id: exampleIds.user, name: 'Dana Reyes' }

const scheduleFields = {
  id: Id,
  ...fields,
  name: z.string().describe('Name of the schedule.'),
  timezone: z.string().describe('IANA time zone.'),
  version: Version,
  created_by: Id.describe('The user who created it.'),
  created_at: Time,
  updated_at: Time.describe('When it was last saved.'),
}
const storedExample = {
  id: exampleSchedule,
  ...example,
  version: 1,
  created_by: exampleIds.user,
  created_at: '2026-11-01T08:12:00.000Z',
  updated_at: '2026-11-01T08:12:00.000Z',
}

export const OnCallSchedule = z
  .strictObject(scheduleFields)
  .meta({ id: 'OnCallScheduleResponse', examples: [storedExample] })
export type OnCallSchedule = z.infer<typeof OnCallSchedule>

export const UpdatedSchedule = z
  .strictObject({
    ...scheduleFields,
    on_call_before: Person.nullable().describe('Who was on call just before the change; null for nobody.'),
    on_call_after: Person.nullable().describe(
      'Who is on call now. Another user than before was put on call by the change.',
    ),
  })
  .meta({
    id: 'OnCallScheduleUpdated',
    examples: [{ ...storedExample, on_call_before: examplePerson, on_call_after: examplePerson }],
  })
export type UpdatedSchedule = z.infer<typeof UpdatedSchedule>

export const ScheduleCreate = z
  .strictObject({ ...fields, team_id: TeamId.default(null), rotations: RotationList.default([]) })
  .meta({ id: 'OnCallScheduleCreate', examples: [example] })
export type ScheduleCreate = z.infer<typeof ScheduleCreate>

export const ScheduleUpdate = z
  .strictObject({ ...fields, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'OnCallScheduleUpdate', examples: [{ name: 'Network, nights', expected_version: 1 }] })
export type ScheduleUpdate = z.infer<typeof ScheduleUpdate>

export const OverrideCreate = z
  .strictObject({
    member_id: Id.describe('Id of the user who takes over: an engineer or admin.'),
    starts_at: InputTime.describe('When it begins.'),
    ends_at: InputTime.describe('When it ends: in the future, at most 31 days after `starts_at`.'),
  })
  .meta({
    id: 'OnCallOverrideCreate',
    examples: [
      { member_id: exampleIds.user, starts_at: '2026-12-24T08:00:00Z', ends_at: '2026-12-27T08:00:00Z' },
    ],
  })
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
  .meta({
    id: 'OnCallOverrideResponse',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c3a11',
        user: examplePerson,
        starts_at: '2026-12-24T08:00:00.000Z',
        ends_at: '2026-12-27T08:00:00.000Z',
        created_by: exampleIds.user,
        created_at: '2026-11-20T16:40:00.000Z',
      },
    ],
  })
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
  .meta({
    id: 'OnCallShift',
    examples: [
      {
        user: examplePerson,
        starts_at: '2026-11-23T08:00:00.000Z',
        ends_at: '2026-11-30T08:00:00.000Z',
        override_id: null,
      },
    ],
  })
export type Shift = z.infer<typeof Shift>

export const OnCallQuery = z.strictObject({
  team_id: Uuid.optional().describe('Only the schedules of this team.'),
})

export const OnCall = z
  .strictObject({
    schedule_id: Id.describe('Id of the schedule.'),
    schedule_name: z.string().describe('Its name.'),
    team_id: TeamId,
    user: Person.nullable().describe('The user on call; null for none.'),
    until: Time.nullable().describe('When the shift ends; null without a user on call.'),
    override_id: OverrideIdOrNull,
  })
  .meta({
    id: 'OnCallNow',
    examples: [
      {
        schedule_id: exampleSchedule,
        schedule_name: example.name,
        team_id: exampleIds.team,
        user: examplePerson,
        until: '2026-11-30T08:00:00.000Z',
        override_id: null,
      },
    ],
  })
export type OnCall = z.infer<typeof OnCall>

const Named = z.strictObject({ id: Id, name: z.string().describe('Its name.') })
export const OnCallDuties = z
  .strictObject({
    schedules: z
      .array(Named)
      .describe('Schedules with the member in a rotation, or in an override that has not ended.'),
    policies: z.array(Named).describe('Escalation policies with a step that notifies the member.'),
  })
  .meta({
    id: 'OnCallDuties',
    examples: [{ schedules: [{ id: exampleSchedule, name: example.name }], policies: [] }],
  })
export type OnCallDuties = z.infer<typeof OnCallDuties>
