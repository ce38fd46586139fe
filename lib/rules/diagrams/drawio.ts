import { type Cell, type PageChoice, readCells } from './drawio-cells.ts'
import { unwrapDrawio } from './drawio-container.ts'
import { attachFreeEnds } from './drawio-free-ends.ts'
import { splitHidden } from './drawio-hidden.ts'
import { toLine } from './drawio-labels.ts'
import { readParts, updateEdge, updateNode } from './drawio-parts.ts'
import { placeTexts } from './drawio-placed-texts.ts'
import { analyseShapes, type ShapeRoles } from './drawio-shapes.ts'
import { DiagramFileError } from './file-error.ts'
import { fitGroups, groupType } from './groups.ts'
import {
  type DiagramEdge,
  type DiagramNode,
  diagramLimits,
  guessCategory,
  maxGroupDepth,
  validateDiagram,
} from './schema.ts'
import { spreadNodes } from './spread.ts'

export interface DrawioDiagram {
  name: string | null
  nodes: DiagramNode[]
  edges: DiagramEdge[]
  /** The parts of the file that were not imported, each with the reason. */
  skipped: string[]
}

const maxIdLength = 100
const maxListedParts = 100
/** Of one line. */
const maxLabels = 10

/** Parse a page of a draw.io file, by its number or its name. Throw a DiagramFileError if it is not one. */
export async function parseDrawio(content: string, chosenPage: PageChoice): Promise<DrawioDiagram> {
  const { pages, page, cells } = await readCells(unwrapDrawio(content), chosenPage)
  if (pages.length === 0 && cells.length === 0) throw new DiagramFileError('The file contains no diagram')
  const otherPages = pages.flatMap((name, index) => {
    const isOther = index !== page
    return isOther
      ? [`Page ${name ? `“${name}”` : index + 1}: only one page is imported; \`page\` chooses it`]
      : []
  })
  const { visible, hidden } = splitHidden(cells)
  const diagram = convertCells(placeTexts(attachFreeEnds(visible)), [...otherPages, ...hidden])
  return { name: pages[page] ?? null, ...diagram, skipped: shortenList(diagram.skipped) }
}

function shortenList(skipped: readonly string[]): string[] {
  if (skipped.length <= maxListedParts) return [...skipped]
  return [
    ...skipped.slice(0, maxListedParts),
    `${(skipped.length - maxListedParts).toLocaleString('en')} more parts`,
  ]
}

interface Conversion {
  roles: ShapeRoles
  /** What this service has stored in cells, by their ids. */
  parts: ReturnType<typeof readParts>
  /** The labels of an edge can be cells inside the edge, such as the ports at its ends. */
  labelByEdgeId: ReadonlyMap<string, string>
  /** The ids of the imported nodes, by those of their cells. */
  nodeIdByCellId: Map<string, string>
  nodeIds: Set<string>
  edgeIds: Set<string>
  skipped: string[]
}

function convertCells(
  cells: readonly Cell[],
  skipped: string[],
): Pick<DrawioDiagram, 'nodes' | 'edges' | 'skipped'> {
  const vertices = cells.filter(({ kind }) => kind === 'vertex')
  const parts = readParts(cells)
  const conversion: Conversion = {
    roles: analyseShapes(cells, new Set(parts.nodes.keys())),
    parts,
    labelByEdgeId: joinLabels(vertices),
    nodeIdByCellId: new Map(),
    nodeIds: new Set(),
    edgeIds: new Set(),
    skipped,
  }
  const converted = vertices.flatMap((cell) =>
    convertVertex(cell, conversion).map((node) => ({ cell, node })),
  )
  const nodes = converted.map(({ cell, node }) => addParent(cell, node, conversion))
  const edges = cells.filter(({ kind }) => kind === 'edge').flatMap((cell) => convertEdge(cell, conversion))
  requireCount(nodes.length, diagramLimits.maxNodes, 'nodes')
  requireCount(edges.length, diagramLimits.maxEdges, 'edges')
  // The boxes of a file of this service have their places already.
  const diagram = { nodes: parts.nodes.size > 0 ? nodes : fitGroups(spreadNodes(nodes)), edges }
  // Only the depth of the groups is not checked yet.
  if (validateDiagram(diagram).length > 0)
    throw new DiagramFileError(`The diagram has more than ${maxGroupDepth} levels of groups`)
  return { ...diagram, skipped }
}

/** Join the labels in each cell, in their order from the start of the line. */
function joinLabels(vertices: readonly Cell[]): Map<string, string> {
  const labels = Map.groupBy(vertices, ({ parent }) => parent)
  return new Map(
    Array.from(labels, ([id, cells]) => {
      const sorted = cells.toSorted((a, b) => a.x - b.x).slice(0, maxLabels)
      return [
        id,
        sorted
          .map(({ label }) => label)
          .filter(Boolean)
          .join(' / '),
      ]
    }),
  )
}

/** Add the group around a node, unless the group has an id that a node must not have. */
function addParent(cell: Cell, node: DiagramNode, { roles, nodeIdByCellId }: Conversion): DiagramNode {
  const parent_id = nodeIdByCellId.get(roles.getParentId(cell) ?? '')
  return parent_id === undefined ? node : { ...node, parent_id }
}

