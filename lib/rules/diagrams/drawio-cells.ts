import { inflateRaw } from '#rules/archive/inflate.ts'
import { spend } from '#rules/budget.ts'
import { decodeBase64 } from '#rules/text/bytes.ts'
import { walkXml, type XmlAttributes } from '#rules/text/walk-xml.ts'
import { type LabelSource, readLabel, toLine } from './drawio-labels.ts'
import { DiagramFileError } from './file-error.ts'

// Reads the cells of a draw.io file, compressed or not. The elements are mxfile > diagram > mxGraphModel >
// root > mxCell. A cell with extra data is wrapped in an object or UserObject element.

/** The number of a page, the first is 1, or its name. */
export type PageChoice = number | string

export interface Point {
  x: number
  y: number
}

/** A cell of which only the label is not read yet. */
interface SourceCell extends LabelSource {
  isVisible: boolean
  kind: 'vertex' | 'edge' | 'other'
  source: string
  target: string
  /** Where the ends of a line are that are at no shape, within the group. */
  ends: { source?: Point; target?: Point }
  /** Where a line turns, within the group. */
  turns: Point[]
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
const maxListedPages = 20
const maxXmlDepth = 100
const maxTurns = 50
/** Within a group. */
const maxCoordinate = 10_000_000

/** Parse a draw.io file and the cells of a page, plain or compressed. */
export async function readCells(xml: string, chosenPage: PageChoice): Promise<DrawioFile> {
  const file = parseXml(xml, chosenPage)
  const { pages, page } = file
  if (page === undefined && (pages.length > 0 || chosenPage !== 1)) throw createPageError(chosenPage, pages)
  const cells =
    file.cells.length === 0 && file.text.trim() ? await parseCompressedCells(file.text) : file.cells
  const variables = {
    page: pages[page ?? 0] ?? '',
    pagenumber: String((page ?? 0) + 1),
    pagecount: String(pages.length),
  }
  const context = { cellById: new Map(cells.map((cell) => [cell.id, cell])), variables }
  return {
    pages,
    page: page ?? 0,
    cells: cells.map((source) => {
      const { value: _, ...cell } = source
      return { ...cell, label: readLabel(source, context) }
    }),
  }
}

function createPageError(chosenPage: PageChoice, pages: readonly (string | null)[]): DiagramFileError {
  const names = pages.slice(0, maxListedPages).map((name, index) => (name ? `“${name}”` : index + 1))
  const more = pages.length > maxListedPages ? ` and ${pages.length - maxListedPages} more` : ''
  const known =
    pages.length === 0 ? 'it has one page, without a name' : `its pages are ${names.join(', ')}${more}`
  return new DiagramFileError(
    `The file has no page ${typeof chosenPage === 'number' ? chosenPage : `“${chosenPage}”`}; ${known}`,
    'page',
  )
}

/** Parse XML that was URL-encoded, and in most files also deflated and base64-encoded. */
async function parseCompressedCells(text: string): Promise<SourceCell[]> {
  const isOnlyEncoded = text.trimStart().startsWith('%3C')
  const deflated = isOnlyEncoded ? null : readBase64(text.trim())
  const encodedXml = isOnlyEncoded ? text.trim() : deflated && (await inflateRaw(deflated, maxInflatedBytes))
  if (!encodedXml)
    throw new DiagramFileError('The compressed diagram cannot be decompressed, or is too large')
  let xml: string
  try {
    xml = decodeURIComponent(encodedXml)
  } catch {
    throw new DiagramFileError('The compressed diagram is damaged')
  }
  return parseXml(xml, 1).cells
}

function readBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return decodeBase64(text)
  } catch {
    return null
  }
}

export interface DrawioFile {
  /** The names of the pages. */
  pages: (string | null)[]
  /** The index of the chosen page. */
  page: number
  cells: Cell[]
}

interface ParsedXml extends Pick<DrawioFile, 'pages'> {
  /** The index of the chosen page. Undefined if the file does not have it. */
  page: number | undefined
  /** The text of the chosen page, if it is compressed. */
  text: string
  /** The cells of the chosen page, or of a file without pages. Empty if that page is compressed. */
  cells: SourceCell[]
}

function parseXml(xml: string, chosenPage: PageChoice): ParsedXml {
  const file: ParsedXml = { pages: [], page: undefined, text: '', cells: [] }
  const addPage = (name: string | null) => {
    const isChosen =
      typeof chosenPage === 'number' ? file.pages.length === chosenPage - 1 : name === toLine(chosenPage)
    if (isChosen) file.page ??= file.pages.length
    file.pages.push(name)
  }
  const isOnChosenPage = () => file.page === (file.pages.length === 0 ? undefined : file.pages.length - 1)
  /** The element around the next cell. */
  let wrapper: XmlAttributes | null = null
  let cell: SourceCell | null = null
  const createError = (reason: string) => new DiagramFileError(`The file ${reason}`)
  walkXml(
    xml,
    { maxDepth: maxXmlDepth, createError },
    {
      onOpenTag: (name, attributes) => {
        if (name === 'diagram') addPage(toLine(attributes.name ?? '') || null)
        if (!isOnChosenPage()) return
        if (isWrapper(name)) wrapper = attributes
        else if (name === 'mxCell') {
          cell = createCell(attributes, wrapper)
          // It wraps one cell. Otherwise a long label would be read for each of many cells.
          wrapper = null
          file.cells.push(cell)
          if (file.cells.length > maxCells)
            throw new DiagramFileError(`The file has more than ${maxCells.toLocaleString('en')} cells`)
        } else if (name === 'mxGeometry' && cell) Object.assign(cell, parseGeometry(attributes))
        else if (name === 'mxPoint' && cell) {
          const { x, y } = parseGeometry(attributes)
          if (attributes.as === 'sourcePoint') cell.ends.source = { x, y }
          if (attributes.as === 'targetPoint') cell.ends.target = { x, y }
          if (attributes.as === undefined && cell.turns.length < maxTurns) cell.turns.push({ x, y })
        }
      },
      onText: (text) => {
        if (file.page !== undefined && isOnChosenPage() && file.cells.length === 0) file.text += text
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

/** A style may be millions of properties. */
const stepsPerCharacter = 5
const defaultSize = { width: 120, height: 60 }

function createCell(attributes: XmlAttributes, wrapper: XmlAttributes | null): SourceCell {
  const { parent = '', style = '', vertex, edge, source = '', target = '', visible } = attributes
  spend(style.length * stepsPerCharacter)
  const kind = vertex === '1' ? 'vertex' : edge === '1' ? 'edge' : 'other'
  const { id = '', value = '' } = wrapper ? { id: wrapper.id, value: wrapper.label } : attributes
  const place = { x: 0, y: 0, ...defaultSize }
  return {
    id,
    parent,
    value,
    data: wrapper,
    // Programs put each property on a line of its own.
    style:
      style.includes(' ') || style.includes('\n')
        ? style
            .split(';')
            .map((each) => each.trim())
            .join(';')
        : style,
    isVisible: visible !== '0',
    kind,
    source,
    target,
    ends: {},
    turns: [],
    ...place,
  }
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
