import { z } from 'zod'
import { exampleIds, Id } from '../../lib/http/fields.ts'
import { exampleTree, TreeId } from '../flows/trees/schemas.ts'

export const FlowId = TreeId
export const Period = z.enum(['7d', '30d', '90d']).describe('Days, today the last of them, in my time zone.')
export const PeriodQuery = z.strictObject({ period: Period.default('7d').describe('Days, today the last of them, in my time zone.') })
export type Period = z.infer<typeof Period>

const Rate = z.number().min(0).max(1).nullable()
const Minutes = z.number().nullable()

const figures = {
  period: Period,
  sessions_started: z.int().describe('Sessions that began in the period.'),
  sessions_completed: z.int().describe('Sessions that were completed in it, whenever they began.'),
  resolution_rate: Rate.describe('Which part of the completed ones was resolved; null without any.'),
  median_minutes: Minutes.describe('From start to completion, of those completed; null without any.'),
  csat_average: z.number().min(1).max(5).nullable().describe('Average score of the ratings given in the period; null without any.'),
  csat_count: z.int().describe('How many ratings were given.'),
  by_day: z
    .array(
      z.strictObject({
        date: z.iso.date().describe('The day.'),
        started: z.int().describe('Sessions that began that day.'),
        completed: z.int().describe('Sessions that were completed that day.'),
      }),
    )
    .describe('Every day of the period, also those without sessions.'),
  top_flows: z
    .array(
      z.strictObject({
        tree_id: Id.describe('The flow.'),
        name: z.string().describe('Its name when it was last run.'),
        sessions: z.int().describe('Sessions that began with it.'),
      }),
    )
    .describe('The ten flows that most sessions began with.'),
}
const exampleFigures = {
  period: '7d' as const,
  sessions_started: 41,
  sessions_completed: 38,
  resolution_rate: 0.87,
  median_minutes: 12.5,
  csat_average: 4.4,
  csat_count: 17,
  by_day: [{ date: '2026-11-21', started: 6, completed: 5 }],
  top_flows: [{ tree_id: exampleTree.id, name: exampleTree.name, sessions: 12 }],
}

export const MyFigures = z.strictObject(figures).meta({ id: 'MyAnalyticsResponse', examples: [exampleFigures] })
export type MyFigures = z.infer<typeof MyFigures>

export const TeamFigures = z
  .strictObject({
    ...figures,
    by_user: z
      .array(
        z.strictObject({
          user_id: Id.describe('Whose sessions.'),
          name: z.string().describe('Their name.'),
          sessions: z.int().describe('Sessions that began in the period.'),
          resolution_rate: Rate.describe('Which part of those they completed in it was resolved.'),
          median_minutes: Minutes.describe('From start to completion, of those.'),
        }),
      )
      .describe('Everybody with a session in the period, the busiest first.'),
  })
  .meta({
    id: 'TeamAnalyticsResponse',
    examples: [
      {
        ...exampleFigures,
        by_user: [{ user_id: exampleIds.user, name: 'Dana Reyes', sessions: 9, resolution_rate: 0.9, median_minutes: 11 }],
      },
    ],
  })
export type TeamFigures = z.infer<typeof TeamFigures>

const flow = {
  tree_id: Id.describe('The flow.'),
  name: z.string().describe('Its name when it was last run.'),
  sessions: z.int().describe('Sessions that began with it in the period.'),
  completion_rate: Rate.describe('Which part of them is completed by now.'),
  median_minutes: Minutes.describe('From start to completion, of those; null without any.'),
  thumbs_up: z.int().describe('Steps of theirs that were found helpful.'),
  thumbs_down: z.int().describe('Steps of theirs that were not.'),
}
const exampleFlow = {
  tree_id: exampleTree.id,
  name: exampleTree.name,
  sessions: 12,
  completion_rate: 0.75,
  median_minutes: 9.5,
  thumbs_up: 8,
  thumbs_down: 1,
}
export const FlowFigures = z.strictObject(flow).meta({ id: 'FlowAnalytics', examples: [exampleFlow] })
export type FlowFigures = z.infer<typeof FlowFigures>

export const StepFigures = z
  .strictObject({
    step_id: z.string().describe('The node or step.'),
    title: z.string().describe('Its title in the flow as it is now; its id when it is there no more.'),
    visits: z.int().describe('Sessions that came to it.'),
    drop_offs: z.int().describe('Sessions that ended while it was not answered.'),
    median_seconds: z.number().nullable().describe('Time until it was answered; null when it never was.'),
    thumbs_up: z.int().describe('How often it was found helpful.'),
    thumbs_down: z.int().describe('How often it was not.'),
  })
  .meta({
    id: 'StepAnalytics',
    examples: [
      { step_id: 'ping', title: 'Does it answer a ping?', visits: 12, drop_offs: 1, median_seconds: 40, thumbs_up: 5, thumbs_down: 0 },
    ],
  })
export type StepFigures = z.infer<typeof StepFigures>

export const OneFlowFigures = z
  .strictObject({ ...flow, steps: z.array(StepFigures).describe('In the flow’s order; steps that are gone come last.') })
  .meta({
    id: 'OneFlowAnalytics',
    examples: [
      {
        ...exampleFlow,
        steps: [
          { step_id: 'ping', title: 'Does it answer a ping?', visits: 12, drop_offs: 1, median_seconds: 40, thumbs_up: 5, thumbs_down: 0 },
        ],
      },
    ],
  })

const Seconds = z.number().min(0).nullable()

export const EscalationFigures = z
  .strictObject({
    period: Period,
    avg_seconds: Seconds.describe('Average; null when there is nothing to measure.'),
    median_seconds: Seconds.describe('Median; null when there is nothing to measure.'),
    p95_seconds: Seconds.describe('What 95 of 100 stay within; null when there is nothing to measure.'),
    n_handoffs_claimed: z.int().describe('Escalated handoffs that were claimed in the period.'),
    n_handoffs_with_action: z.int().describe('Those of them whose claimant has done something since.'),
    metric_definition: z.string().describe('What is measured, in a sentence.'),
  })
  .meta({
    id: 'EscalationAnalyticsResponse',
    examples: [
      {
        period: '7d',
        avg_seconds: 184.2,
        median_seconds: 95,
        p95_seconds: 610,
        n_handoffs_claimed: 12,
        n_handoffs_with_action: 11,
        metric_definition: 'Seconds from the claim of an escalated handoff to the first thing its claimant did in the session.',
      },
    ],
  })
export type EscalationFigures = z.infer<typeof EscalationFigures>