function requireCount(count: number, max: number, unit: string): void {
  if (count > max) throw new DiagramFileError(`The diagram has ${count} ${unit}; at most ${max} are allowed`)
}

/** Return the node, or nothing if the cell is skipped. */
function convertVertex(
  cell: Cell,
  { roles, parts, nodeIdByCellId, nodeIds, skipped }: Conversion,
): DiagramNode[] {
  const name = cell.label ? `“${cell.label}”` : `without a label (${cell.id})`
  const role = roles.getRole(cell)
  if (role === 'edge label') return []
  if (role === 'text') return skip(skipped, `Text ${name}`)
  if (role === 'invisible group') return skip(skipped, `Group ${name}: only its content is imported`)
  if (role === 'part') return skip(skipped, `Shape ${name}: it is a part of another shape`)
  if (role === 'decoration') return skip(skipped, `Shape ${name}: it is no device and has no line`)
  const part = parts.nodes.get(cell.id)
  // A shape that was copied in draw.io has the id of the other one.
  const id = [part?.node.id ?? cell.id, cell.id].find((candidate) => reserveId(candidate, nodeIds))
  if (id === undefined) return skip(skipped, `Shape ${name}: its id is missing, too long or used twice`)
  nodeIdByCellId.set(cell.id, id)
  const { x, y, width, height } = roles.getBox(cell)
  const position = { x, y }
  if (part) return [{ ...updateNode(part, cell, position), id }]
  const backgroundColor = readColour(cell.style, 'fillColor')
  const borderColor = readColour(cell.style, 'strokeColor')
  const colours = { ...(backgroundColor ? { backgroundColor } : {}), ...(borderColor ? { borderColor } : {}) }
  if (role === 'group') {
    const style = { ...colours, width: Math.max(1, width), height: Math.max(1, height) }
    return [{ id, type: groupType, position, style, data: { label: cell.label || 'Group' } }]
  }
  const category = guessCategory(`${readShapeName(cell)} ${cell.label}`)
  const data = { label: cell.label || nameShape(cell), category }
  return [
    { id, type: category, position, ...(Object.keys(colours).length > 0 ? { style: colours } : {}), data },
  ]
}

/** Return the path of the picture of a shape, unless it is in the file, otherwise that of the shape. */
function readShapePath({ style }: Cell): string {
  return (
    [/(?:^|;)image=(?!data:)([^;]+)/, /(?:^|;)shape=(?!image(?:;|$))([^;]+)/]
      .map((path) => path.exec(style)?.[1])
      .find(Boolean) ?? ''
  )
}

/** Return the words of the shape's path, such as `mxgraph cisco routers router`. */
const readShapeName = (cell: Cell) => readShapePath(cell).replace(/[._/-]+/g, ' ')

/** Return the last words of the shape's path, such as “Layer 3 switch”. They stand for a label. */
function nameShape(cell: Cell): string {
  const path = readShapePath(cell).slice(0, 500)
  const lastPart =
    path
      .replace(/\.(?:svg|png|gif|jpe?g)$/i, '')
      .split(/[./]/)
      .at(-1) ?? ''
  const words = lastPart
    .replace(/[_-]+/g, ' ')
    .replace(/(?<!\s)\s+\d+$/, '')
    .trim()
  return !/^[a-z][a-z0-9 ]{1,40}$/i.test(words) ? 'Device' : words[0]?.toUpperCase() + words.slice(1)
}

function skip(skipped: string[], description: string): [] {
  skipped.push(description)
  return []
}

/** Add the id to `usedIds`. Return false if it is invalid or already used. */
function reserveId(id: string, usedIds: Set<string>): boolean {
  if (!id.trim() || id !== id.trim() || id.length > maxIdLength || usedIds.has(id)) return false
  usedIds.add(id)
  return true
}

function readColour(style: string, property: string): string | undefined {
  // Bounded: no repetition without an end.
  return new RegExp(`(?:^|;)${property}=(#[0-9a-fA-F]{6})(?:;|$)`).exec(style)?.[1]?.toLowerCase()
}

/** Return the edge, or nothing if the cell is skipped. */
function convertEdge(
  cell: Cell,
  { roles, parts, labelByEdgeId, nodeIdByCellId, edgeIds, skipped }: Conversion,
): DiagramEdge[] {
  const label = toLine([cell.label, labelByEdgeId.get(cell.id)].filter(Boolean).join(' / '))
  const name = label ? `“${label}”` : `(${cell.id})`
  const [source, target] = [cell.source, cell.target].map((end) => nodeIdByCellId.get(roles.getDeviceId(end)))
  if (source === undefined || target === undefined)
    return skip(skipped, `Line ${name}: it does not connect two imported shapes`)
  const part = parts.edges.get(cell.id)
  const id = [part?.edge.id ?? cell.id, cell.id].find((candidate) => reserveId(candidate, edgeIds))
  if (id === undefined) return skip(skipped, `Line ${name}: its id is missing, too long or used twice`)
  const routing = readRouting(cell.style)
  if (part) return [updateEdge(part, { id, source, target, label, routing })]
  return [{ id, source, target, routing, ...(label ? { label } : {}) }]
}

function readRouting(style: string): DiagramEdge['routing'] {
  if (/curved=1/.test(style)) return 'curved'
  return /edgeStyle=(orthogonal|elbow|entityRelation|segment)/.test(style) ? 'step' : 'straight'
}
