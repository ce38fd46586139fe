import { ArchiveError, readZip } from '#rules/archive/zip.ts'
import { spendBytes } from '#rules/budget.ts'
import { escapeMarkdown, type Markdown, toMarkdown } from '#rules/markup/markdown.ts'
import type { XmlAttributes } from '#rules/text/walk-xml.ts'
import {
  ArticleError,
  type Block,
  type BlockWriter,
  createBlockWriter,
  formatCodeBlock,
  maxArticleLength,
  tooLongError,
} from './blocks.ts'
import { createFormulaReader, type FormulaReader } from './docx-formulas.ts'
import { parseNotes } from './docx-notes.ts'
import { type Numbering, parseNumbering } from './docx-numbering.ts'
import {
  findFiles,
  findMainFile,
  isOn,
  listStyles,
  nameRelations,
  parseLinkTargets,
  parseListDepth,
  parseOutlineLevel,
  parseStyles,
  type Style,
  type Styles,
  walkDocxXml,
} from './docx-parts.ts'
import { findHeadingLevel, findLossOfRun, plainRun, type Run } from './docx-properties.ts'
import { createShown, type Shown } from './docx-shown.ts'
import { countLoss, createLosses, cutPictureName, type Losses, losePicture } from './losses.ts'
import { createProse, type Prose, writeRaised } from './prose.ts'
import { findSymbol, replaceSymbols } from './symbols.ts'
import { type Cell, formatTable } from './table.ts'

// A text may shrink when its spaces are collapsed. Links that repeat their target make it grow.
const maxRawLength = 2 * maxArticleLength

/**
 * Read the blocks of a Word document. The style of a paragraph decides its kind. Tracked deletions, struck and
 * hidden texts are left out.
 */
export async function readDocx(
  bytes: Uint8Array<ArrayBuffer>,
  losses: Losses = createLosses(),
): Promise<Block[]> {
  const read = (names: string[]) =>
    readZip(bytes, names).catch((error: unknown) => {
      throw error instanceof ArchiveError ? new ArticleError(error.message) : error
    })
  const main = findMainFile((await read([rootRelations])).get(rootRelations))
  const relations = nameRelations(main)
  const names = findFiles(main, (await read([relations])).get(relations))
  const files = await read(Object.values(names))
  const document = files.get(names.document)
  if (document === undefined) throw new ArticleError('The file is not a Word document', 'unsupported_format')
  const styles = parseStyles(files.get(names.styles))
  const reader: DocxReader = {
    writer: createBlockWriter(),
    losses,
    linkTargets: parseLinkTargets(files.get(names.links)),
    styles,
    numbering: parseNumbering(files.get(names.numbering), styles.byId),
    footnotes: parseNotes(files.get(names.footnotes), styles, losses),
    endnotes: parseNotes(files.get(names.endnotes), styles, losses),
    openParagraphs: [],
    openLinks: [],
    openFields: [],
    openInstructions: [],
    openTables: [],
    codeLines: [],
    rawLength: 0,
    shown: createShown(),
    isInText: false,
    isInInstruction: false,
    isInParagraphProperties: false,
    run: plainRun,
    continued: null,
    drawingName: '',
    box: null,
    formula: createFormulaReader(),
  }
  const { shown } = reader
  walkDocxXml(document, {
    onOpenTag: (name, attributes) => {
      shown.open(name, attributes)
      if (reader.isInParagraphProperties && deletedMarks.has(name))
        setParagraph(reader, { isMarkDeleted: true })
      if (!shown.isShown()) return
      if (name.startsWith('m:')) {
        if (runsOfFormulas.has(name)) reader.run = plainRun
        reader.formula.open(name, attributes)
      } else if (Object.hasOwn(openHandlers, name)) openHandlers[name]?.(reader, attributes)
    },
    onCloseTag: (name) => {
      shown.close(name)
      if (!shown.isShown()) return
      if (name.startsWith('m:')) {
        if (runsOfFormulas.has(name)) reader.run = plainRun
        appendText(reader, reader.formula.close())
      } else if (Object.hasOwn(closeHandlers, name)) closeHandlers[name]?.(reader)
    },
    onText: (text) => {
      if (!shown.isShown()) return
      if (reader.isInText && reader.openInstructions.length === 0) appendText(reader, replaceSymbols(text))
      if (reader.formula.isInText() && !isLost(reader, text)) reader.formula.addText(text)
      const field = reader.openFields.at(-1)
      if (reader.isInInstruction && field)
        field.instruction = (field.instruction + text).slice(0, maxInstructionLength)
    },
  })
  if (reader.continued) writeParagraph(reader, { ...emptyParagraph, prose: reader.continued })
  writeCode(reader)
  return reader.writer.blocks
}

