import { ArchiveError, readZip } from '#rules/archive/zip.ts'
import type { Budget } from '#rules/budget.ts'
import type { XmlAttributes } from '#rules/text/walk-xml.ts'
import { ArticleError, type Block, type BlockWriter, createBlockWriter, formatCodeBlock, maxArticleLength, tooLongError } from './blocks.ts'
import { maxListDepth, parseLinkTargets, parseListDepth, parseOrderedLists, parseStyleNames, walkDocxXml } from './docx-parts.ts'
import { createGrowingText, type GrowingText } from './growing-text.ts'
import { type Cell, formatTable } from './table.ts'

const fileNames = {
  document: 'word/document.xml',
  links: 'word/_rels/document.xml.rels',
  styles: 'word/styles.xml',
  numbering: 'word/numbering.xml',
}
// A text may shrink when its spaces are collapsed. Links that repeat their target make it grow.
const maxRawLength = 2 * maxArticleLength

/** Read the blocks of a Word document. The style of a paragraph decides its kind. Tracked deletions are left out. */
export async function readDocx(bytes: Uint8Array<ArrayBuffer>, budget: Budget): Promise<Block[]> {
  const files = await readZip(bytes, Object.values(fileNames)).catch((error: unknown) => {
    throw error instanceof ArchiveError ? new ArticleError(error.message) : error
  })
  const document = files.get(fileNames.document)
  if (document === undefined) throw new ArticleError('The file is not a Word document', 'unsupported_format')
  const reader: DocxReader = {
    writer: createBlockWriter(),
    linkTargets: parseLinkTargets(files.get(fileNames.links), budget),
    styleNames: parseStyleNames(files.get(fileNames.styles), budget),
    orderedLevels: parseOrderedLists(files.get(fileNames.numbering), budget),
    openParagraphs: [],
    openLinks: [],
    openTables: [],
    codeLines: [],
    itemCounts: new Map(),
    rawLength: 0,
    ignoredDepth: 0,
    isInText: false,
  }
  walkDocxXml(document, budget, {
    onOpenTag: (name, attributes) => {
      if (ignoredElements.has(name)) reader.ignoredDepth++
      else if (reader.ignoredDepth === 0 && Object.hasOwn(openHandlers, name)) openHandlers[name]?.(reader, attributes)
    },
    onCloseTag: (name) => {
      if (ignoredElements.has(name)) reader.ignoredDepth--
      else if (reader.ignoredDepth === 0 && Object.hasOwn(closeHandlers, name)) closeHandlers[name]?.(reader)
    },
    onText: (text) => {
      if (reader.isInText) appendText(reader, text)
    },
  })
  writeCode(reader)
  return reader.writer.blocks
}

/** Copies for older programs, text that was moved elsewhere, and the formatting before a tracked change. */
const ignoredElements = new Set(['mc:Fallback', 'w:moveFrom', 'w:pPrChange', 'w:rPrChange', 'w:sectPrChange', 'w:tblPrChange'])

interface Paragraph {
  text: GrowingText
  styleId: string
  /** Empty if the paragraph is not in a list. */
  listId: string
  listDepth: number
}

interface Table {
  rows: Cell[][]
  /** The texts of the open cell. */
  cell: string[]
  /** The number of columns of the open cell. */
  columns: number
  /** The paragraphs of an outermost table and of the tables in it. */
  paragraphs: Paragraph[]
}

interface DocxReader {
  writer: BlockWriter
  linkTargets: Map<string, string>
  styleNames: Map<string, string>
  orderedLevels: Set<string>
  /** Paragraphs can be nested: a text box is inside a paragraph. */
  openParagraphs: Paragraph[]
  /** Empty for a link without a web or e-mail address. */
  openLinks: string[]
  openTables: Table[]
  /** The lines of the code block that the next paragraph may continue. */
  codeLines: string[]
  /** The number of the last item, by `listId depth`. */
  itemCounts: Map<string, number>
  /** The number of characters that were appended to paragraphs. */
  rawLength: number
  ignoredDepth: number
  isInText: boolean
}

const openHandlers: Record<string, (reader: DocxReader, attributes: XmlAttributes) => void> = {
  'w:p': ({ openParagraphs }) => {
    openParagraphs.push({ text: createGrowingText(), styleId: '', listId: '', listDepth: 0 })
  },
  'w:pStyle': (reader, attributes) => setParagraph(reader, { styleId: attributes['w:val'] ?? '' }),
  'w:numId': (reader, attributes) => {
    const listId = attributes['w:val'] ?? ''
    // List 0 removes the paragraph from the list of its style.
    setParagraph(reader, { listId: listId === '0' ? '' : listId })
  },
  'w:ilvl': (reader, attributes) => setParagraph(reader, { listDepth: parseListDepth(attributes['w:val']) }),
  'w:t': (reader) => {
    reader.isInText = true
  },
  'w:tab': (reader) => appendText(reader, '\t'),
  'w:br': (reader) => appendText(reader, '\n'),
  'w:cr': (reader) => appendText(reader, '\n'),
  'w:noBreakHyphen': (reader) => appendText(reader, '-'),
  'w:hyperlink': ({ openLinks, linkTargets }, attributes) => {
    openLinks.push(linkTargets.get(attributes['r:id'] ?? '') ?? '')
  },
  'w:tbl': (reader) => {
    writeCode(reader)
    reader.openTables.push({ rows: [], cell: [], columns: 1, paragraphs: [] })
  },
  'w:tr': ({ openTables }) => {
    openTables.at(-1)?.rows.push([])
  },
  'w:gridSpan': ({ openTables }, attributes) => {
    const table = openTables.at(-1)
    if (table && /^[1-9]\d{0,2}$/.test(attributes['w:val'] ?? '')) table.columns = Number(attributes['w:val'])
  },
}

