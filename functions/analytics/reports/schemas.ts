import * as z from 'zod'
import { Id, Time } from '#http/fields.ts'
import { Weekday } from '#rules/oncall/schema.ts'
import { parseWeek } from '#rules/reports/week.ts'
import { reportWaits } from '#rules/reports/weekly.ts'
import { Uuid } from '#rules/uuid.ts'

export const ReportTeamId = z.object({ team_id: Uuid.describe('Id of the team.') })

export const WeeklyReportQuery = z.strictObject({
  team_id: Uuid.describe('The team.'),
  week: z
    .string()
    .refine((week) => parseWeek(week) !== undefined, 'must be a week of ISO 8601, such as 2026-W47')
    .optional()
    .describe(
      'A week of ISO 8601, such as `2026-W47`. By default the last week that has ended in the time zone of the team.',
    ),
  format: z
    .enum(['json', 'html', 'pdf', 'csv'])
    .meta({ id: 'WeeklyReportFormat' })
    .default('json')
    .describe('The format of the report.'),
})
export type WeeklyReportQuery = z.infer<typeof WeeklyReportQuery>

const Count = z.int().min(0)
const Seconds = z.number().min(0).nullable()
const Hour = z.int().min(0).max(23).describe('The local hour of the day.')

const FlowResult = z
  .strictObject({
    tree_id: Id.describe('The flow.'),
    name: z.string().describe('The name of the flow when it was last used.'),
    completed: Count.describe('Its sessions that were completed in the week.').meta({ example: 12 }),
    resolved: Count.describe('Those of them that were resolved.').meta({ example: 11 }),
  })
  .meta({ id: 'WeeklyFlowResult' })

