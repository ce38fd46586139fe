import * as z from 'zod'
import { Id, Text } from '#http/fields.ts'
import { DiagramEdges, DiagramNodes } from '#rules/diagrams/schema.ts'

export const DiagramGenerate = z
  .strictObject({
    description: Text.describe('Description of the network: its devices and their connections.').meta({
      example: 'A firewall FW-HQ is connected to the core switch SW-CORE; 3 access points hang on it.',
    }),
    mode: z
      .enum(['replace', 'merge'])
      .meta({ id: 'DiagramGenerateMode' })
      .describe('`replace`: a new drawing. `merge`: additions to the diagram `diagram_id`.'),
    diagram_id: Id.optional().describe(
      'The diagram to add to, for mode `merge`. In both modes an unknown one is 404.',
    ),
  })
  .superRefine(({ mode, diagram_id }, ctx) => {
    if (mode === 'merge' && !diagram_id)
      ctx.addIssue({ code: 'custom', path: ['diagram_id'], message: 'is required for mode merge' })
  })
  .meta({ id: 'NetworkDiagramGenerate' })
export type DiagramGenerate = z.infer<typeof DiagramGenerate>

export const DiagramDraft = z
  .strictObject({
    nodes: DiagramNodes,
    edges: DiagramEdges,
    notes: z.string().describe('What the model found unclear or omitted.').meta({ example: '' }),
  })
  .meta({ id: 'NetworkDiagramDraft' })
export type DiagramDraft = z.infer<typeof DiagramDraft>
