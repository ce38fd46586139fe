import { inflateRaw } from '../archive/inflate.ts'
import { walkXml, type XmlAttributes } from '../text/walk-xml.ts'
import { createWorkBudget, type WorkBudget } from '../text/work-budget.ts'
import { type DiagramEdge, type DiagramNode, diagramLimits, guessCategory } from './schema.ts'

// Reads draw.io files, compressed or not. The elements are mxfile > diagram > mxGraphModel > root > mxCell. A cell with extra data is
// wrapped in an object or UserObject element.

export interface DrawioDiagram {
  name: string | null
  nodes: DiagramNode[]
  edges: DiagramEdge[]
  /** The parts of the file that were not imported, each with the reason. */
  skipped: string[]
}

/** Thrown if a file cannot be read. Its message is for the user. */
export class DrawioError extends Error {}

interface Cell {
  id: string
  parent: string
  label: string
  style: string
  kind: 'vertex' | 'edge' | 'other'
  source: string
  target: string
  x: number
  y: number
  width: number
  height: number
}

const maxInflatedBytes = 8 * 1024 * 1024
const maxCells = 20_000
const maxXmlDepth = 100
const maxCoordinate = 1_000_000
const maxLabelLength = 300
const maxIdLength = 100
const maxGroupDepth = 50
const maxListedParts = 100

/** Parse a draw.io file. Throw a DrawioError if it is not one. */
export async function parseDrawio(content: string): Promise<DrawioDiagram> {
  const budget = createWorkBudget()
  const file = parseXml(content, budget)
  const [page, ...otherPages] = file.pages
  const skipped = otherPages.map(({ name }, index) => `Page ${name ? `“${name}”` : index + 2}: only the first page is imported`)
  const cells = file.cells.length === 0 && page ? await parseCompressedCells(page.text, budget) : file.cells
  if (!page && cells.length === 0) throw new DrawioError('The file contains no diagram')
  const diagram = convertCells(cells, skipped)
  return { name: page?.name ?? null, ...diagram, skipped: shortenList(diagram.skipped) }
}

function shortenList(skipped: readonly string[]): string[] {
  if (skipped.length <= maxListedParts) return [...skipped]
  return [...skipped.slice(0, maxListedParts), `${(skipped.length - maxListedParts).toLocaleString('en')} more parts`]
}

/** Parse XML that was URL-encoded, deflated and base64-encoded. */
async function parseCompressedCells(text: string, budget: WorkBudget): Promise<Cell[]> {
  const deflated = decodeBase64(text.trim())
  const encodedXml = deflated && (await inflateRaw(deflated, maxInflatedBytes))
  if (!encodedXml) throw new DrawioError('The compressed diagram cannot be decompressed, or is too large')
  let xml: string
  try {
    xml = decodeURIComponent(encodedXml)
  } catch {
    throw new DrawioError('The compressed diagram is damaged')
  }
  return parseXml(xml, budget).cells
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}

interface DrawioFile {
  pages: { name: string | null; text: string }[]
  /** The cells of the first page. Empty if that page is compressed. */
  cells: Cell[]
}

function parseXml(xml: string, budget: WorkBudget): DrawioFile {
  const file: DrawioFile = { pages: [], cells: [] }
  /** The element around the next cell. */
  let wrapper: XmlAttributes | null = null
  let cell: Cell | null = null
  const createError = (reason: string) => new DrawioError(`The file ${reason}`)
  walkXml(
    xml,
    { maxDepth: maxXmlDepth, budget, createError },
    {
      onOpenTag: (name, attributes) => {
        if (name === 'diagram') file.pages.push({ name: attributes.name?.trim() || null, text: '' })
        if (file.pages.length > 1) return
        if (isWrapper(name)) wrapper = attributes
        else if (name === 'mxCell') {
          cell = createCell({ ...attributes, ...(wrapper ? { id: wrapper.id ?? '', value: wrapper.label ?? '' } : {}) })
          // It wraps one cell. Otherwise a long label would be read for each of many cells.
          wrapper = null
          file.cells.push(cell)
          if (file.cells.length > maxCells) throw new DrawioError(`The file has more than ${maxCells.toLocaleString('en')} cells`)
        } else if (name === 'mxGeometry' && cell) Object.assign(cell, parseGeometry(attributes))
      },
      onText: (text) => {
        const page = file.pages[0]
        if (page && file.pages.length === 1 && file.cells.length === 0) page.text += text
      },
      onCloseTag: (name) => {
        if (isWrapper(name)) wrapper = null
        if (name === 'mxCell') cell = null
      },
    },
  )
  return file
}

function isWrapper(elementName: string): boolean {
  return elementName === 'object' || elementName === 'UserObject'
}

const defaultSize = { width: 120, height: 60 }

function createCell(attributes: Record<string, string>): Cell {
  const { id = '', parent = '', value = '', style = '', vertex, edge, source = '', target = '' } = attributes
  const kind = vertex === '1' ? 'vertex' : edge === '1' ? 'edge' : 'other'
  return { id, parent, label: htmlToText(value), style, kind, source, target, x: 0, y: 0, ...defaultSize }
}

