import * as z from 'zod'
import { spend } from '#rules/budget.ts'
import { cut } from '#rules/text/clip.ts'
import { findUnstorableText, isTooDeep, parseJson } from '#rules/text/json.ts'
import { removeForbiddenXml } from '#rules/text/xml.ts'
import type { Cell } from './drawio-cells.ts'
import { toLine } from './drawio-labels.ts'
import { DiagramEdge, DiagramNode, getLabel } from './schema.ts'

// A draw.io file that this service wrote has each node and edge in the data of its cell, because draw.io has
// no place for all of it. What was changed in draw.io since then counts.

/** The attribute of the element around a cell. */
export const partAttribute = 'diagram_part'
const maxLabelLength = 1000
const stepsPerCharacter = 10

const number = z.number().min(-10_000_000).max(10_000_000)
const NodePart = z.strictObject({
  node: DiagramNode,
  /** What the cell was, to find what was changed. */
  cell: z.strictObject({
    x: number,
    y: number,
    width: number,
    height: number,
    fillColor: z.string(),
    strokeColor: z.string(),
  }),
})
export type NodePart = z.infer<typeof NodePart>
const EdgePart = z.strictObject({ edge: DiagramEdge })
export type EdgePart = z.infer<typeof EdgePart>

/**
 * Return the nodes and edges that are stored in cells, by the id of the cell. A part that is damaged is left
 * out.
 */
export function readParts(cells: readonly Cell[]): {
  nodes: Map<string, NodePart>
  edges: Map<string, EdgePart>
} {
  const nodes = new Map<string, NodePart>()
  const edges = new Map<string, EdgePart>()
  for (const { id, kind, data } of cells) {
    const json = data?.[partAttribute]
    if (json === undefined) continue
    spend(json.length * stepsPerCharacter)
    const part = isTooDeep(json) ? undefined : parseJson(json)
    if (part === undefined || findUnstorableText(part, []).length > 0) continue
    const node = kind === 'vertex' ? NodePart.safeParse(part) : undefined
    const edge = kind === 'edge' ? EdgePart.safeParse(part) : undefined
    if (node?.success) nodes.set(id, node.data)
    if (edge?.success) edges.set(id, edge.data)
  }
  return { nodes, edges }
}

/** Write a part as JSON without the characters that XML does not allow. */
export function writePart(part: NodePart | EdgePart): string {
  return JSON.stringify(part).replace(/[\ufffe\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`)
}

export function toWrittenLabel(part: DiagramNode | DiagramEdge): string {
  return cut(removeForbiddenXml('data' in part ? getLabel(part) : (part.label ?? '')), maxLabelLength)
}

/** Return the stored node with what was changed in draw.io. */
export function updateNode(
  { node, cell: before }: NodePart,
  cell: Cell,
  position: { x: number; y: number },
): DiagramNode {
  const isMoved = position.x !== before.x || position.y !== before.y
  const isResized = cell.width !== before.width || cell.height !== before.height
  const [fillColor, strokeColor] = [
    readProperty(cell.style, 'fillColor'),
    readProperty(cell.style, 'strokeColor'),
  ]
  const changes = {
    ...(isResized ? { width: cell.width, height: cell.height } : {}),
    ...(isNewColour(fillColor, before.fillColor) ? { backgroundColor: fillColor } : {}),
    ...(isNewColour(strokeColor, before.strokeColor) ? { borderColor: strokeColor } : {}),
  }
  const { parent_id: _, style, ...rest } = node
  return {
    ...rest,
    ...(isMoved
      ? {
          position: {
            x: toCoordinate(node.position.x + position.x - before.x),
            y: toCoordinate(node.position.y + position.y - before.y),
          },
        }
      : {}),
    ...(style || Object.keys(changes).length > 0 ? { style: { ...style, ...changes } } : {}),
    data: cell.label === toLine(toWrittenLabel(node)) ? node.data : { ...node.data, label: cell.label },
  }
}

/** Return the stored edge with what was changed in draw.io. */
export function updateEdge({ edge }: EdgePart, current: DiagramEdge): DiagramEdge {
  const { id, source, target, label = '', routing } = current
  return {
    ...edge,
    id,
    source,
    target,
    ...(label === toLine(toWrittenLabel(edge)) ? {} : { label }),
    ...(routing === (edge.routing ?? 'straight') ? {} : { routing }),
  }
}

const isNewColour = (colour: string, before: string) => colour !== before && /^#[0-9a-f]{6}$/i.test(colour)

/** Return a coordinate that a node may have. */
export function toCoordinate(value: number): number {
  return Math.min(Math.max(roundPosition(value), -1_000_000), 1_000_000)
}

/** Round to a millionth of a pixel, so that sums of positions are what they were. */
export function roundPosition(value: number): number {
  return Math.round(value * 1_000_000) / 1_000_000
}

/** Return the value of a property of a style, or an empty text. */
export function readProperty(style: string, name: string): string {
  return (
    style
      .split(';')
      .findLast((property) => property.startsWith(`${name}=`))
      ?.slice(name.length + 1) ?? ''
  )
}