const rootRelations = '_rels/.rels'
const maxInstructionLength = 4000
/** In the properties of a paragraph, these delete its end, so that the next one continues it. */
const deletedMarks = new Set(['w:del', 'w:moveFrom'])

/** What has properties of runs in a formula. */
const runsOfFormulas = new Set(['m:r', 'm:ctrlPr'])

interface Paragraph {
  prose: Prose
  isMarkDeleted: boolean
  outlineLevel: number | null
  styleId: string
  /** `0` takes the paragraph out of the list of its style; null leaves that to the style. */
  listId: string | null
  listDepth: number
  item?: Item | null
}

const emptyParagraph: Omit<Paragraph, 'prose'> = {
  isMarkDeleted: false,
  outlineLevel: null,
  styleId: '',
  listId: null,
  listDepth: 0,
}

interface Table {
  styleId: string
  rows: Cell[][]
  /** The texts of the open cell. */
  cell: Markdown[]
  /** The number of columns of the open cell. */
  columns: number
  /** The paragraphs of an outermost table and of the tables in it, as long as it has one column. */
  paragraphs: Paragraph[]
  hasSeveralColumns: boolean
  isInRowProperties: boolean
  isRowDeleted: boolean
}

/** Bytes of memory of a paragraph, a row or a cell that a table keeps, beside its text. */
const [paragraphBytes, cellBytes] = [1000, 150]

interface DocxReader {
  writer: BlockWriter
  losses: Losses
  linkTargets: Map<string, string>
  styles: Styles
  footnotes: Map<string, string>
  endnotes: Map<string, string>
  numbering: Numbering
  /** Paragraphs can be nested: a text box is inside a paragraph. */
  openParagraphs: Paragraph[]
  /** Empty for a link without a web or e-mail address. */
  openLinks: string[]
  /** A field has an instruction, and then its result. */
  openFields: { instruction: string }[]
  /** Those of them whose result has not begun. Another field in an instruction is not shown. */
  openInstructions: { instruction: string }[]
  openTables: Table[]
  /** The lines of the code block that the next paragraph may continue. */
  codeLines: string[]
  /** The number of characters that were appended to paragraphs. */
  rawLength: number
  shown: Shown
  isInText: boolean
  isInInstruction: boolean
  isInParagraphProperties: boolean
  run: Run
  /** The words of a paragraph whose end was deleted. */
  continued: Prose | null
  drawingName: string
  /** The box of a check list whose sign comes next. */
  box: '☐' | '☑' | null
  formula: FormulaReader
}

/** A chart, a SmartArt, a canvas, a group of shapes and handwriting, by the names of their formats. */
const lostDrawings = /\/(?:chart|chartex|diagram|wordprocessingCanvas|wordprocessingGroup|wordprocessingInk)$/

