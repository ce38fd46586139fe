import * as z from 'zod'
import { TreeId } from '#functions/flows/trees/schemas.ts'
import { Id, Time } from '#http/fields.ts'
import { findingReasons } from '#rules/flows/health/finding.ts'
import { Uuid } from '#rules/uuid.ts'

const FindingPatchOperation = z
  .strictObject({
    op: z
      .enum(['add', 'remove', 'replace', 'move'])
      .meta({ id: 'FindingPatchName', example: 'remove' })
      .describe('The kind of operation.'),
    path: z
      .string()
      .describe('The place to change, as a JSON pointer from the flow.')
      .meta({ example: '/tree_structure/steps/3' }),
    from: z
      .string()
      .optional()
      .describe('The place that a move takes its value from.')
      .meta({ example: '/tree_structure/steps/1' }),
    value: z.unknown().optional().describe('The new value of an add or replace.').meta({ example: 'queue' }),
  })
  .meta({ id: 'FindingPatchOperation', example: { op: 'remove', path: '/tree_structure/steps/3' } })

export const FlowFinding = z
  .strictObject({
    id: Uuid.describe('Stays the same until the step changes.'),
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
    patch: z
      .array(FindingPatchOperation)
      .nullable()
      .describe(
        'An edit that settles it, as JSON Patch (RFC 6902) of the flow: apply it to what its GET answers, and PUT the changed `tree_structure` or `intake_form`. Null if only a person can settle it.',
      ),
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
    findings: z
      .array(FlowFinding)
      .describe('The most urgent first; of those that count sessions at steps, the three with the most.'),
    dismissed_findings: z.array(FlowFinding).describe('Those that somebody said are not for this flow.'),
  })
  .meta({ id: 'FlowHealth' })
export type FlowHealth = z.infer<typeof FlowHealth>

export const FindingId = TreeId.extend({ finding_id: Uuid.describe('Id of the finding.') })
