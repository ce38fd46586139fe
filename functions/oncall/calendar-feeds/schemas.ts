import * as z from 'zod'
import { Id, idParams, Secret, Time } from '#http/fields.ts'

export const CalendarFeedId = idParams('feed_id', 'calendar feed')

export const CalendarFile = z.object({
  file: Secret.min(1).max(100).describe('The token of the address, with `.ics` behind it.'),
})

const feed = {
  id: Id,
  user_id: Id.describe('The user whose address it is.'),
  user_name: z.string().describe('Their full name.').meta({ example: 'Dana Reyes' }),
  schedule_id: Id.nullable().describe(
    'The on-call schedule; null for the shifts of the user by every schedule.',
  ),
  schedule_name: z
    .string()
    .nullable()
    .describe('The name of the schedule.')
    .meta({ example: 'Network, nights and weekends' }),
  last_read_at: Time.nullable().describe('When a calendar last fetched it, to the hour; null for never.'),
  created_at: Time,
}
export const CalendarFeed = z.strictObject(feed).meta({ id: 'CalendarFeed' })
export type CalendarFeed = z.infer<typeof CalendarFeed>

export const CalendarFeedWithAddress = z
  .strictObject({
    ...feed,
    url: Secret.describe('The address to enter in a calendar. It is returned only once.').meta({
      example: 'https://api.example.com/api/v1/calendars/Zk3nPq8vT1xYw5LrB7cDf9GhJ2kMnQ4sUvXyZaBcDeF.ics',
    }),
  })
  .meta({ id: 'CalendarFeedWithAddress' })
export type CalendarFeedWithAddress = z.infer<typeof CalendarFeedWithAddress>

export const CalendarFeedCreate = z
  .strictObject({
    schedule_id: Id.nullable()
      .default(null)
      .describe(
        'An on-call schedule, with the names of everybody on call; null for my shifts by every schedule.',
      ),
  })
  .meta({ id: 'CalendarFeedCreate' })
export type CalendarFeedCreate = z.infer<typeof CalendarFeedCreate>
