import { z } from 'zod'
import { fitsType, TreeStructure, TreeType } from '../../../lib/flows/structure.ts'
import { Text, Time } from '../../../lib/http/fields.ts'
import { FlowProblem, wrongKind } from '../../flows/trees/schemas.ts'

export const AiQuota = z
  .strictObject({
    used: z.int().describe('AI builds of the account in this month.'),
    limit: z.int().nullable().describe('As many may be made; null without a limit, as for super admins.'),
    resets_at: Time.describe('When the next month begins, counted from the billing anchor.'),
  })
  .meta({ id: 'AIQuota', examples: [{ used: 12, limit: 100, resets_at: '2026-12-21T09:30:00.000Z' }] })
export type AiQuota = z.infer<typeof AiQuota>

const exampleFlow = { id: 'cable', type: 'solution' as const, title: 'Reseat the cable', description: '' }

export const Suggest = z
  .strictObject({
    tree_structure: TreeStructure,
    tree_type: TreeType,
    instruction: Text.describe('What is to be changed, in words.'),
    node_id: z.string().trim().min(1).max(100).optional().describe('The node or step that it is about.'),
  })
  .superRefine(({ tree_type, tree_structure }, ctx) => {
    if (!fitsType(tree_type, tree_structure)) ctx.addIssue({ code: 'custom', path: ['tree_structure'], message: wrongKind(tree_type) })
  })
  .meta({
    id: 'AISuggest',
    examples: [{ tree_type: 'troubleshooting', tree_structure: exampleFlow, instruction: 'Rename the root to “Reseat the network cable”' }],
  })
export type Suggest = z.infer<typeof Suggest>

const PatchOperation = z
  .strictObject({
    op: z.enum(['add', 'remove', 'replace', 'move']).describe('What is done.'),
    path: z.string().describe('Where, as a JSON pointer from the root of the structure.'),
    from: z.string().optional().describe('Of a move: from where.'),
    value: z.unknown().optional().describe('Of an add or replace: what is put there.'),
  })
  .meta({ id: 'FlowPatchOperation', examples: [{ op: 'replace', path: '/title', value: 'Reseat the network cable' }] })

export const Suggestion = z
  .strictObject({
    patch: z.array(PatchOperation).describe('The edit, as JSON Patch (RFC 6902); empty when nothing is to be done.'),
    explanation: z.string().describe('What is changed and why.'),
    result: TreeStructure,
    problems: z.array(FlowProblem).describe('What would stop the result from being published.'),
  })
  .meta({
    id: 'AISuggestion',
    examples: [
      {
        patch: [{ op: 'replace', path: '/title', value: 'Reseat the network cable' }],
        explanation: 'The root is renamed.',
        result: { ...exampleFlow, title: 'Reseat the network cable' },
        problems: [],
      },
    ],
  })
export type Suggestion = z.infer<typeof Suggestion>
