import * as z from 'zod'
import { FlowProblem, wrongStructureMessage } from '#functions/flows/trees/schemas.ts'
import { Text, Time } from '#http/fields.ts'
import { matchesTreeType, TreeStructure, TreeType } from '#rules/flows/structure.ts'

export const AiQuota = z
  .strictObject({
    used: z.int().describe('AI builds of the account in this month.').meta({ example: 12 }),
    limit: z
      .int()
      .nullable()
      .describe('Allowed AI builds per month; null without a limit, as for super admins.')
      .meta({ example: 100 }),
    resets_at: Time.describe(
      'When the next month of the quota starts, counted from the billing cycle anchor.',
    ),
  })
  .meta({ id: 'AIQuota' })
export type AiQuota = z.infer<typeof AiQuota>

export const SuggestionRequest = z
  .strictObject({
    tree_structure: TreeStructure,
    tree_type: TreeType,
    instruction: Text.describe('The requested change, in words.').meta({
      example: 'Rename the root to “Reseat the network cable”',
    }),
    node_id: z.string().trim().min(1).max(100).optional().describe('Id of the node or step to change.'),
  })
  .superRefine(({ tree_type, tree_structure }, ctx) => {
    if (!matchesTreeType(tree_type, tree_structure))
      ctx.addIssue({ code: 'custom', path: ['tree_structure'], message: wrongStructureMessage(tree_type) })
  })
  .meta({ id: 'AISuggest' })
export type SuggestionRequest = z.infer<typeof SuggestionRequest>

const PatchOperation = z
  .strictObject({
    op: z
      .enum(['add', 'remove', 'replace'])
      .meta({ id: 'PatchOperationName' })
      .describe('The kind of operation.'),
    path: z
      .string()
      .describe('The place to change, as a JSON pointer from the root of the structure.')
      .meta({ example: '/title' }),
    value: z
      .unknown()
      .optional()
      .describe('The new value of an add or replace.')
      .meta({ example: 'Reseat the network cable' }),
  })
  .meta({ id: 'FlowPatchOperation' })

export const Suggestion = z
  .strictObject({
    patch: z
      .array(PatchOperation)
      .describe('The edit as JSON Patch (RFC 6902); empty when no change is needed.'),
    explanation: z
      .string()
      .describe('What the edit changes, and why.')
      .meta({ example: 'The root is renamed.' }),
    result: TreeStructure,
    problems: z.array(FlowProblem).describe('Problems that prevent publishing the result.'),
  })
  .meta({ id: 'AISuggestion' })
export type Suggestion = z.infer<typeof Suggestion>
