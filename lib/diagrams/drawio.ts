import { SaxesParser } from 'saxes'
import { inflateRaw } from '../archive/inflate.ts'
import { categoryOfWords, type DiagramEdge, type DiagramNode, most } from './shapes.ts'

// draw.io files, plain or compressed: mxfile > diagram > mxGraphModel > root > mxCell, cells wrapped in object or UserObject when they carry data.

export interface DrawioDiagram {
  name: string | null
  nodes: DiagramNode[]
  edges: DiagramEdge[]
  /** What was in the file and is not in the diagram, in plain words. */
  skipped: string[]
}

/** Why a file cannot be read at all. */
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

const inflatedBytes = 8 * 1024 * 1024
const mostCells = 20_000

/** Throws DrawioError for what is no draw.io file. */
export async function readDrawio(content: string): Promise<DrawioDiagram> {
  const file = parse(content)
  const [page, ...others] = file.pages
  const skipped = others.map(({ name }, index) => `Page ${name ? `“${name}”` : index + 2}: only the first page is taken`)
  const cells = file.cells.length > 0 ? file.cells : page ? await packedCells(page.text) : []
  if (!page && cells.length === 0) throw new DrawioError('The file holds no diagram')
  return { name: page?.name ?? null, ...understand(cells, skipped) }
}

async function packedCells(text: string): Promise<Cell[]> {
  const packed = decodeBase64(text.trim())
  const inflated = packed && (await inflateRaw(packed, inflatedBytes))
  if (!inflated) throw new DrawioError('The compressed diagram cannot be unpacked, or is too large')
  let xml: string
  try {
    xml = decodeURIComponent(inflated)
  } catch {
    throw new DrawioError('The compressed diagram is damaged')
  }
  return parse(xml).cells
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}

interface File {
  pages: { name: string | null; text: string }[]
  /** Of the first page that is not compressed. */
  cells: Cell[]
}

/** One pass over the XML. A document type is refused: it is where entities would come from. */
function parse(xml: string): File {
  const file: File = { pages: [], cells: [] }
  const parser = new SaxesParser({ fragment: false })
  let wrapper: Record<string, string> | null = null
  let cell: Cell | null = null
  let depth = 0
  parser.on('error', (error) => {
    throw new DrawioError(`The file is no well-formed XML: ${error.message.split('\n')[0]}`)
  })
  parser.on('doctype', () => {
    throw new DrawioError('The file declares a document type; draw.io files have none')
  })
  parser.on('opentag', ({ name, attributes }) => {
    const given = attributes as Record<string, string>
    if (++depth > 100) throw new DrawioError('The file is nested too deep')
    if (name === 'diagram') file.pages.push({ name: given.name?.trim() || null, text: '' })
    if (file.pages.length > 1) return
    if (name === 'object' || name === 'UserObject') wrapper = given
    else if (name === 'mxCell') {
      cell = cellOf({ ...given, ...(wrapper ? { id: wrapper.id ?? '', value: wrapper.label ?? '' } : {}) })
      file.cells.push(cell)
      if (file.cells.length > mostCells) throw new DrawioError(`The file has more than ${mostCells.toLocaleString('en')} cells`)
    } else if (name === 'mxGeometry' && cell) Object.assign(cell, geometryOf(given))
  })
  parser.on('text', (text) => {
    const page = file.pages[0]
    if (page && file.pages.length === 1 && file.cells.length === 0) page.text += text
  })
  parser.on('closetag', ({ name }) => {
    depth--
    if (name === 'object' || name === 'UserObject') wrapper = null
    if (name === 'mxCell') cell = null
  })
  parser.write(xml).close()
  return file
}

function cellOf({ id = '', parent = '', value = '', style = '', vertex, edge, source = '', target = '' }: Record<string, string>): Cell {
  const kind = vertex === '1' ? 'vertex' : edge === '1' ? 'edge' : 'other'
  return { id, parent, label: plainText(value), style, kind, source, target, x: 0, y: 0, width: 120, height: 60 }
}

function geometryOf(given: Record<string, string>): Pick<Cell, 'x' | 'y' | 'width' | 'height'> {
  const number = (text: string | undefined, otherwise: number) => {
    const value = Number(text ?? otherwise)
    return Number.isFinite(value) ? Math.min(Math.max(value, -1_000_000), 1_000_000) : otherwise
  }
  return { x: number(given.x, 0), y: number(given.y, 0), width: number(given.width, 120), height: number(given.height, 60) }
}

