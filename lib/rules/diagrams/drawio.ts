import type { Budget } from '#rules/budget.ts'
import { type Cell, DrawioError, type PageChoice, readCells } from './drawio-cells.ts'
import { unwrapDrawio } from './drawio-container.ts'
import { splitHidden } from './drawio-hidden.ts'
import { analyseShapes, type ShapeRoles } from './drawio-shapes.ts'
import { fitGroups, groupType } from './groups.ts'
import { type DiagramEdge, type DiagramNode, diagramLimits, guessCategory, maxGroupDepth, validateDiagram } from './schema.ts'
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

/** Parse a page of a draw.io file, by its number or its name. Throw a DrawioError if it is not one. */
export async function parseDrawio(content: string, chosenPage: PageChoice, budget: Budget): Promise<DrawioDiagram> {
  const { pages, page, cells } = await readCells(unwrapDrawio(content, budget), chosenPage, budget)
  if (pages.length === 0 && cells.length === 0) throw new DrawioError('The file contains no diagram')
  const otherPages = pages.flatMap((name, index) => {
    const isOther = index !== page
    return isOther ? [`Page ${name ? `“${name}”` : index + 1}: only one page is imported; \`page\` chooses it`] : []
  })
  const { visible, hidden } = splitHidden(cells)
  const diagram = convertCells(visible, [...otherPages, ...hidden], budget)
  return { name: pages[page] ?? null, ...diagram, skipped: shortenList(diagram.skipped) }
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
  const convertedNodes = vertices.flatMap((cell) => convertVertex(cell, conversion))
  const nodeIds = new Set(conversion.importedIds)
  const nodes = convertedNodes.map((node) => removeMissingParent(node, nodeIds))
  const edges = cells.filter(({ kind }) => kind === 'edge').flatMap((cell) => convertEdge(cell, nodeIds, conversion))
  requireCount(nodes.length, diagramLimits.maxNodes, 'nodes')
  requireCount(edges.length, diagramLimits.maxEdges, 'edges')
  const diagram = { nodes: fitGroups(spreadNodes(nodes, budget)), edges }
  // Only the depth of the groups is not checked yet.
  if (validateDiagram(diagram).length > 0) throw new DrawioError(`The diagram has more than ${maxGroupDepth} levels of groups`)
  return { ...diagram, skipped }
}

/** A group can have an id that a node must not have. */
function removeMissingParent({ parent_id, ...node }: DiagramNode, nodeIds: ReadonlySet<string>): DiagramNode {
  return parent_id !== undefined && nodeIds.has(parent_id) ? { ...node, parent_id } : node
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
  if (role === 'invisible group') return skip(skipped, `Group ${name}: only its content is imported`)
  if (role === 'part') return skip(skipped, `Shape ${name}: it is a part of another shape`)
  if (role === 'decoration') return skip(skipped, `Shape ${name}: it is no device and has no line`)
  if (!reserveId(cell.id, importedIds)) return skip(skipped, `Shape ${name}: its id is missing, too long or used twice`)
  const backgroundColor = readColour(cell.style, 'fillColor')
  const borderColor = readColour(cell.style, 'strokeColor')
  const colours = { ...(backgroundColor ? { backgroundColor } : {}), ...(borderColor ? { borderColor } : {}) }
  const parent_id = roles.getParentId(cell)
  const place = { position: roles.getPosition(cell), ...(parent_id === undefined ? {} : { parent_id }) }
  if (role === 'group') {
    const style = { ...colours, width: Math.max(1, cell.width), height: Math.max(1, cell.height) }
    return [{ id: cell.id, type: groupType, ...place, style, data: { label: cell.label || 'Group' } }]
  }
  const category = guessCategory(`${readShapeName(cell)} ${cell.label}`)
  const data = { label: cell.label || nameShape(cell), category }
  return [{ id: cell.id, type: category, ...place, ...(Object.keys(colours).length > 0 ? { style: colours } : {}), data }]
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