const openHandlers: Record<string, (reader: DocxReader, attributes: XmlAttributes) => void> = {
  'w:p': (reader) => {
    reader.openParagraphs.push({ ...emptyParagraph, prose: reader.continued ?? createProse() })
    reader.continued = null
  },
  'w:pPr': (reader) => {
    reader.isInParagraphProperties = true
  },
  'w:outlineLvl': (reader, attributes) =>
    setParagraph(reader, { outlineLevel: parseOutlineLevel(attributes['w:val']) }),
  'w:r': (reader) => {
    reader.run = plainRun
  },
  'w:strike': (reader, attributes) => setRun(reader, { isStruck: isOn(attributes) }),
  'w:dstrike': (reader, attributes) => setRun(reader, { isStruck: isOn(attributes) }),
  'w:vanish': (reader, attributes) => setRun(reader, { isHidden: isOn(attributes) }),
  'w:specVanish': (reader, attributes) => {
    if (isOn(attributes)) setRun(reader, { isHidden: true })
  },
  'w:vertAlign': (reader, attributes) => {
    const value = attributes['w:val']
    setRun(reader, { raised: value === 'superscript' || value === 'subscript' ? value : null })
  },
  'w:rStyle': (reader, attributes) => setRun(reader, { styleId: attributes['w:val'] ?? '' }),
  'w:pStyle': (reader, attributes) => setParagraph(reader, { styleId: attributes['w:val'] ?? '' }),
  'w:numId': (reader, attributes) => setParagraph(reader, { listId: attributes['w:val'] ?? '' }),
  'w:ilvl': (reader, attributes) => setParagraph(reader, { listDepth: parseListDepth(attributes['w:val']) }),
  'w:t': (reader) => {
    reader.isInText = true
  },
  'w:tab': (reader) => appendText(reader, '\t'),
  'w:br': (reader) => appendText(reader, '\n'),
  'w:cr': (reader) => appendText(reader, '\n'),
  'w:sym': (reader, attributes) => {
    const symbol = findSymbol(attributes['w:char'] ?? '')
    if (symbol === undefined) countLoss(reader.losses, 'symbol')
    else appendText(reader, symbol)
  },
  'w:footnoteReference': (reader, attributes) =>
    appendNote(reader, reader.footnotes.get(attributes['w:id'] ?? '')),
  'w:endnoteReference': (reader, attributes) =>
    appendNote(reader, reader.endnotes.get(attributes['w:id'] ?? '')),
  'w:commentReference': ({ losses }) => countLoss(losses, 'comment'),
  'w:object': ({ losses }) => countLoss(losses, 'object'),
  'w:altChunk': ({ losses }) => countLoss(losses, 'document'),
  'wp:docPr': (reader, { descr, title, name }) => {
    reader.drawingName = cutPictureName(descr || title || name || '')
  },
  'a:graphicData': (reader, { uri = '' }) => {
    if (lostDrawings.test(uri)) appendText(reader, ` ${losePicture(reader.losses, reader.drawingName)} `)
  },
  'pic:pic': (reader) => appendText(reader, ` ${losePicture(reader.losses, reader.drawingName)} `),
  'v:imagedata': (reader, attributes) =>
    appendText(reader, ` ${losePicture(reader.losses, attributes['o:title'] ?? '')} `),
  'w:fldSimple': ({ openFields }, attributes) => {
    openFields.push({ instruction: (attributes['w:instr'] ?? '').slice(0, maxInstructionLength) })
  },
  'w:fldChar': (reader, attributes) => {
    const type = attributes['w:fldCharType']
    if (type === 'begin') {
      const field = { instruction: '' }
      reader.openFields.push(field)
      reader.openInstructions.push(field)
    } else if (type === 'separate') closeInstruction(reader)
    else if (type === 'end') closeField(reader)
  },
  'w:instrText': (reader) => {
    reader.isInInstruction = true
  },
  // Of a content control, the sign that shows its state is the author's choice.
  'w14:checkbox': (reader) => {
    reader.box = '☐'
  },
  'w14:checked': (reader, attributes) => {
    reader.box = isOn({ 'w:val': attributes['w14:val'] ?? '' }) ? '☑' : '☐'
  },
  // That of a form shows no sign, and its state is before that of an empty form.
  'w:checkBox': (reader) => {
    reader.box = '☐'
  },
  'w:default': tickBox,
  'w:checked': tickBox,
  'w:trPr': ({ openTables }) => {
    const table = openTables.at(-1)
    if (table) table.isInRowProperties = true
  },
  'w:del': ({ openTables }) => {
    const table = openTables.at(-1)
    if (table?.isInRowProperties) table.isRowDeleted = true
  },
  'w:hidden': ({ openTables, shown, losses }, attributes) => {
    const table = openTables.at(-1)
    if (!table?.isInRowProperties || !isOn(attributes)) return
    // The rest of the row is not read, not even the end of its properties.
    table.isInRowProperties = false
    table.isRowDeleted = true
    shown.ignoreAround(2)
    countLoss(losses, 'hidden')
  },
  'w:noBreakHyphen': (reader) => appendText(reader, '-'),
  'w:hyperlink': ({ openLinks, linkTargets }, attributes) => {
    openLinks.push(linkTargets.get(attributes['r:id'] ?? '') ?? '')
  },
  'w:tbl': (reader) => {
    writeCode(reader)
    reader.openTables.push({
      styleId: '',
      rows: [],
      cell: [],
      columns: 1,
      paragraphs: [],
      hasSeveralColumns: false,
      isInRowProperties: false,
      isRowDeleted: false,
    })
  },
  'w:tblStyle': ({ openTables }, attributes) => {
    const table = openTables.at(-1)
    if (table) table.styleId = attributes['w:val'] ?? ''
  },
  'w:tr': ({ openTables }) => {
    spendBytes(cellBytes)
    openTables.at(-1)?.rows.push([])
  },
  'w:gridSpan': ({ openTables }, attributes) => {
    const table = openTables.at(-1)
    if (table && /^[1-9]\d{0,2}$/.test(attributes['w:val'] ?? '')) table.columns = Number(attributes['w:val'])
  },
}

