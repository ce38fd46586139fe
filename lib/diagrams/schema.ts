import { z } from 'zod'

// What a network diagram is made of.

export const deviceCategories = ['network', 'compute', 'storage', 'cloud', 'endpoint', 'infrastructure', 'security'] as const
export const DeviceCategory = z.enum(deviceCategories).describe('What kind of thing it is.')
export type DeviceCategory = z.infer<typeof DeviceCategory>

export const most = { nodes: 1000, edges: 2000 } as const

const PartId = z.string().trim().min(1).max(100).describe('Unique among its kind in the diagram.')
const coordinate = z.number().min(-1_000_000).max(1_000_000)
const Style = z
  .record(z.string().max(100), z.unknown())
  .describe('How the frontend draws it. The SVG export takes colours, line widths, dashes and sizes from it.')

export const DiagramNode = z
  .strictObject({
    id: PartId,
    type: z.string().trim().min(1).max(100).describe('How the frontend draws it, or a device category.'),
    position: z
      .strictObject({ x: coordinate.describe('From the left, in pixels.'), y: coordinate.describe('From the top, in pixels.') })
      .describe('Its upper left corner.'),
    nodeType: z.string().trim().min(1).max(200).optional().describe('Name of its device type.'),
    style: Style.optional(),
    data: z
      .record(z.string().max(100), z.unknown())
      .default({})
      .describe('Whatever belongs to it; `label` is its text, `category` a device category.'),
  })
  .meta({
    id: 'DiagramNode',
    examples: [
      { id: 'fw1', type: 'security', position: { x: 240, y: 40 }, nodeType: 'Firewall', data: { label: 'FW-HQ', ip: '10.0.0.1' } },
    ],
  })
export type DiagramNode = z.infer<typeof DiagramNode>

export const DiagramEdge = z
  .strictObject({
    id: PartId,
    source: z.string().min(1).max(100).describe('The node it leaves.'),
    target: z.string().min(1).max(100).describe('The node it reaches.'),
    label: z.string().max(300).optional().describe('Written beside the line.'),
    routing: z.enum(['straight', 'curved', 'step']).optional().describe('How the line runs; straight when not said.'),
    style: Style.optional(),
  })
  .meta({ id: 'DiagramEdge', examples: [{ id: 'e1', source: 'fw1', target: 'sw1', label: '10 Gbit/s', routing: 'step' }] })
export type DiagramEdge = z.infer<typeof DiagramEdge>

export const DiagramNodes = z
  .array(DiagramNode)
  .max(most.nodes)
  .describe(`At most ${most.nodes.toLocaleString('en')}.`)
export const DiagramEdges = z
  .array(DiagramEdge)
  .max(most.edges)
  .describe(`At most ${most.edges.toLocaleString('en')}.`)

export interface Drawing {
  nodes: readonly DiagramNode[]
  edges: readonly DiagramEdge[]
}

/** Ids used twice and edges that hang in the air, by where they are. */
export function faultsOf({ nodes, edges }: Drawing): { path: (string | number)[]; message: string }[] {
  const known = new Set(nodes.map(({ id }) => id))
  return [
    ...repeated('nodes', nodes),
    ...repeated('edges', edges),
    ...edges.flatMap(({ source, target }, index) =>
      (['source', 'target'] as const).flatMap((end) => {
        const id = end === 'source' ? source : target
        return known.has(id) ? [] : [{ path: ['edges', index, end], message: `There is no node ${id}` }]
      }),
    ),
  ]
}

function repeated(what: 'nodes' | 'edges', parts: readonly { id: string }[]) {
  const ids = parts.map(({ id }) => id)
  const first = new Map(ids.map((id, index) => [id, index] as const).reverse())
  return ids.flatMap((id, index) => (first.get(id) === index ? [] : [{ path: [what, index, 'id'], message: `The id ${id} is used twice` }]))
}

export function labelOf({ id, data, nodeType }: DiagramNode): string {
  return typeof data.label === 'string' && data.label.trim() ? data.label.trim() : (nodeType ?? id)
}

// Words of device names, the more special ones first.
const words: readonly (readonly [DeviceCategory, RegExp])[] = [
  ['security', /firewall|\bids\b|\bips\b|vpn|waf|siem|badge|camera|security/i],
  ['cloud', /cloud|azure|aws|saas|internet|tenant|m365|google/i],
  ['storage', /storage|\bnas\b|\bsan\b|backup|tape|disk|database/i],
  ['infrastructure', /\bups\b|pdu|rack|patch|power|cable|modem|generator|infrastructure/i],
  ['endpoint', /laptop|desktop|workstation|\bpc\b|phone|printer|tablet|scanner|endpoint|thin.?client|user|tv|projector/i],
  ['network', /router|switch|access.?point|\bwap\b|\bap\b|gateway|hub|bridge|load.?balancer|wireless|wifi|network|sd-?wan/i],
  ['compute', /server|host|hypervisor|esxi|virtual|\bvm\b|container|cluster|compute/i],
]

/** The category a node belongs to: as it says itself, or by the words of its type. */
export function categoryOf({ type, nodeType, data }: DiagramNode): DeviceCategory {
  const said = [data.category, type].find((value) => deviceCategories.some((category) => category === value))
  return (said as DeviceCategory | undefined) ?? categoryOfWords(`${nodeType ?? ''} ${type}`)
}

export function categoryOfWords(text: string): DeviceCategory {
  return words.find(([, pattern]) => pattern.test(text))?.[0] ?? 'compute'
}