const closeHandlers: Record<string, (reader: DocxReader) => void> = {
  'w:t': (reader) => {
    reader.isInText = false
  },
  'w:p': (reader) => {
    const paragraph = reader.openParagraphs.pop()
    const table = reader.openTables.at(-1)
    if (!paragraph) return
    if (table) {
      reader.openTables[0]?.paragraphs.push(paragraph)
      table.cell.push(collapseSpaces(paragraph.text.read()))
    } else writeParagraph(reader, paragraph)
  },
  'w:hyperlink': (reader) => {
    const target = reader.openLinks.pop()
    const isTargetVisible = target && reader.openParagraphs.at(-1)?.text.endsWith(target)
    if (target && !isTargetVisible) appendText(reader, ` (${target})`)
  },
  'w:tc': ({ openTables }) => {
    const table = openTables.at(-1)
    if (!table) return
    // A cell that continues the one above it is in the file, without a text.
    table.rows.at(-1)?.push({ text: table.cell.splice(0).filter(Boolean).join(' '), columns: table.columns, rows: 1 })
    table.columns = 1
  },
  'w:tbl': closeTable,
}

function setParagraph({ openParagraphs }: DocxReader, properties: Partial<Paragraph>): void {
  const paragraph = openParagraphs.at(-1)
  if (paragraph) Object.assign(paragraph, properties)
}

function closeTable(reader: DocxReader): void {
  const table = reader.openTables.pop()
  if (!table) return
  const outerTable = reader.openTables.at(-1)
  const hasSeveralColumns = table.rows.some(({ length }) => length > 1)
  if (outerTable) outerTable.cell.push(joinCells(table.rows))
  else if (hasSeveralColumns) reader.writer.add('table', formatTable(table.rows))
  // A table with one column is only a frame, usually around code.
  else for (const paragraph of table.paragraphs) writeParagraph(reader, paragraph)
}

/** Join the cells of a table that is inside a cell. */
function joinCells(rows: readonly Cell[][]): string {
  const joinTexts = (texts: readonly string[], separator: string) => texts.filter(Boolean).join(separator)
  const lines = rows.map((row) =>
    joinTexts(
      row.map(({ text }) => text),
      ', ',
    ),
  )
  return joinTexts(lines, '; ')
}

function writeParagraph(reader: DocxReader, paragraph: Paragraph): void {
  const style = (reader.styleNames.get(paragraph.styleId) ?? paragraph.styleId).toLowerCase()
  if (/code|preformatted|macro/.test(style)) {
    reader.codeLines.push(paragraph.text.read())
    return
  }
  writeCode(reader)
  const text = paragraph.text
    .read()
    .replace(/[\t ]+/g, ' ')
    .trim()
  const headingLevel = style === 'title' ? 1 : Number(/^heading ?([1-6])/.exec(style)?.[1] ?? 0)
  const listStyle = /^list (bullet|number) ?([2-5])?/.exec(style)
  if (headingLevel > 0) reader.writer.add('heading', collapseSpaces(text), headingLevel)
  else if (!paragraph.listId && !listStyle) reader.writer.add('text', text)
  else {
    const depth = paragraph.listDepth || Number(listStyle?.[2] ?? 1) - 1
    const isOrdered = reader.orderedLevels.has(`${paragraph.listId} ${depth}`) || listStyle?.[1] === 'number'
    const marker = isOrdered ? `${takeItemNumber(reader, paragraph.listId, depth)}.` : '-'
    reader.writer.addListLine(depth, marker, text)
  }
}

/** Return the number of the next item, and restart the numbers of all deeper levels. */
function takeItemNumber({ itemCounts }: DocxReader, listId: string, depth: number): number {
  for (let deeper = depth + 1; deeper <= maxListDepth; deeper++) itemCounts.delete(`${listId} ${deeper}`)
  const number = (itemCounts.get(`${listId} ${depth}`) ?? 0) + 1
  itemCounts.set(`${listId} ${depth}`, number)
  return number
}

function writeCode({ writer, codeLines }: DocxReader): void {
  if (codeLines.length > 0) writer.add('code', formatCodeBlock(codeLines.splice(0).join('\n')))
}

function appendText(reader: DocxReader, text: string): void {
  reader.rawLength += text.length
  if (reader.rawLength > maxRawLength) throw tooLongError()
  reader.openParagraphs.at(-1)?.text.append(text)
}

function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
