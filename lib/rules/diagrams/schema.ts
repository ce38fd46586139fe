import * as z from 'zod'

// The schemas of a network diagram.

export const deviceCategories = [
  'network',
  'compute',
  'storage',
  'cloud',
  'endpoint',
  'infrastructure',
  'security',
] as const
export const DeviceCategory = z
  .enum(deviceCategories)
  .meta({ id: 'DeviceCategory' })
  .describe('The kind of device.')
export type DeviceCategory = z.infer<typeof DeviceCategory>

export const diagramLimits = { maxNodes: 1000, maxEdges: 2000 } as const
/** How many groups can be around a node. */
export const maxGroupDepth = 20

const PartId = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .describe('Unique among the nodes or among the edges of the diagram.')
const coordinate = z.number().min(-1_000_000).max(1_000_000)
const Style = z
  .record(z.string().max(100), z.unknown())
  .describe('Style properties for the frontend. The SVG export uses colours, line widths, dashes and sizes.')

export const DiagramNode = z
  .strictObject({
    id: PartId,
    type: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .describe('The node type of the frontend, a device category, or `group`.'),
    position: z
      .strictObject({
        x: coordinate.describe('Distance from the left, in pixels.'),
        y: coordinate.describe('Distance from the top, in pixels.'),
      })
      .describe('The upper left corner of the node, on the page also within a group.'),
    parent_id: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe(
        `The id of the node that is the group around this one, such as a site or a rack. At most ${maxGroupDepth} levels.`,
      ),
    nodeType: z.string().trim().min(1).max(200).optional().describe('The name of a device type.'),
    style: Style.optional(),
    data: z
      .record(z.string().max(100), z.unknown())
      .default({})
      .describe('Any data of the node. `label` is its text and `category` its device category.'),
  })
  .meta({
    id: 'DiagramNode',
    examples: [
      {
        id: 'fw1',
        type: 'security',
        position: { x: 240, y: 40 },
        nodeType: 'Firewall',
        data: { label: 'FW-HQ', ip: '10.0.0.1' },
      },
    ],
  })
export type DiagramNode = z.infer<typeof DiagramNode>

export const DiagramEdge = z
  .strictObject({
    id: PartId,
    source: z.string().min(1).max(100).describe('The id of the node where the edge starts.'),
    target: z.string().min(1).max(100).describe('The id of the node where the edge ends.'),
    label: z.string().max(300).optional().describe('A text at the middle of the line.'),
    routing: z
      .enum(['straight', 'curved', 'step'])
      .meta({ id: 'EdgeRouting' })
      .optional()
      .describe('The form of the line. The default is `straight`.'),
    style: Style.optional(),
  })
  .meta({
    id: 'DiagramEdge',
    examples: [{ id: 'e1', source: 'fw1', target: 'sw1', label: '10 Gbit/s', routing: 'step' }],
  })
export type DiagramEdge = z.infer<typeof DiagramEdge>

export const DiagramNodes = z
  .array(DiagramNode)
  .max(diagramLimits.maxNodes)
  .describe(`At most ${diagramLimits.maxNodes.toLocaleString('en')}.`)
export const DiagramEdges = z
  .array(DiagramEdge)
  .max(diagramLimits.maxEdges)
  .describe(`At most ${diagramLimits.maxEdges.toLocaleString('en')}.`)

export interface DiagramContent {
  nodes: readonly DiagramNode[]
  edges: readonly DiagramEdge[]
}

interface DiagramProblem {
  path: (string | number)[]
  message: string
}

/**
 * Return ids that are used twice, edges to nodes that do not exist, and groups that do not exist or are
 * nested wrongly.
 */
export function validateDiagram({ nodes, edges }: DiagramContent): DiagramProblem[] {
  const nodeIds = new Set(nodes.map(({ id }) => id))
  const findMissingEnds = ({ source, target }: DiagramEdge, index: number): DiagramProblem[] => {
    const message = 'must be the id of a node in this diagram'
    return [
      ...(nodeIds.has(source) ? [] : [{ path: ['edges', index, 'source'], message }]),
      ...(nodeIds.has(target) ? [] : [{ path: ['edges', index, 'target'], message }]),
    ]
  }
  return [
    ...findRepeatedIds('nodes', nodes),
    ...findRepeatedIds('edges', edges),
    ...edges.flatMap(findMissingEnds),
    ...findWrongParents(nodes),
  ]
}

function findWrongParents(nodes: readonly DiagramNode[]): DiagramProblem[] {
  const nodeById = new Map(nodes.map((node) => [node.id, node]))
  const findProblem = ({ id, parent_id }: DiagramNode): string | undefined => {
    if (parent_id !== undefined && !nodeById.has(parent_id)) return 'must be the id of a node in this diagram'
    let parentId = parent_id
    for (let depth = 1; parentId !== undefined; depth++) {
      if (parentId === id) return 'must not lead back to the node itself'
      if (depth > maxGroupDepth) return `must have at most ${maxGroupDepth} groups around it`
      parentId = nodeById.get(parentId)?.parent_id
    }
    return undefined
  }
  return nodes.flatMap((node, index) => {
    const message = findProblem(node)
    return message ? [{ path: ['nodes', index, 'parent_id'], message }] : []
  })
}

function findRepeatedIds(property: 'nodes' | 'edges', parts: readonly { id: string }[]): DiagramProblem[] {
  const usedIds = new Set<string>()
  return parts.flatMap(({ id }, index) => {
    if (usedIds.has(id))
      return [{ path: [property, index, 'id'], message: `must be unique; ${id} is used twice` }]
    usedIds.add(id)
    return []
  })
}

/** Return the text that is shown on a node. */
export function getLabel({ id, data, nodeType }: DiagramNode): string {
  return typeof data.label === 'string' && data.label.trim() ? data.label.trim() : (nodeType ?? id)
}

/** Words in the names of devices. The first match decides, so more specific words come first. */
const categoryPatterns: readonly (readonly [DeviceCategory, RegExp])[] = [
  ['security', /firewall|\bids\b|\bips\b|vpn|waf|siem|badge|camera|security/i],
  ['cloud', /cloud|azure|aws|saas|internet|tenant|m365|google/i],
  ['storage', /storage|\bnas\b|\bsan\b|backup|tape|disk|database/i],
  ['infrastructure', /\bups\b|pdu|rack|patch|power|cable|modem|generator|infrastructure/i],
  [
    'endpoint',
    /laptop|desktop|workstation|\bpc\b|phone|printer|tablet|scanner|endpoint|thin.?client|user|tv|projector/i,
  ],
  [
    'network',
    /router|switch|access.?point|\bwap\b|\bap\b|gateway|hub|bridge|load.?balancer|wireless|wifi|network|sd-?wan/i,
  ],
  ['compute', /server|host|hypervisor|esxi|virtual|\bvm\b|container|cluster|compute/i],
]

/**
 * Return the category of a node: the one in its data or type, otherwise a guess from the name of its type.
 */
export function getCategory({ type, nodeType, data }: DiagramNode): DeviceCategory {
  const explicitCategory = [data.category, type].find((value) =>
    deviceCategories.some((category) => category === value),
  )
  return (explicitCategory as DeviceCategory | undefined) ?? guessCategory([nodeType, type].join(' '))
}

/** Guess the category from the words of a text. The default is `compute`. */
export function guessCategory(text: string): DeviceCategory {
  return categoryPatterns.find(([, pattern]) => pattern.test(text))?.[0] ?? 'compute'
}
