import { inflateRaw } from '#rules/archive/inflate.ts'
import type { Budget } from '#rules/budget.ts'
import { walkXml, type XmlAttributes } from '#rules/text/walk-xml.ts'
import { type LabelSource, readLabel, toLine } from './drawio-labels.ts'

// Reads the cells of a draw.io file, compressed or not. The elements are mxfile > diagram > mxGraphModel > root > mxCell. A cell with extra
// data is wrapped in an object or UserObject element.

/** Thrown if a file cannot be read. Its message is for the user. */
export class DrawioError extends Error {}

/** A cell of which only the label is not read yet. */
interface SourceCell extends LabelSource {
  isVisible: boolean
  kind: 'vertex' | 'edge' | 'other'
  source: string
  target: string
  x: number
  y: number
  width: number
  height: number
}

export interface Cell extends Omit<SourceCell, 'value'> {
  /** The text that draw.io shows, on one line. */
  label: string
}

const maxInflatedBytes = 8 * 1024 * 1024
const maxCells = 20_000
const maxXmlDepth = 100
const maxCoordinate = 1_000_000

/** Parse a draw.io file and the cells of its first page, plain or compressed. */
export async function readCells(xml: string, budget: Budget): Promise<DrawioFile> {
  const file = parseXml(xml, budget)
  const [page] = file.pages
  const cells = file.cells.length === 0 && page ? await parseCompressedCells(page.text, budget) : file.cells
  const variables = { page: page?.name ?? '', pagenumber: '1', pagecount: String(file.pages.length) }
  const context = { cellById: new Map(cells.map((cell) => [cell.id, cell])), variables, budget }
  const pages = file.pages.map(({ name }) => name)
  return {
    pages,
    cells: cells.map((source) => {
      const { value: _, ...cell } = source
      return { ...cell, label: readLabel(source, context) }
    }),
  }
}

/** Parse XML that was URL-encoded, deflated and base64-encoded. */
async function parseCompressedCells(text: string, budget: Budget): Promise<SourceCell[]> {
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

export interface DrawioFile {
  /** The names of the pages. */
  pages: (string | null)[]
  /** The cells of the first page. */
  cells: Cell[]
}

interface ParsedXml {
  pages: { name: string | null; text: string }[]
  /** The cells of the first page. Empty if that page is compressed. */
  cells: SourceCell[]
}

function parseXml(xml: string, budget: Budget): ParsedXml {
  const file: ParsedXml = { pages: [], cells: [] }
  /** The element around the next cell. */
  let wrapper: XmlAttributes | null = null
  let cell: SourceCell | null = null
  const createError = (reason: string) => new DrawioError(`The file ${reason}`)
  walkXml(
    xml,
    { maxDepth: maxXmlDepth, budget, createError },
    {
      onOpenTag: (name, attributes) => {
        if (name === 'diagram') file.pages.push({ name: toLine(attributes.name ?? '') || null, text: '' })
        if (file.pages.length > 1) return
        if (isWrapper(name)) wrapper = attributes
        else if (name === 'mxCell') {
          cell = createCell(attributes, wrapper)
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

function createCell(attributes: XmlAttributes, wrapper: XmlAttributes | null): SourceCell {
  const { parent = '', style = '', vertex, edge, source = '', target = '', visible } = attributes
  const kind = vertex === '1' ? 'vertex' : edge === '1' ? 'edge' : 'other'
  const { id = '', value = '' } = wrapper ? { id: wrapper.id, value: wrapper.label } : attributes
  const place = { x: 0, y: 0, ...defaultSize }
  return { id, parent, value, data: wrapper, style, isVisible: visible !== '0', kind, source, target, ...place }
}

function parseGeometry(attributes: XmlAttributes): Pick<Cell, 'x' | 'y' | 'width' | 'height'> {
  const parseNumber = (text: string | undefined, defaultValue: number) => {
    const value = Number(text)
    return Number.isFinite(value) ? Math.min(Math.max(value, -maxCoordinate), maxCoordinate) : defaultValue
  }
  return {
    x: parseNumber(attributes.x, 0),
    y: parseNumber(attributes.y, 0),
    width: parseNumber(attributes.width, defaultSize.width),
    height: parseNumber(attributes.height, defaultSize.height),
  }
}