function tickBox(reader: DocxReader, attributes: XmlAttributes): void {
  if (reader.box) reader.box = isOn(attributes) ? '☑' : '☐'
}

const closeHandlers: Record<string, (reader: DocxReader) => void> = {
  'w:t': (reader) => {
    reader.isInText = false
  },
  'w:instrText': (reader) => {
    reader.isInInstruction = false
  },
  'w:checkBox': (reader) => appendText(reader, ' '),
  'w:sdtContent': (reader) => {
    reader.box = null
  },
  'w:fldSimple': closeField,
  'w:pPr': (reader) => {
    reader.isInParagraphProperties = false
  },
  'w:r': (reader) => {
    reader.run = plainRun
  },
  'w:p': (reader) => {
    // An instruction ends with its paragraph, so that a damaged field hides no other.
    reader.openInstructions = []
    const paragraph = reader.openParagraphs.pop()
    if (!paragraph) return
    if (paragraph.isMarkDeleted) reader.continued = paragraph.prose
    else endParagraph(reader, paragraph)
  },
  'w:hyperlink': (reader) => appendAddress(reader, reader.openLinks.pop() ?? ''),
  'w:trPr': ({ openTables }) => {
    const table = openTables.at(-1)
    if (table) table.isInRowProperties = false
  },
  'w:tr': ({ openTables }) => {
    const table = openTables.at(-1)
    if (!table) return
    if (table.isRowDeleted) table.rows.pop()
    else if ((table.rows.at(-1)?.length ?? 0) > 1) {
      table.hasSeveralColumns = true
      table.paragraphs = []
    }
    table.isRowDeleted = false
  },
  'w:tc': ({ openTables }) => {
    const table = openTables.at(-1)
    if (!table) return
    spendBytes(cellBytes)
    // A cell that continues the one above it is in the file, without a text.
    table.rows.at(-1)?.push({
      text: toMarkdown(table.cell.splice(0).filter(Boolean).join(' ')),
      columns: table.columns,
      rows: 1,
    })
    table.columns = 1
  },
  'w:tbl': closeTable,
}

