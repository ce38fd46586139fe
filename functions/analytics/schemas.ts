import * as z from 'zod'
import { TreeId } from '#functions/flows/trees/schemas.ts'
import { Id } from '#http/fields.ts'
import { Uuid } from '#rules/uuid.ts'

export const FlowId = TreeId
export const Period = z
  .enum(['7d', '30d', '90d'])
  .meta({ id: 'AnalyticsPeriod' })
  .describe('A number of days that ends today, in my time zone.')
export const PeriodQuery = z.strictObject({
  period: Period.default('7d').describe('A number of days that ends today, in my time zone.'),
})
export const TeamQuery = PeriodQuery.extend({
  team_id: Uuid.optional().describe('Count only the sessions of this team.'),
})
export type Period = z.infer<typeof Period>

const Rate = z.number().min(0).max(1).nullable()
const Minutes = z.number().nullable()

const metricFields = {
  period: Period,
  sessions_started: z.int().describe('Sessions that were started in the period.').meta({ example: 41 }),
  sessions_completed: z
    .int()
    .describe('Sessions that were completed in the period, whenever they were started.')
    .meta({ example: 38 }),
  resolution_rate: Rate.describe(
    'The share of the completed sessions that was resolved; null without any.',
  ).meta({ example: 0.87 }),
  median_minutes: Minutes.describe(
    'Median time from start to completion of the completed sessions; null without any.',
  ).meta({ example: 12.5 }),
  csat_average: z
    .number()
    .min(1)
    .max(5)
    .nullable()
    .describe('Average score of the ratings in the period; null without any.')
    .meta({ example: 4.4 }),
  csat_count: z.int().describe('Number of ratings in the period.').meta({ example: 17 }),
  by_day: z
    .array(
      z.strictObject({
        date: z.iso.date().describe('The day.'),
        started: z.int().describe('Sessions that were started that day.').meta({ example: 6 }),
        completed: z.int().describe('Sessions that were completed that day.').meta({ example: 5 }),
      }),
    )
    .describe('Every day of the period, including days without sessions.'),
  top_flows: z
    .array(
      z.strictObject({
        tree_id: Id.describe('The flow.'),
        name: z.string().describe('The name of the flow when it was last used.'),
        sessions: z.int().describe('Sessions that were started with it.').meta({ example: 12 }),
      }),
    )
    .describe('The ten most used flows.'),
}

export const MyMetrics = z.strictObject(metricFields).meta({ id: 'MyAnalyticsResponse' })
export type MyMetrics = z.infer<typeof MyMetrics>

export const TeamMetrics = z
  .strictObject({
    ...metricFields,
    by_user: z
      .array(
        z.strictObject({
          user_id: Id.describe('The user.'),
          name: z.string().describe('The name of the user.').meta({ example: 'Dana Reyes' }),
          sessions: z.int().describe('Sessions that the user started in the period.').meta({ example: 9 }),
          resolution_rate: Rate.describe(
            'The share of the sessions completed in the period that was resolved.',
          ).meta({ example: 0.9 }),
          median_minutes: Minutes.describe('Median time from start to completion of those sessions.').meta({
            example: 11,
          }),
        }),
      )
      .describe('Every user with a session in the period, most sessions first.'),
  })
  .meta({ id: 'TeamAnalyticsResponse' })
export type TeamMetrics = z.infer<typeof TeamMetrics>

const flowFields = {
  tree_id: Id.describe('The flow.'),
  name: z.string().describe('The name of the flow when it was last used.'),
  sessions: z.int().describe('Sessions that were started with the flow in the period.').meta({ example: 12 }),
  completion_rate: Rate.describe('The share of these sessions that is completed by now.').meta({
    example: 0.75,
  }),
  median_minutes: Minutes.describe(
    'Median time from start to completion of these sessions; null without any.',
  ).meta({ example: 9.5 }),
  thumbs_up: z.int().describe('Number of "helpful" votes on steps of these sessions.').meta({ example: 8 }),
  thumbs_down: z.int().describe('Number of "not helpful" votes on steps of these sessions.'),
}
export const FlowMetrics = z.strictObject(flowFields).meta({ id: 'FlowAnalytics' })
export type FlowMetrics = z.infer<typeof FlowMetrics>

export const StepMetrics = z
  .strictObject({
    step_id: z.string().describe('The id of the step.'),
    title: z
      .string()
      .describe('The current title of the step; its id if the flow no longer has it.')
      .meta({ example: 'Does it answer a ping?' }),
    visits: z.int().describe('Sessions that reached the step.').meta({ example: 12 }),
    drop_offs: z
      .int()
      .describe(
        'Sessions abandoned at this step, completed at it without being resolved, or left at it for a day.',
      ),
    median_seconds: z
      .number()
      .nullable()
      .describe('Median time until the step was answered; null if it never was.')
      .meta({ example: 40 }),
    thumbs_up: z.int().describe('Number of "helpful" votes.').meta({ example: 5 }),
    thumbs_down: z.int().describe('Number of "not helpful" votes.').meta({ example: 0 }),
  })
  .meta({ id: 'StepAnalytics' })
export type StepMetrics = z.infer<typeof StepMetrics>

export const OneFlowMetrics = z
  .strictObject({
    ...flowFields,
    steps: z.array(StepMetrics).describe('In the order of the flow. Steps that it no longer has come last.'),
  })
  .meta({ id: 'OneFlowAnalytics' })

const Seconds = z.number().min(0).nullable()

export const EscalationMetrics = z
  .strictObject({
    period: Period,
    avg_seconds: Seconds.describe(
      'Average from the claim to the first action; null if nothing can be measured.',
    ).meta({ example: 184.2 }),
    median_seconds: Seconds.describe(
      'Median from the claim to the first action; null if nothing can be measured.',
    ).meta({ example: 95 }),
    p95_seconds: Seconds.describe(
      '95th percentile from the claim to the first action; null if nothing can be measured.',
    ).meta({ example: 610 }),
    n_handoffs_claimed: z
      .int()
      .describe('Escalated handoffs that were claimed in the period.')
      .meta({ example: 12 }),
    n_handoffs_with_action: z
      .int()
      .describe('Of those, the handoffs on which the claimant has acted.')
      .meta({ example: 11 }),
    avg_claim_seconds: Seconds.describe(
      'Average from the escalation to its claim; null if none was claimed.',
    ).meta({ example: 240.5 }),
    median_claim_seconds: Seconds.describe(
      'Median from the escalation to its claim; null if none was claimed.',
    ).meta({ example: 130 }),
    p95_claim_seconds: Seconds.describe(
      '95th percentile from the escalation to its claim; null if none was claimed.',
    ).meta({ example: 900 }),
    metric_definition: z.string().describe('A description of what is measured.').meta({
      example:
        'Seconds from the claim of an escalated handoff to the first action of the claimant in the session.',
    }),
  })
  .meta({ id: 'EscalationAnalyticsResponse' })
export type EscalationMetrics = z.infer<typeof EscalationMetrics>