function parseGeometry(attributes: Record<string, string>): Pick<Cell, 'x' | 'y' | 'width' | 'height'> {
  const parseNumber = (text: string | undefined, defaultValue: number) => {
    const value = Number(text ?? defaultValue)
    return Number.isFinite(value) ? Math.min(Math.max(value, -maxCoordinate), maxCoordinate) : defaultValue
  }
  return {
    x: parseNumber(attributes.x, 0),
    y: parseNumber(attributes.y, 0),
    width: parseNumber(attributes.width, defaultSize.width),
    height: parseNumber(attributes.height, defaultSize.height),
  }
}

/** Convert a label, which may be HTML, to one line of text. */
function htmlToText(html: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" }
  return html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => entities[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxLabelLength)
    .toWellFormed()
}

interface Conversion {
  cellById: ReadonlyMap<string, Cell>
  /** The ids of cells that contain other cells. */
  groupIds: ReadonlySet<string>
  /** The label of an edge can be a cell inside the edge. */
  labelByEdgeId: ReadonlyMap<string, string>
  /** The ids of the nodes and edges that were imported. */
  importedIds: Set<string>
  skipped: string[]
}

function convertCells(cells: readonly Cell[], skipped: string[]): Pick<DrawioDiagram, 'nodes' | 'edges' | 'skipped'> {
  const vertices = cells.filter(({ kind }) => kind === 'vertex')
  const conversion: Conversion = {
    cellById: new Map(cells.map((cell) => [cell.id, cell])),
    groupIds: new Set(vertices.map(({ parent }) => parent)),
    labelByEdgeId: new Map(vertices.map(({ parent, label }) => [parent, label])),
    importedIds: new Set(),
    skipped,
  }
  const nodes = vertices.flatMap((cell) => convertVertex(cell, conversion))
  const nodeIds = new Set(conversion.importedIds)
  const edges = cells.filter(({ kind }) => kind === 'edge').flatMap((cell) => convertEdge(cell, nodeIds, conversion))
  requireCount(nodes.length, diagramLimits.maxNodes, 'nodes')
  requireCount(edges.length, diagramLimits.maxEdges, 'edges')
  return { nodes, edges, skipped }
}

function requireCount(count: number, max: number, unit: string): void {
  if (count > max) throw new DrawioError(`The diagram has ${count} ${unit}; at most ${max} are allowed`)
}

/** Return the node, or nothing if the cell is skipped. */
function convertVertex(cell: Cell, { cellById, groupIds, importedIds, skipped }: Conversion): DiagramNode[] {
  const name = cell.label ? `“${cell.label}”` : `without a label (${cell.id})`
  const isEdgeLabel = cellById.get(cell.parent)?.kind === 'edge'
  if (isEdgeLabel) return []
  const isText = /(^|;)(text|label)(;|$)/.test(cell.style)
  if (isText) return skip(skipped, `Text ${name}`)
  if (groupIds.has(cell.id)) return skip(skipped, `Group ${name}: only its content is imported`)
  if (!reserveId(cell.id, importedIds)) return skip(skipped, `Shape ${name}: its id is missing, too long or used twice`)
  const shapeName = /(?:shape|image)=([^;]+)/.exec(cell.style)?.[1] ?? ''
  const category = guessCategory(`${shapeName.replace(/[._/-]+/g, ' ')} ${cell.label}`)
  const backgroundColor = readColour(cell.style, 'fillColor')
  const borderColor = readColour(cell.style, 'strokeColor')
  const style = { ...(backgroundColor ? { backgroundColor } : {}), ...(borderColor ? { borderColor } : {}) }
  const data = { label: cell.label || cell.id, category }
  const position = getAbsolutePosition(cell, cellById)
  return [{ id: cell.id, type: category, position, ...(Object.keys(style).length > 0 ? { style } : {}), data }]
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

/** Return the position of a cell on the page. Inside a group, the stored position is relative to the group. */
function getAbsolutePosition(cell: Cell, cellById: ReadonlyMap<string, Cell>): { x: number; y: number } {
  let { x, y } = cell
  let parent = cellById.get(cell.parent)
  for (let depth = 0; parent?.kind === 'vertex' && depth < maxGroupDepth; depth++) {
    x += parent.x
    y += parent.y
    parent = cellById.get(parent.parent)
  }
  return { x, y }
}

/** Return the edge, or nothing if the cell is skipped. */
function convertEdge(cell: Cell, nodeIds: ReadonlySet<string>, { labelByEdgeId, importedIds, skipped }: Conversion): DiagramEdge[] {
  const label = cell.label || labelByEdgeId.get(cell.id) || ''
  const name = label ? `“${label}”` : `(${cell.id})`
  if (!nodeIds.has(cell.source) || !nodeIds.has(cell.target)) return skip(skipped, `Line ${name}: it does not connect two imported shapes`)
  if (!reserveId(cell.id, importedIds)) return skip(skipped, `Line ${name}: its id is missing, too long or used twice`)
  return [{ id: cell.id, source: cell.source, target: cell.target, routing: readRouting(cell.style), ...(label ? { label } : {}) }]
}

function readRouting(style: string): DiagramEdge['routing'] {
  if (/curved=1/.test(style)) return 'curved'
  return /edgeStyle=(orthogonal|elbow|entityRelation|segment)/.test(style) ? 'step' : 'straight'
}