function endParagraph(reader: DocxReader, paragraph: Paragraph): void {
  const table = reader.openTables.at(-1)
  if (!table) {
    writeParagraph(reader, paragraph)
    return
  }
  const [outermost] = reader.openTables
  if (outermost && !outermost.hasSeveralColumns) {
    spendBytes(paragraphBytes)
    outermost.paragraphs.push(paragraph)
  }
  const item = readItem(reader, paragraph)
  const text = paragraph.prose.readMarkdown(collapseSpaces)
  const marker = item && text !== '' ? `${item.marker === '-' ? '•' : item.marker} ${item.words}` : ''
  table.cell.push(toMarkdown(marker + text))
}

/** In the properties of a paragraph, a run is its end. */
function setRun(reader: DocxReader, properties: Partial<Run>): void {
  if (!reader.isInParagraphProperties) reader.run = { ...reader.run, ...properties }
}

function appendNote(reader: DocxReader, note: string | undefined): void {
  if (note) appendText(reader, ` (${note})`)
}

/** End the instruction of the innermost field, unless it has ended. */
function closeInstruction({ openFields, openInstructions }: DocxReader): void {
  if (openInstructions.at(-1) === openFields.at(-1)) openInstructions.pop()
}

/** End a field. That of a link has its address: `HYPERLINK "https://kb.example.com"`. */
function closeField(reader: DocxReader): void {
  closeInstruction(reader)
  const { instruction = '' } = reader.openFields.pop() ?? {}
  const [, address = ''] = /^\s*HYPERLINK\s+"?((?:https?|mailto):[^\s"]{1,2000})/i.exec(instruction) ?? []
  appendAddress(reader, address)
}

function appendAddress(reader: DocxReader, address: string): void {
  if (address === '') return
  countLength(reader, address)
  reader.openParagraphs.at(-1)?.prose.addAddress(address)
}

function setParagraph({ openParagraphs }: DocxReader, properties: Partial<Paragraph>): void {
  const paragraph = openParagraphs.at(-1)
  if (paragraph) Object.assign(paragraph, properties)
}

function closeTable(reader: DocxReader): void {
  const table = reader.openTables.pop()
  if (!table) return
  const outerTable = reader.openTables.at(-1)
  if (outerTable) outerTable.cell.push(joinCells(table.rows))
  else if (table.hasSeveralColumns) reader.writer.add('table', formatTable(table.rows))
  // A table with one column is only a frame, usually around code.
  else for (const paragraph of table.paragraphs) writeParagraph(reader, paragraph)
}

/** Join the cells of a table that is inside a cell. */
function joinCells(rows: readonly Cell[][]): Markdown {
  const joinTexts = (texts: readonly string[], separator: string) => texts.filter(Boolean).join(separator)
  const lines = rows.map((row) =>
    joinTexts(
      row.map(({ text }) => text),
      ', ',
    ),
  )
  return toMarkdown(joinTexts(lines, '; '))
}

/** What a paragraph of a list has before its text. */
interface Item {
  depth: number
  /** Such as `1.`; `-` without numbers. */
  marker: string
  /** A box to tick, and words of its number. */
  words: string
}

function listNames(reader: DocxReader, styleId: string): { styles: Style[]; names: string[] } {
  const styles = listStyles(reader.styles.byId, styleId)
  const names = styles.length > 0 ? styles.map(({ name }) => name.toLowerCase()) : [styleId.toLowerCase()]
  return { styles, names }
}

function findList({ styles, names }: ReturnType<typeof listNames>, { listId }: Paragraph) {
  const listStyle = names
    .map((name) => /^list (bullet|number) ?([2-5])?/.exec(name))
    .find((match) => match !== null)
  const styleOfList = styles.find((style) => style.listId !== '')
  return { listStyle, styleOfList, listId: listId ?? styleOfList?.listId ?? '' }
}

