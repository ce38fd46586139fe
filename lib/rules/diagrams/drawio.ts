import type { Budget } from '#rules/budget.ts'
import { type Cell, DrawioError, readCells } from './drawio-cells.ts'
import { unwrapDrawio } from './drawio-container.ts'
import { splitHidden } from './drawio-hidden.ts'
import { analyseShapes, type ShapeRoles } from './drawio-shapes.ts'
import { type DiagramEdge, type DiagramNode, diagramLimits, guessCategory } from './schema.ts'
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

/** Parse a draw.io file. Throw a DrawioError if it is not one. */
export async function parseDrawio(content: string, budget: Budget): Promise<DrawioDiagram> {
  const { pages, cells } = await readCells(unwrapDrawio(content, budget), budget)
  const [name = null, ...otherPages] = pages
  if (pages.length === 0 && cells.length === 0) throw new DrawioError('The file contains no diagram')
  const skipped = otherPages.map((page, index) => `Page ${page ? `“${page}”` : index + 2}: only the first page is imported`)
  const { visible, hidden } = splitHidden(cells)
  const diagram = convertCells(visible, [...skipped, ...hidden], budget)
  return { name, ...diagram, skipped: shortenList(diagram.skipped) }
}

function shortenList(skipped: readonly string[]): string[] {
  if (skipped.length <= maxListedParts) return [...skipped]
  return [...skipped.slice(0, maxListedParts), `${(skipped.length - maxListedParts).toLocaleString('en')} more parts`]
}

interface Conversion {
  roles: ShapeRoles
  /** The label of an edge can be a cell inside the edge. */
  labelByEdgeId: ReadonlyMap<string, string>
  /** The ids of the nodes and edges that were imported. */
  importedIds: Set<string>
  skipped: string[]
}

function convertCells(cells: readonly Cell[], skipped: string[], budget: Budget): Pick<DrawioDiagram, 'nodes' | 'edges' | 'skipped'> {
  const vertices = cells.filter(({ kind }) => kind === 'vertex')
  const conversion: Conversion = {
    roles: analyseShapes(cells),
    labelByEdgeId: new Map(vertices.map(({ parent, label }) => [parent, label])),
    importedIds: new Set(),
    skipped,
  }
  const nodes = vertices.flatMap((cell) => convertVertex(cell, conversion))
  const nodeIds = new Set(conversion.importedIds)
  const edges = cells.filter(({ kind }) => kind === 'edge').flatMap((cell) => convertEdge(cell, nodeIds, conversion))
  requireCount(nodes.length, diagramLimits.maxNodes, 'nodes')
  requireCount(edges.length, diagramLimits.maxEdges, 'edges')
  return { nodes: spreadNodes(nodes, budget), edges, skipped }
}

function requireCount(count: number, max: number, unit: string): void {
  if (count > max) throw new DrawioError(`The diagram has ${count} ${unit}; at most ${max} are allowed`)
}

/** Return the node, or nothing if the cell is skipped. */
function convertVertex(cell: Cell, { roles, importedIds, skipped }: Conversion): DiagramNode[] {
  const name = cell.label ? `“${cell.label}”` : `without a label (${cell.id})`
  const role = roles.getRole(cell)
  if (role === 'edge label') return []
  if (role === 'text') return skip(skipped, `Text ${name}`)
  if (role === 'group') return skip(skipped, `Group ${name}: only its content is imported`)
  if (role === 'part') return skip(skipped, `Shape ${name}: it is a part of another shape`)
  if (role === 'decoration') return skip(skipped, `Shape ${name}: it is no device and has no line`)
  if (!reserveId(cell.id, importedIds)) return skip(skipped, `Shape ${name}: its id is missing, too long or used twice`)
  const shapeName = readShapeName(cell)
  const category = guessCategory(`${shapeName} ${cell.label}`)
  const backgroundColor = readColour(cell.style, 'fillColor')
  const borderColor = readColour(cell.style, 'strokeColor')
  const style = { ...(backgroundColor ? { backgroundColor } : {}), ...(borderColor ? { borderColor } : {}) }
  const data = { label: cell.label || nameShape(cell), category }
  const position = roles.getPosition(cell)
  return [{ id: cell.id, type: category, position, ...(Object.keys(style).length > 0 ? { style } : {}), data }]
}

/** Return the words of the shape's path, such as `mxgraph cisco routers router`. */
function readShapeName({ style }: Cell): string {
  return (/(?:shape|image)=([^;]+)/.exec(style)?.[1] ?? '').replace(/[._/-]+/g, ' ')
}

/** Return the last words of the shape's path, such as “Layer 3 switch”. They stand for a label. */
function nameShape({ style }: Cell): string {
  const path = /(?:^|;)(?:shape|image)=([^;]{1,500})/.exec(style)?.[1] ?? ''
  const isEmbedded = path.startsWith('data:')
  const lastPart =
    path
      .replace(/\.(?:svg|png|gif|jpe?g)$/i, '')
      .split(/[./]/)
      .at(-1) ?? ''
  const words = lastPart
    .replace(/[_-]+/g, ' ')
    .replace(/\s+\d+$/, '')
    .trim()
  return isEmbedded || !/^[a-z][a-z0-9 ]{1,40}$/i.test(words) ? 'Device' : words[0]?.toUpperCase() + words.slice(1)
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
  return new RegExp(`(?:^|;)${property}=(#[0-9a-fA-F]{6})(?:;|$)`).exec(style)?.[1]?.toLowerCase()
}

/** Return the edge, or nothing if the cell is skipped. */
function convertEdge(cell: Cell, nodeIds: ReadonlySet<string>, { roles, labelByEdgeId, importedIds, skipped }: Conversion): DiagramEdge[] {
  const label = cell.label || labelByEdgeId.get(cell.id) || ''
  const name = label ? `“${label}”` : `(${cell.id})`
  const [source, target] = [roles.getDeviceId(cell.source), roles.getDeviceId(cell.target)]
  if (!nodeIds.has(source) || !nodeIds.has(target)) return skip(skipped, `Line ${name}: it does not connect two imported shapes`)
  if (!reserveId(cell.id, importedIds)) return skip(skipped, `Line ${name}: its id is missing, too long or used twice`)
  return [{ id: cell.id, source, target, routing: readRouting(cell.style), ...(label ? { label } : {}) }]
}

function readRouting(style: string): DiagramEdge['routing'] {
  if (/curved=1/.test(style)) return 'curved'
  return /edgeStyle=(orthogonal|elbow|entityRelation|segment)/.test(style) ? 'step' : 'straight'
}
