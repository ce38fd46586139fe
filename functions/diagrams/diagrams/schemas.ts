import * as z from 'zod'
import { ExpectedVersion, Id, idParams, Name, Time, Version } from '#http/fields.ts'
import { DiagramEdges, DiagramNodes, validateDiagram } from '#rules/diagrams/schema.ts'

export const DiagramId = idParams('diagram_id', 'diagram')

const diagramFields = {
  id: Id,
  account_id: Id.describe('The account it belongs to.'),
  team_id: Id.describe('The team it belongs to.'),
  name: z.string().describe('Name of the diagram.').meta({ example: 'Head office' }),
  description: z
    .string()
    .describe('Description of the network.')
    .meta({ example: 'Ground floor and server room.' }),
  client_name: z.string().nullable().describe('The client whose network it shows.'),
  asset_name: z.string().nullable().describe('The asset that it shows.'),
  is_archived: z
    .boolean()
    .describe('Whether the diagram is archived. The list omits archived diagrams by default.'),
  version: Version,
  created_by: Id.describe('The user who created it.'),
  created_at: Time,
  updated_at: Time.describe('When it was last saved.'),
}

export const Diagram = z
  .strictObject({ ...diagramFields, nodes: DiagramNodes, edges: DiagramEdges })
  .meta({ id: 'NetworkDiagramResponse' })
export type Diagram = z.infer<typeof Diagram>

export const DiagramItem = z
  .strictObject({
    ...diagramFields,
    node_count: z.int().describe('Number of nodes.').meta({ example: 2 }),
    edge_count: z.int().describe('Number of edges.'),
  })
  .meta({ id: 'NetworkDiagramListItem' })
export type DiagramItem = z.infer<typeof DiagramItem>

export const DiagramQuery = z.strictObject({
  search: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Words that must all occur in the name, description, client or asset.'),
  client: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Only diagrams of the client with this name, ignoring case.'),
  archived: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('`true` lists archived diagrams instead.'),
})
export type DiagramQuery = z.infer<typeof DiagramQuery>

export const DiagramClient = z
  .strictObject({
    client_name: z.string().describe('Name of the client.'),
    count: z.int().describe('Number of diagrams of the client that are not archived.').meta({ example: 3 }),
  })
  .meta({ id: 'DiagramClient' })
export type DiagramClient = z.infer<typeof DiagramClient>

const inputFields = {
  name: Name.describe('Name of the diagram.').meta({ example: 'Head office' }),
  description: z.string().max(20_000).describe('Description of the network.'),
  client_name: Name.nullable().describe('The client whose network it shows.'),
  asset_name: Name.nullable().describe('The asset that it shows.'),
  nodes: DiagramNodes,
  edges: DiagramEdges,
}
const DiagramInput = z.strictObject(inputFields).partial()
type DiagramInput = z.infer<typeof DiagramInput>

function checkNodesAndEdges({ nodes, edges }: DiagramInput, ctx: z.RefinementCtx): void {
  // An update may contain only one of the two. The service then validates it together with the stored value
  // of the other.
  if (!nodes || !edges) return
  for (const { path, message } of validateDiagram({ nodes, edges }))
    ctx.addIssue({ code: 'custom', path, message })
}

export const DiagramCreate = DiagramInput.required({ name: true })
  .extend({
    nodes: DiagramNodes.default([]),
    edges: DiagramEdges.default([]),
  })
  .superRefine(checkNodesAndEdges)
  .meta({ id: 'NetworkDiagramCreate' })
export type DiagramCreate = z.infer<typeof DiagramCreate>

export const DiagramUpdate = DiagramInput.extend({ expected_version: ExpectedVersion.optional() })
  .superRefine(checkNodesAndEdges)
  .meta({ id: 'NetworkDiagramUpdate' })
export type DiagramUpdate = z.infer<typeof DiagramUpdate>

export const DiagramArchive = z
  .strictObject({ archived: z.boolean().default(true).describe('`false` restores it.') })
  .prefault({})
  .meta({ id: 'NetworkDiagramArchive' })

export const exportFormat = 'network-diagram'
export const DiagramFile = z
  .strictObject({
    format: z.literal(exportFormat).describe('Type of the file.'),
    version: z.literal('1.0').describe('Version of the format.'),
    name: Name.describe('Name of the diagram.').meta({ example: 'Head office' }),
    description: z.string().max(20_000).default('').describe('Description of the network.'),
    client_name: Name.nullable().default(null).describe('The client whose network it shows.'),
    asset_name: Name.nullable().default(null).describe('The asset that it shows.'),
    nodes: DiagramNodes,
    edges: DiagramEdges,
  })
  .superRefine(checkNodesAndEdges)
  .meta({ id: 'NetworkDiagramFile' })
export type DiagramFile = z.infer<typeof DiagramFile>

const DrawioFile = z
  .strictObject({
    format: z.literal('drawio').describe('A draw.io file.'),
    content: z
      .string()
      .min(1)
      .max(4_000_000)
      .describe(
        'The text of the file, plain or compressed. It may be an SVG or HTML file that draw.io exported with a copy of the diagram.',
      )
      .meta({ example: '<mxGraphModel><root/></mxGraphModel>' }),
    page: z
      .union([z.int().min(1).max(100_000), Name])
      .default(1)
      .describe(
        'The page to import: its number, of which the first is 1, or its name. `skipped` names the others.',
      ),
    name: Name.optional()
      .describe('Name of the diagram; the name of the page by default.')
      .meta({ example: 'Head office' }),
    client_name: Name.nullable().default(null).describe('The client whose network it shows.'),
  })
  .meta({ id: 'DrawioFile' })
export type DrawioFile = z.infer<typeof DrawioFile>

const MermaidFile = z
  .strictObject({
    format: z.literal('mermaid').describe('A mermaid flowchart.'),
    content: z
      .string()
      .min(1)
      .max(1_000_000)
      .describe('The text of the flowchart.')
      .meta({ example: 'flowchart TB\n  fw[FW-HQ] ---|10 Gbit/s| sw[SW-CORE]' }),
    name: Name.optional()
      .describe('Name of the diagram; the title of the flowchart by default.')
      .meta({ example: 'Head office' }),
    client_name: Name.nullable().default(null).describe('The client whose network it shows.'),
  })
  .meta({ id: 'MermaidFile' })
export type MermaidFile = z.infer<typeof MermaidFile>

export const DiagramImport = z.discriminatedUnion('format', [DiagramFile, DrawioFile, MermaidFile]).meta({
  id: 'NetworkDiagramImport',
  examples: [{ format: 'drawio', content: '<mxGraphModel><root/></mxGraphModel>', name: 'Head office' }],
})
export type DiagramImport = z.infer<typeof DiagramImport>

export const DiagramImportResult = z
  .strictObject({
    diagram: Diagram.describe('The new diagram.'),
    skipped: z
      .array(z.string())
      .describe('Parts of the file that are not in the diagram.')
      .meta({ example: ['Text “Drawn in 2024”'] }),
  })
  .meta({ id: 'NetworkDiagramImportResponse' })

export const DiagramExport = z.strictObject({
  format: z
    .enum(['json', 'svg', 'png', 'drawio', 'mermaid'])
    .meta({ id: 'DiagramExportFormat' })
    .default('json')
    .describe(
      '`json` and `drawio`: a file that can be imported again without a loss. `svg` and `png`: an image, the latter of at most 2 million pixels. `mermaid`: a flowchart with the nodes, groups and lines, without positions.',
    ),
})
export type DiagramExport = z.infer<typeof DiagramExport>