/** Return what makes a paragraph an item of a list, or null. Its number is taken once, also if it is read twice. */
function readItem(reader: DocxReader, paragraph: Paragraph): Item | null {
  if (paragraph.item !== undefined) return paragraph.item
  const known = listNames(reader, paragraph.styleId)
  const { listStyle, styleOfList, listId } = findList(known, paragraph)
  paragraph.item = null
  const isHeading = findHeadingLevel(paragraph.outlineLevel, known.styles, known.names) > 0
  if (isHeading || ((listId === '' || listId === '0') && !listStyle)) return null
  const { numbering } = reader
  const styleDepth = numbering.findDepth(listId, paragraph.styleId) ?? styleOfList?.listDepth ?? 0
  const depth = paragraph.listDepth || (listStyle ? Number(listStyle[2] ?? 1) - 1 : styleDepth)
  const isOrdered = numbering.isOrdered(listId, depth) || listStyle?.[1] === 'number'
  const { count, label } = isOrdered ? numbering.take(listId, depth) : { count: 0, label: '' }
  const bullet = isOrdered ? '' : replaceSymbols(numbering.getBullet(listId, depth))
  const box = /[☐☑☒❏❑□]/.exec(bullet)?.[0] ?? ''
  // Markdown writes digits only. Words stay, because other texts may name them.
  const words = /\p{L}{2}/u.test(label) ? escapeMarkdown(`${label} `) : ''
  paragraph.item = { depth, marker: isOrdered ? `${count}.` : '-', words: box + words }
  return paragraph.item
}

/** Lists of contents repeat the headings, with their pages. */
const contentsStyle = /^(?:toc \d|toc heading|table of figures)$/

function writeParagraph(reader: DocxReader, paragraph: Paragraph): void {
  const { prose, styleId } = paragraph
  const known = listNames(reader, styleId)
  const { styles, names } = known
  if (names.some((name) => contentsStyle.test(name))) return
  if (names.some((name) => /code|preformatted|macro/.test(name))) {
    reader.codeLines.push(prose.readText())
    return
  }
  writeCode(reader)
  const headingLevel = findHeadingLevel(paragraph.outlineLevel, styles, names)
  const text = prose.readMarkdown((words) => words.replace(/[\t ]+/g, ' ').trim())
  const item = readItem(reader, paragraph)
  if (headingLevel > 0) {
    const { numbering } = reader
    const { listId, styleOfList } = findList(known, paragraph)
    const depth = paragraph.listDepth || (numbering.findDepth(listId, styleId) ?? styleOfList?.listDepth ?? 0)
    const label = numbering.isOrdered(listId, depth) ? numbering.take(listId, depth).label : ''
    reader.writer.add('heading', collapseSpaces(`${label} ${prose.readText()}`), headingLevel)
  } else if (item) reader.writer.addListLine(item.depth, item.marker, toMarkdown(item.words + text))
  else reader.writer.add('text', text)
}

function writeCode({ writer, codeLines }: DocxReader): void {
  if (codeLines.length > 0) writer.add('code', formatCodeBlock(codeLines.splice(0).join('\n')))
}

function appendText(reader: DocxReader, content: string): void {
  const { run, box } = reader
  const { prose } = reader.openParagraphs.at(-1) ?? {}
  if (!prose || content === '') return
  if (box) reader.box = null
  const text = box ? `${box} ` : content
  if (isLost(reader, text)) return
  countLength(reader, text)
  prose.addText(run.raised ? writeRaised(text, run.raised === 'subscript') : text)
}

/** Return whether a text is not read, because it is struck or hidden, and count it. */
function isLost({ run, styles, openParagraphs, openTables, losses }: DocxReader, text: string): boolean {
  const lost = findLossOfRun(
    run,
    openParagraphs.at(-1)?.styleId ?? '',
    openTables.at(-1)?.styleId ?? null,
    styles,
  )
  if (lost !== null && text.trim() !== '') countLoss(losses, lost)
  return lost !== null
}

function countLength(reader: DocxReader, text: string): void {
  reader.rawLength += text.length
  if (reader.rawLength > maxRawLength) throw tooLongError()
}

function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
