import { ArchiveError, readZip } from '../archive/zip.ts'
import { ArticleError, type Block, createWriter, fenced, type Writer } from './blocks.ts'
import { type Attributes, addresses, mostTags, orderedLists, styleNames, walkXml } from './docx-parts.ts'

const parts = {
  document: 'word/document.xml',
  links: 'word/_rels/document.xml.rels',
  styles: 'word/styles.xml',
  numbering: 'word/numbering.xml',
}

/** The blocks of a Word document: its paragraphs in their order, by their styles; what was deleted with changes tracked is left out. */
export async function readDocx(bytes: Uint8Array<ArrayBuffer>): Promise<Block[]> {
  const files = await readZip(bytes, Object.values(parts)).catch((error: unknown) => {
    throw error instanceof ArchiveError ? new ArticleError(error.message) : error
  })
  const document = files.get(parts.document)
  if (document === undefined) throw new ArticleError('The file is no Word document', 'type')
  const budget = { tags: mostTags }
  const reading: Reading = {
    writer: createWriter(),
    links: addresses(files.get(parts.links) ?? '', budget),
    styles: styleNames(files.get(parts.styles) ?? '', budget),
    ordered: orderedLists(files.get(parts.numbering) ?? '', budget),
    ...{ open: [], hrefs: [], tables: [], code: [], counts: new Map(), aside: 0, inText: false },
  }
  walkXml(document, budget, {
    open: (name, given) => {
      if (aside.has(name)) reading.aside++
      else if (reading.aside === 0) opened[name]?.(reading, given)
    },
    close: (name) => {
      if (aside.has(name)) reading.aside--
      else if (reading.aside === 0) closed[name]?.(reading)
    },
    text: (text) => reading.inText && say(reading, text),
  })
  endCode(reading)
  return reading.writer.blocks
}

// What is said a second time for older readers, what was moved away, and how things looked before a change.
const aside = new Set(['mc:Fallback', 'w:moveFrom', 'w:pPrChange', 'w:rPrChange', 'w:sectPrChange', 'w:tblPrChange'])

interface Paragraph {
  text: string
  style: string
  list: string
  depth: number
}

interface Table {
  rows: string[][]
  cell: string[]
  paragraphs: Paragraph[]
}

interface Reading {
  writer: Writer
  links: Map<string, string>
  styles: Map<string, string>
  ordered: Set<string>
  open: Paragraph[]
  hrefs: string[]
  tables: Table[]
  code: string[]
  counts: Map<string, number>
  aside: number
  inText: boolean
}

const opened: Record<string, (reading: Reading, given: Attributes) => void> = {
  'w:p': ({ open }) => void open.push({ text: '', style: '', list: '', depth: 0 }),
  'w:pStyle': ({ open }, given) => void Object.assign(open.at(-1) ?? {}, { style: given['w:val'] ?? '' }),
  'w:numId': ({ open }, given) => void Object.assign(open.at(-1) ?? {}, { list: given['w:val'] === '0' ? '' : (given['w:val'] ?? '') }),
  'w:ilvl': ({ open }, given) => void Object.assign(open.at(-1) ?? {}, { depth: Math.min(8, Number(given['w:val']) || 0) }),
  'w:t': (reading) => {
    reading.inText = true
  },
  'w:tab': (reading) => say(reading, '\t'),
  'w:br': (reading) => say(reading, '\n'),
  'w:cr': (reading) => say(reading, '\n'),
  'w:noBreakHyphen': (reading) => say(reading, '-'),
  'w:hyperlink': ({ hrefs, links }, given) => void hrefs.push(links.get(given['r:id'] ?? '') ?? ''),
  'w:tbl': (reading) => {
    endCode(reading)
    reading.tables.push({ rows: [], cell: [], paragraphs: [] })
  },
  'w:tr': ({ tables }) => void tables.at(-1)?.rows.push([]),
}

const closed: Record<string, (reading: Reading) => void> = {
  'w:t': (reading) => {
    reading.inText = false
  },
  'w:p': (reading) => {
    const paragraph = reading.open.pop()
    const table = reading.tables.at(-1)
    if (!paragraph || !table) return void (paragraph && endParagraph(reading, paragraph))
    table.paragraphs.push(paragraph)
    table.cell.push(oneLine(paragraph.text))
  },
  'w:hyperlink': (reading) => {
    const href = reading.hrefs.pop()
    if (href && !reading.open.at(-1)?.text.endsWith(href)) say(reading, ` (${href})`)
  },
  'w:tc': ({ tables }) => {
    const table = tables.at(-1)
    table?.rows.at(-1)?.push(table.cell.splice(0).filter(Boolean).join(' '))
  },
  'w:tbl': endTable,
}

/** A table of one column only frames what stands in it, mostly code. */
function endTable(reading: Reading): void {
  const table = reading.tables.pop()
  if (!table) return
  const lines = table.rows.map((row) => row.filter(Boolean).join(' | ')).filter(Boolean)
  const around = reading.tables.at(-1)
  if (around) {
    around.cell.push(lines.join('; '))
    around.paragraphs.push(...table.paragraphs)
  } else if (table.rows.some(({ length }) => length > 1)) reading.writer.add('table', lines.join('\n'))
  else for (const paragraph of table.paragraphs) endParagraph(reading, paragraph)
}

function endParagraph(reading: Reading, paragraph: Paragraph): void {
  const style = (reading.styles.get(paragraph.style) ?? paragraph.style).toLowerCase()
  if (/code|preformatted|macro/.test(style)) {
    reading.code.push(paragraph.text)
    return
  }
  endCode(reading)
  const text = paragraph.text.replace(/[\t ]+/g, ' ').trim()
  const heading = style === 'title' ? 1 : Number(/^heading ?([1-6])/.exec(style)?.[1] ?? 0)
  if (heading) return void reading.writer.add('heading', oneLine(text), heading)
  const named = /^list (bullet|number) ?([2-5])?/.exec(style)
  if (!paragraph.list && !named) return void reading.writer.add('text', text)
  const depth = paragraph.depth || Number(named?.[2] ?? 1) - 1
  const level = `${paragraph.list} ${depth}`
  const ordered = reading.ordered.has(level) || named?.[1] === 'number'
  reading.writer.addLine(depth, ordered ? `${counted(reading, paragraph.list, depth)}.` : '-', text)
}

/** The number of an item; those below it begin anew. */
function counted({ counts }: Reading, list: string, depth: number): number {
  for (let below = depth + 1; below <= 8; below++) counts.delete(`${list} ${below}`)
  const count = (counts.get(`${list} ${depth}`) ?? 0) + 1
  counts.set(`${list} ${depth}`, count)
  return count
}

function endCode({ writer, code }: Reading): void {
  if (code.length > 0) writer.add('code', fenced(code.splice(0).join('\n')))
}

function say({ open }: Reading, text: string): void {
  const paragraph = open.at(-1)
  if (paragraph) paragraph.text += text
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
