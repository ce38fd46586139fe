import { z } from 'zod'
import { DiagramEdges, DiagramNodes, faultsOf } from '../../../lib/diagrams/shapes.ts'
import { exampleIds, Id, idParams, Name, Time } from '../../../lib/http/fields.ts'

export const DiagramId = idParams('diagram_id', 'diagram')

const example = {
  id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1f11',
  account_id: exampleIds.account,
  team_id: exampleIds.team,
  name: 'Head office',
  description: 'Ground floor and server room.',
  client_name: 'Fabrikam',
  asset_name: null,
  is_archived: false,
  created_by: exampleIds.user,
  created_at: '2026-11-02T08:12:00.000Z',
  updated_at: '2026-11-20T16:40:00.000Z',
}
const exampleParts = {
  nodes: [
    { id: 'fw1', type: 'security', position: { x: 240, y: 40 }, nodeType: 'Firewall', data: { label: 'FW-HQ' } },
    { id: 'sw1', type: 'network', position: { x: 240, y: 200 }, nodeType: 'Switch (core)', data: { label: 'SW-CORE' } },
  ],
  edges: [{ id: 'e1', source: 'fw1', target: 'sw1', label: '10 Gbit/s', routing: 'step' as const }],
}

const shown = {
  id: Id,
  account_id: Id.describe('The account it belongs to.'),
  team_id: Id.describe('The team it belongs to.'),
  name: z.string().describe('What it is called.'),
  description: z.string().describe('What it shows.'),
  client_name: z.string().nullable().describe('Whose network it is.'),
  asset_name: z.string().nullable().describe('The asset it is about.'),
  is_archived: z.boolean().describe('Archived diagrams are left out of the normal list.'),
  created_by: Id.describe('Who made it.'),
  created_at: Time,
  updated_at: Time.describe('When it was last saved.'),
}

export const Diagram = z
  .strictObject({ ...shown, nodes: DiagramNodes, edges: DiagramEdges })
  .meta({ id: 'NetworkDiagramResponse', examples: [{ ...example, ...exampleParts }] })
export type Diagram = z.infer<typeof Diagram>

export const DiagramItem = z
  .strictObject({
    ...shown,
    node_count: z.int().describe('How many nodes it has.'),
    edge_count: z.int().describe('How many edges it has.'),
  })
  .meta({ id: 'NetworkDiagramListItem', examples: [{ ...example, node_count: 2, edge_count: 1 }] })
export type DiagramItem = z.infer<typeof DiagramItem>

export const DiagramQuery = z.strictObject({
  search: z.string().trim().min(1).max(200).optional().describe('Words that all appear in name, description, client or asset.'),
  client: z.string().trim().min(1).max(200).optional().describe('Only diagrams of the client of this name, whatever its case.'),
  archived: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('True lists the archived ones instead.'),
})
export type DiagramQuery = z.infer<typeof DiagramQuery>

export const DiagramClient = z
  .strictObject({
    client_name: z.string().describe('Its name.'),
    count: z.int().describe('How many diagrams it has that are not archived.'),
  })
  .meta({ id: 'DiagramClient', examples: [{ client_name: 'Fabrikam', count: 3 }] })
export type DiagramClient = z.infer<typeof DiagramClient>

const fields = {
  name: Name.describe('What it is called.'),
  description: z.string().max(20_000).describe('What it shows.'),
  client_name: Name.nullable().describe('Whose network it is.'),
  asset_name: Name.nullable().describe('The asset it is about.'),
  nodes: DiagramNodes,
  edges: DiagramEdges,
}
const Given = z.strictObject(fields).partial()
type Given = z.infer<typeof Given>

function whole({ nodes, edges }: Given, ctx: z.RefinementCtx): void {
  // What is not given is there already; the service looks at the two together.
  if (!nodes || !edges) return
  for (const { path, message } of faultsOf({ nodes, edges })) ctx.addIssue({ code: 'custom', path, message })
}

export const DiagramCreate = Given.required({ name: true })
  .extend({ nodes: DiagramNodes.default([]), edges: DiagramEdges.default([]) })
  .superRefine(whole)
  .meta({ id: 'NetworkDiagramCreate', examples: [{ name: example.name, client_name: example.client_name, ...exampleParts }] })
export type DiagramCreate = z.infer<typeof DiagramCreate>

export const DiagramUpdate = Given.superRefine(whole).meta({
  id: 'NetworkDiagramUpdate',
  examples: [{ name: 'Head office, after the move' }],
})
export type DiagramUpdate = z.infer<typeof DiagramUpdate>

export const DiagramArchive = z
  .strictObject({ archived: z.boolean().default(true).describe('False restores it.') })
  .prefault({})
  .meta({ id: 'NetworkDiagramArchive', examples: [{ archived: true }] })

export const exportFormat = 'network-diagram'
export const DiagramFile = z
  .strictObject({
    format: z.literal(exportFormat).describe('What kind of file it is.'),
    version: z.literal('1.0').describe('Version of the format.'),
    name: Name.describe('What it is called.'),
    description: z.string().max(20_000).default('').describe('What it shows.'),
    client_name: Name.nullable().default(null).describe('Whose network it is.'),
    asset_name: Name.nullable().default(null).describe('The asset it is about.'),
    nodes: DiagramNodes,
    edges: DiagramEdges,
  })
  .superRefine(whole)
  .meta({
    id: 'NetworkDiagramFile',
    examples: [
      {
        format: exportFormat,
        version: '1.0',
        name: example.name,
        description: '',
        client_name: 'Fabrikam',
        asset_name: null,
        ...exampleParts,
      },
    ],
  })
export type DiagramFile = z.infer<typeof DiagramFile>

const DrawioFile = z
  .strictObject({
    format: z.literal('drawio').describe('A file of draw.io.'),
    content: z.string().min(1).max(4_000_000).describe('The file’s text, plain or compressed.'),
    name: Name.optional().describe('What the diagram is called; its page’s name when not said.'),
    client_name: Name.nullable().default(null).describe('Whose network it is.'),
  })
  .meta({ id: 'DrawioFile', examples: [{ format: 'drawio', content: '<mxGraphModel><root/></mxGraphModel>', name: 'Head office' }] })
export type DrawioFile = z.infer<typeof DrawioFile>

export const DiagramImport = z.discriminatedUnion('format', [DiagramFile, DrawioFile]).meta({
  id: 'NetworkDiagramImport',
  examples: [{ format: 'drawio', content: '<mxGraphModel><root/></mxGraphModel>', name: 'Head office' }],
})
export type DiagramImport = z.infer<typeof DiagramImport>

export const DiagramImported = z
  .strictObject({
    diagram: Diagram.describe('The new diagram.'),
    skipped: z.array(z.string()).describe('What was in the file and is not in the diagram.'),
  })
  .meta({ id: 'NetworkDiagramImportResponse', examples: [{ diagram: { ...example, ...exampleParts }, skipped: ['Text “Drawn in 2024”'] }] })

export const DiagramExport = z.strictObject({
  format: z.enum(['json', 'svg']).default('json').describe('A file to import again, or a picture.'),
})