/** Labels may be HTML: tags become spaces, the few entities that are left their characters. */
function plainText(value: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" }
  return value
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => entities[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
    .toWellFormed()
}

/** What is looked up of a file's cells, made once. */
interface Lookup {
  byId: ReadonlyMap<string, Cell>
  /** Ids that other cells are in. */
  containers: ReadonlySet<string>
  /** Labels that are cells of their own, by the edge they are in. */
  edgeLabels: ReadonlyMap<string, string>
  taken: Set<string>
}

function understand(cells: readonly Cell[], skipped: string[]): Pick<DrawioDiagram, 'nodes' | 'edges' | 'skipped'> {
  const vertices = cells.filter(({ kind }) => kind === 'vertex')
  const lookup: Lookup = {
    byId: new Map(cells.map((cell) => [cell.id, cell])),
    containers: new Set(vertices.map(({ parent }) => parent)),
    edgeLabels: new Map(vertices.map(({ parent, label }) => [parent, label])),
    taken: new Set(),
  }
  const nodes = vertices.flatMap((cell) => takeVertex(cell, lookup, skipped))
  const known = new Set(lookup.taken)
  const edges = cells.filter(({ kind }) => kind === 'edge').flatMap((cell) => takeEdge(cell, known, lookup, skipped))
  for (const [what, count, limit] of [
    ['nodes', nodes.length, most.nodes],
    ['edges', edges.length, most.edges],
  ] as const)
    if (count > limit) throw new DrawioError(`The diagram has ${count} ${what}; at most ${limit} are possible`)
  return { nodes, edges, skipped }
}

function takeVertex(cell: Cell, { byId, containers, taken }: Lookup, skipped: string[]): DiagramNode[] {
  const skip = (what: string) => leaveOut(skipped, what)
  const name = cell.label ? `“${cell.label}”` : `without a label (${cell.id})`
  // An edge's label is taken with the edge.
  if (byId.get(cell.parent)?.kind === 'edge') return []
  if (/(^|;)(text|label)(;|$)/.test(cell.style)) return skip(`Text ${name}`)
  if (containers.has(cell.id)) return skip(`Group ${name}: what is in it is taken`)
  if (!usable(cell.id, taken)) return skip(`Shape ${name}: its id is missing, too long or used twice`)
  const shape = /(?:shape|image)=([^;]+)/.exec(cell.style)?.[1] ?? ''
  const category = categoryOfWords(`${shape.replace(/[._/-]+/g, ' ')} ${cell.label}`)
  const style = { ...colour(cell.style, 'fillColor', 'backgroundColor'), ...colour(cell.style, 'strokeColor', 'borderColor') }
  const data = { label: cell.label || cell.id, category }
  return [{ id: cell.id, type: category, position: placeOf(cell, byId), ...(Object.keys(style).length > 0 ? { style } : {}), data }]
}

function leaveOut(skipped: string[], what: string): [] {
  skipped.push(what)
  return []
}

/** Marks an id as taken, if it can be one. */
function usable(id: string, taken: Set<string>): boolean {
  if (!id.trim() || id !== id.trim() || id.length > 100 || taken.has(id)) return false
  return taken.add(id) !== undefined
}

function colour(style: string, from: string, to: string): Record<string, string> {
  const value = new RegExp(`(?:^|;)${from}=(#[0-9a-fA-F]{6})(?:;|$)`).exec(style)?.[1]
  return value ? { [to]: value.toLowerCase() } : {}
}

/** Positions inside a group count from its corner. */
function placeOf(cell: Cell, byId: ReadonlyMap<string, Cell>): { x: number; y: number } {
  let [x, y] = [cell.x, cell.y]
  let parent = byId.get(cell.parent)
  for (let up = 0; parent?.kind === 'vertex' && up < 50; up++) {
    x += parent.x
    y += parent.y
    parent = byId.get(parent.parent)
  }
  return { x, y }
}

function takeEdge(cell: Cell, known: ReadonlySet<string>, { edgeLabels, taken }: Lookup, skipped: string[]): DiagramEdge[] {
  const label = cell.label || edgeLabels.get(cell.id) || ''
  const name = label ? `“${label}”` : `(${cell.id})`
  const skip = (what: string) => leaveOut(skipped, what)
  if (!known.has(cell.source) || !known.has(cell.target)) return skip(`Line ${name}: it does not join two shapes that were taken`)
  if (!usable(cell.id, taken)) return skip(`Line ${name}: its id is missing, too long or used twice`)
  const bent = /edgeStyle=(orthogonal|elbow|entityRelation|segment)/.test(cell.style)
  const routing = /curved=1/.test(cell.style) ? 'curved' : bent ? 'step' : 'straight'
  return [{ id: cell.id, source: cell.source, target: cell.target, routing, ...(label ? { label } : {}) }]
}
