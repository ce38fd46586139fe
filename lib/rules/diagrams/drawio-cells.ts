import { inflateRaw } from '#rules/archive/inflate.ts'
import type { Budget } from '#rules/budget.ts'
import { walkXml, type XmlAttributes } from '#rules/text/walk-xml.ts'

// Reads the cells of a draw.io file, compressed or not. The elements are mxfile > diagram > mxGraphModel > root > mxCell. A cell with extra
// data is wrapped in an object or UserObject element.

/** Thrown if a file cannot be read. Its message is for the user. */
export class DrawioError extends Error {}

export interface Cell {
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

/** Parse XML that was URL-encoded, deflated and base64-encoded. */
export async function parseCompressedCells(text: string, budget: Budget): Promise<Cell[]> {
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

/** Parse the pages of a file, and the cells of the first one. */
export function parseXml(xml: string, budget: Budget): DrawioFile {
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
          cell = createCell({ ...attributes, ...(wrapper ? { id: wrapper.id, value: wrapper.label } : {}) })
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
