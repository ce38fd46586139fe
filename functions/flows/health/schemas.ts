import * as z from 'zod'
import { Id, Time } from '#http/fields.ts'
import { findingReasons } from '#rules/flows/health/findings.ts'

export const FlowFinding = z
  .strictObject({
    reason: z
      .enum(findingReasons)
      .meta({ id: 'FlowFindingReason', example: 'dead_option' })
      .describe('What should be looked at.'),
    message: z
      .string()
      .describe('A sentence for the author.')
      .meta({ example: 'Nobody chose “The lamp is red” in 48 answers to “Which lamp is on?”' }),
    step_id: z.string().nullable().describe('The step; null if the whole flow is concerned.'),
    option_id: z.string().nullable().describe('The option of a `dead_option`.'),
    url: z.string().nullable().describe('The link of a `broken_link`.'),
    metrics: z
      .record(z.string(), z.number())
      .describe('The numbers behind the finding, such as `answers` and `skipped`.')
      .meta({ example: { answers: 48, chosen: 0 } }),
  })
  .meta({ id: 'FlowFinding' })

export const FlowHealth = z
  .strictObject({
    tree_id: Id.describe('The flow.'),
    name: z.string().describe('Its name.'),
    version: z.int().describe('Its current version.'),
    sessions: z
      .int()
      .describe('Sessions of the last 90 days with the steps and options of this version.')
      .meta({ example: 52 }),
    ended: z
      .int()
      .describe('Sessions of the last 90 days that were completed or abandoned, with any version.')
      .meta({ example: 50 }),
    resolved: z.int().describe('Those of them that were resolved.').meta({ example: 41 }),
    links_checked_at: Time.nullable().describe(
      'When the links were last checked; null if they were never checked, or there are none.',
    ),
    findings: z.array(FlowFinding).describe('The most urgent first.'),
  })
  .meta({ id: 'FlowHealth' })
export type FlowHealth = z.infer<typeof FlowHealth>