export const WeeklyReport = z
  .strictObject({
    summary: z
      .array(z.string())
      .describe('The report in sentences, also of a week in which nothing happened.')
      .meta({
        example: [
          '53 sessions were started, 4 more than the week before.',
          'At the end of the week no case was open.',
        ],
      }),
    team: z
      .strictObject({
        id: Id,
        name: z.string().describe('The name of the team.').meta({ example: 'Field service' }),
      })
      .describe('The team.'),
    week: z.string().describe('The week of ISO 8601.').meta({ example: '2026-W47' }),
    timezone: z.string().describe('The time zone of the team, or else of the account.'),
    starts_on: z.iso.date().describe('The Monday.'),
    ends_on: z.iso.date().describe('The Sunday.'),
    sessions: z
      .strictObject({
        started: Count.describe('Sessions that were started in the week.').meta({ example: 41 }),
        completed: Count.describe('Sessions that were completed in the week.').meta({ example: 38 }),
        resolved: Count.describe('Those with the outcome `resolved`.').meta({ example: 33 }),
        escalated: Count.describe('Those with the outcome `escalated`.').meta({ example: 2 }),
      })
      .describe('Sessions of flows.'),
    ai_sessions: z
      .strictObject({
        started: Count.describe('AI sessions that were started in the week.').meta({ example: 12 }),
        resolved: Count.describe('AI sessions that were resolved in the week.').meta({ example: 9 }),
        escalated: Count.describe('Escalations of AI sessions in the week.').meta({ example: 3 }),
      })
      .describe('AI sessions.'),
    time_to_claim: z
      .strictObject({
        claimed: Count.describe('Escalations of the week that were claimed.').meta({ example: 3 }),
        unclaimed: Count.describe('Escalations of the week that nobody has claimed.').meta({ example: 0 }),
        median_seconds: Seconds.describe(
          'Median time from the escalation to its claim; null without any.',
        ).meta({ example: 240 }),
        p90_seconds: Seconds.describe('90th percentile; null without any.').meta({ example: 900 }),
      })
      .describe('How long escalations waited.'),
    helpful_flows: z
      .array(FlowResult)
      .describe(
        'Up to 5 flows with at least 3 completed sessions, of which 70 % or more were resolved. The most resolved first.',
      ),
    unhelpful_flows: z
      .array(FlowResult)
      .describe(
        'Up to 5 flows with at least 3 completed sessions, of which less than half were resolved. The fewest resolved first.',
      ),
    by_day: z
      .array(
        z.strictObject({
          date: z.iso.date().describe('The day.'),
          day: Weekday,
          started: Count.describe('Sessions that were started that day.').meta({ example: 9 }),
          resolved: Count.describe('Sessions that were resolved that day.').meta({ example: 7 }),
        }),
      )
      .describe('The seven days, sessions of flows and AI sessions together.'),
    by_hour: z
      .array(
        z.strictObject({
          hour: Hour.meta({ example: 9 }),
          started: Count.describe('Sessions that were started in that hour of any day.').meta({ example: 8 }),
        }),
      )
      .describe('The 24 hours of the day.'),
    busiest_hours: z
      .array(
        z.strictObject({
          day: Weekday,
          hour: Hour.meta({ example: 9 }),
          started: Count.describe('Sessions that were started in that hour.').meta({ example: 4 }),
        }),
      )
      .describe('Up to 3 hours of the week, the busiest first.'),
    previous: z
      .strictObject({
        started: Count.describe('Sessions that were started.').meta({ example: 49 }),
        resolved: Count.describe('Sessions that were resolved.').meta({ example: 40 }),
        escalated: Count.describe('Sessions that were escalated.').meta({ example: 6 }),
        median_seconds: Seconds.describe(
          'Median time from an escalation to its claim; null without any.',
        ).meta({ example: 300 }),
      })
      .describe('The week before, sessions of flows and AI sessions together.'),
    open: z
      .strictObject({
        sessions: Count.describe('Sessions of flows.').meta({ example: 0 }),
        ai_sessions: Count.describe('AI sessions.').meta({ example: 0 }),
      })
      .describe('What was open at the end of the week, of those that were started within 90 days.'),
    waiting: z
      .array(
        z.strictObject({
          waits_for: z
            .enum(reportWaits)
            .meta({ id: 'WeeklyReportWait' })
            .describe(
              '`colleague`: an escalation for its claim. `claimant`: for the pick-up. `approver`: a request for its decision.',
            ),
          count: Count.min(1).describe('How many waited.'),
          longest_seconds: z.number().min(0).describe('For how long the oldest had waited.'),
        }),
      )
      .describe('What waited for whom at the end of the week.'),
    slow_flows: z
      .array(
        z.strictObject({
          tree_id: Id.describe('The flow.'),
          name: z.string().describe('The name of the flow when it was last used.'),
          completed: Count.describe('Its sessions that were completed in the week.').meta({ example: 12 }),
          median_seconds: z
            .number()
            .min(0)
            .describe('Median time from their start to their completion.')
            .meta({ example: 1260 }),
        }),
      )
      .describe('Up to 5 flows with at least 3 completed sessions, the slowest first.'),
    unfinished_flows: z
      .array(
        z.strictObject({
          tree_id: Id.describe('The flow.'),
          name: z.string().describe('The name of the flow when it was last used.'),
          started: Count.describe('Its sessions that were started in the week.'),
        }),
      )
      .describe('Up to 5 flows with at least 3 sessions that were started and none that was completed.'),
    overdue_reviews: z
      .strictObject({
        count: Count.describe('How many.').meta({ example: 2 }),
        flows: z
          .array(
            z.strictObject({
              tree_id: Id.describe('The flow.'),
              name: z.string().describe('Its name.'),
              due_on: z.iso
                .date()
                .describe('The day from which its review is overdue.')
                .meta({ example: '2026-11-02' }),
            }),
          )
          .describe('The three that are overdue longest.'),
      })
      .describe(
        'Flows of the team and of no team whose review was overdue at the end of the week, and still is.',
      ),
  })
  .meta({ id: 'WeeklyReport' })

export const ReportSubscription = z
  .strictObject({
    team_id: Id.describe('The team.'),
    team_name: z.string().describe('Its name.'),
    created_at: Time.describe('When I subscribed.'),
  })
  .meta({ id: 'ReportSubscription' })
export type ReportSubscription = z.infer<typeof ReportSubscription>
