import * as z from 'zod'
import { refuseRepeats } from '#rules/text/duplicates.ts'
import { timeOfDayPattern } from '#rules/text/time-of-day.ts'
import { Uuid } from '#rules/uuid.ts'

// The schemas of a rotation of an on-call schedule.

export const weekdays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const
export const Weekday = z.enum(weekdays).meta({ id: 'Weekday' }).describe('Day of the week.')
export type Weekday = z.infer<typeof Weekday>

/** A local time without seconds, such as `09:00`. */
export const LocalTime = z.string().regex(timeOfDayPattern, 'must be a time from 00:00 to 23:59')

/** Weekly hours on duty. They end on the next day if `to` is not after `from`. */
const Hours = z
  .strictObject({
    days: z
      .array(Weekday)
      .min(1)
      .max(7)
      .superRefine(refuseRepeats())
      .describe('The days on which they begin.'),
    from: LocalTime.describe('When they begin.'),
    to: LocalTime.describe('When they end: on the next day if it is not after `from`.'),
  })
  .meta({ id: 'OnCallHours' })
export type Hours = z.infer<typeof Hours>

const rotationFields = {
  layer: z
    .int()
    .min(1)
    .max(4)
    .optional()
    .describe(
      'Rotations of different layers apply side by side; the highest with somebody on duty counts. 1 if absent.',
    ),
  hours: z
    .array(Hours)
    .min(1)
    .max(5)
    .optional()
    .describe(
      'The hours on duty, such as business hours, nights or weekends. Outside of them a lower layer applies. Always if absent.',
    ),
  hours_zone: z
    .enum(['schedule', 'member'])
    .meta({ id: 'OnCallHoursZone' })
    .optional()
    .describe(
      'Whose local times the hours are: `schedule` (if absent), or `member` for those of the member on call.',
    ),
  members: z
    .array(Uuid)
    .min(1)
    .max(50)
    .superRefine(refuseRepeats())
    .describe('Ids of the users, in the order of their turns.'),
  handoff_time: LocalTime.describe('When a turn ends and the next begins, in the time zone of the schedule.'),
  starts_on: z.iso
    .date()
    .refine((date) => date >= '2000-01-01' && date < '2100-01-01', 'must be between 2000 and 2099')
    .describe('The first day. The rotation begins on it at `handoff_time`.'),
}

export const Rotation = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('daily').describe('Each member is on call for a day.'),
      ...rotationFields,
    })
    .meta({ id: 'DailyRotation' }),
  z
    .strictObject({
      kind: z.literal('weekly').describe('Each member is on call for a week.'),
      ...rotationFields,
      handoff_day: Weekday.describe('The day on which a turn ends and the next begins.'),
    })
    .meta({ id: 'WeeklyRotation' }),
])
export type Rotation = z.infer<typeof Rotation>

export function getLayer({ layer = 1 }: Rotation): number {
  return layer
}

/** The rotations of a schedule. Each applies until the next one of its layer begins. */
export const Rotations = z
  .array(Rotation)
  .max(10)
  .refine(
    (rotations) =>
      rotations.every((rotation, n) =>
        rotations
          .slice(0, n)
          .every(
            (earlier) => getLayer(earlier) !== getLayer(rotation) || earlier.starts_on < rotation.starts_on,
          ),
      ),
    'must be sorted by `starts_on`, each of a layer with another day',
  )
