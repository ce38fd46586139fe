import * as z from 'zod'
import { Id, InputTime, idParams, Text, Time } from '#http/fields.ts'
import { substituteStates } from '#rules/oncall/substitutes.ts'
import { refuseRepeats } from '#rules/text/duplicates.ts'
import { Uuid } from '#rules/uuid.ts'

export const ScheduleId = idParams('schedule_id', 'on-call schedule')
export const RequestId = ScheduleId.extend(idParams('request_id', 'request').shape)

const Person = z.strictObject({
  id: Id,
  name: z.string().describe('Full name.').meta({ example: 'Dana Reyes' }),
})

export const SubstituteRequest = z
  .strictObject({
    id: Id,
    schedule_id: Id.describe('Id of the on-call schedule.'),
    user: Person.describe('Whose shift it is.'),
    starts_at: Time,
    ends_at: Time,
    note: z.string().nullable().describe('What the asked should know.').meta({ example: 'A school play.' }),
    asked: z
      .array(Person.extend({ has_declined: z.boolean().describe('Whether they have declined.') }))
      .describe('Who was asked.'),
    state: z
      .enum(substituteStates)
      .meta({ id: 'OnCallSubstituteState' })
      .describe('`declined`: by everybody. `expired`: nobody had accepted when the time began.'),
    accepted_by: Person.nullable().describe('Who is on call instead; null while nobody has accepted.'),
    override_id: Id.nullable().describe('The override that puts them on call.'),
    may_accept: z.boolean().describe('Whether I may accept it now.'),
    created_by: Id.describe('The user who created it.'),
    created_at: Time,
  })
  .meta({ id: 'OnCallSubstituteResponse' })
export type SubstituteRequest = z.infer<typeof SubstituteRequest>

export const SubstituteCreate = z
  .strictObject({
    starts_at: InputTime.describe('When a substitute is needed: in the future.'),
    ends_at: InputTime.describe('When the user is back: at most 31 days after `starts_at`.'),
    member_id: Id.optional().describe('Whose shift it is; yours by default. Admins name anyone.'),
    note: Text.max(500)
      .optional()
      .describe('What the asked should know.')
      .meta({ example: 'A school play.' }),
    asked_user_ids: z
      .array(Uuid)
      .min(1)
      .max(50)
      .superRefine(refuseRepeats())
      .optional()
      .describe('Who is asked. By default the others of the schedule and its team, at most 50.'),
  })
  .meta({ id: 'OnCallSubstituteCreate' })
export type SubstituteCreate = z.infer<typeof SubstituteCreate>
