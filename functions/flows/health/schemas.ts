import * as z from 'zod'
import { exampleTree } from '#functions/flows/trees/schemas.ts'
import { Id, Time } from '#http/fields.ts'
import { findingReasons } from '#rules/flows/health/findings.ts'

export const FlowFinding = z
  .strictObject({
    reason: z.enum(findingReasons).meta({ id: 'FlowFindingReason' }).describe('What should be looked at.'),
    message: z.string().describe('A sentence for the author.'),
    step_id: z.string().nullable().describe('The step; null if the whole flow is concerned.'),
    option_id: z.string().nullable().describe('The option of a `dead_option`.'),
    url: z.string().nullable().describe('The link of a `broken_link`.'),
    metrics: z
      .record(z.string(), z.number())
      .describe('The numbers behind the finding, such as `answers` and `skipped`.'),
  })
  .meta({
    id: 'FlowFinding',
    examples: [
      {
        reason: 'dead_option',
        message: 'Nobody chose “The lamp is red” in 48 answers to “Which lamp is on?”',
        step_id: 'lamp',
        option_id: 'red',
        url: null,
        metrics: { answers: 48, chosen: 0 },
      },
    ],
  })

export const FlowHealth = z
  .strictObject({
    tree_id: Id.describe('The flow.'),
    name: z.string().describe('Its name.'),
    version: z.int().describe('Its current version.'),
    sessions: z.int().describe('Sessions of the last 90 days with the steps and options of this version.'),
    ended: z
      .int()
      .describe('Sessions of the last 90 days that were completed or abandoned, with any version.'),
    resolved: z.int().describe('Those of them that were resolved.'),
    links_checked_at: Time.nullable().describe(
      'When the links were last checked; null if they were never checked, or there are none.',
    ),
    findings: z.array(FlowFinding).describe('The most urgent first.'),
  })
  .meta({
    id: 'FlowHealth',
    examples: [
      {
        tree_id: exampleTree.id,
        name: exampleTree.name,
        version: 3,
        sessions: 52,
        ended: 50,
        resolved: 41,
        links_checked_at: '2026-11-21T09:30:00.000Z',
        findings: [],
      },
    ],
  })
export type FlowHealth = z.infer<typeof FlowHealth>
