import { pause, spend } from '#rules/budget.ts'
import { escapeInline, escapeMarkdown, toMarkdown } from '#rules/markup/markdown.ts'
import { ArticleError, type Block, type BlockWriter, createBlockWriter, formatCodeBlock } from './blocks.ts'
import { createLosses, type Losses } from './losses.ts'
import { createPageReader } from './pdf-content.ts'
import { openPdf } from './pdf-file.ts'
import { countCharacters, getText, leaveOutFurniture, marker, type PdfLine, readLines } from './pdf-lines.ts'
import { readTable, startsTable } from './pdf-tables.ts'

const maxPages = 300

/** Return whether the bytes start like a PDF. Some programs write a few bytes before it. */
export function isPdf(bytes: Uint8Array<ArrayBuffer>): boolean {
  return new TextDecoder('latin1').decode(bytes.subarray(0, 1024)).includes('%PDF-')
}

/**
 * Read the blocks of a PDF by where and how large its texts are. Throw an ArticleError for one without texts,
 * such as a scan, or with more than `maxPages` pages. pdf.js is not used, because it has no limit of work or
 * memory: DECISIONS.md.
 */
export async function readPdf(
  bytes: Uint8Array<ArrayBuffer>,
  losses: Losses = createLosses(),
): Promise<Block[]> {
  const file = await openPdf(bytes)
  const pages = file.listPages(maxPages)
  if (pages.length > maxPages) throw new ArticleError(`The PDF has more than ${maxPages} pages`)
  if (pages.length === 0) throw new ArticleError('The PDF is damaged: it has no pages')
  const readPage = createPageReader(file, losses)
  const lines: PdfLine[] = []
  const edges: { bottom: number; height: number }[] = []
  for (const [number, page] of pages.entries()) {
    const { runs, box } = await readPage(page)
    edges.push(box ? { bottom: box.bottom, height: box.top - box.bottom } : { bottom: 0, height: 1 })
    for (const line of readLines(runs, number)) lines.push(line)
    await pause()
  }
  if (lines.length === 0)
    throw new ArticleError(
      'The PDF has no text, like a scan. Run text recognition on it, or save the article as docx or HTML',
    )
  const writer = createBlockWriter()
  await writeLines(leaveOutFurniture(lines, edges), writer)
  return writer.blocks
}

async function writeLines(lines: readonly PdfLine[], writer: BlockWriter): Promise<void> {
  spend(lines.reduce((steps, line) => steps + 200 + countCharacters(line) * 7, 0))
  const headingLevels = findHeadingLevels(lines)
  const isHeading = (line: PdfLine) => headingLevels.has(line)
  /** Return whether a line continues the paragraph before it, on its page or on the next one. */
  const continues: Continues = (index) => {
    const [line, before] = [lines[index], lines[index - 1]]
    if (!line || !before || line.isMonospaced || line.size !== before.size || isHeading(line)) return false
    if (isHeading(before)) return false
    if (marker.test(getText(line)) || startsTable(lines, index) || (line.isBold && !before.isBold))
      return false
    if (isNextLine(lines, index)) return true
    return (
      line.page === before.page + 1 && !/[.!?:;]$/.test(getText(before)) && /^\p{Ll}/u.test(getText(line))
    )
  }
  let at = 0
  while (at < lines.length) {
    await pause()
    const line = lines[at] as PdfLine
    const level = headingLevels.get(line) ?? 0
    if (line.isMonospaced) at = writeCode(lines, at, writer)
    else if (level > 0) at = writeHeading(lines, at, level, writer)
    else if (marker.test(getText(line))) at = writeList(lines, at, writer, continues, isHeading)
    else
      at =
        writeTable(readTable(lines, at), writer) ??
        writePlainList(findPlainList(lines, at, continues), writer) ??
        writeParagraph(lines, at, writer, continues)
  }
}

type Continues = (index: number) => boolean

/** Return the size of most characters. Bold ones count less: a short article may have more headings than text. */
function findBodySize(lines: readonly PdfLine[]): number {
  const counts = new Map<number, number>()
  for (const line of lines)
    counts.set(line.size, (counts.get(line.size) ?? 0) + getText(line).length / (line.isBold ? 3 : 1))
  return [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [0, 0])[0]
}

const isBoldShare = 0.3
const maxHeadingLength = 200

/**
 * Return the lines of headings with their levels, 1 to 6: those that are larger than the text, and below them
 * short bold lines between texts that are not bold.
 */
function findHeadingLevels(lines: readonly PdfLine[]): Map<PdfLine, number> {
  const bodySize = findBodySize(lines)
  const isShort = (line: PdfLine) => line.cells.length === 1 && getText(line).length < maxHeadingLength
  const large = lines.filter((line) => line.size >= bodySize * 1.12 && isShort(line))
  const sizes = [...new Set(large.map(({ size }) => size))].sort((a, b) => b - a)
  const levelBySize = new Map(sizes.map((size, index) => [size, Math.min(6, index + 1)]))
  const levels = new Map(large.map((line) => [line, levelBySize.get(line.size) ?? 1]))
  const count = (some: readonly PdfLine[]) => some.reduce((sum, line) => sum + countCharacters(line), 0)
  if (count(lines.filter(({ isBold }) => isBold)) > count(lines) * isBoldShare) return levels
  for (const [index, line] of lines.entries()) {
    const [next, before] = [lines[index + 1], lines[index - 1]]
    const isAlone =
      line.isBold && line.size >= bodySize && !line.isMonospaced && isShort(line) && !isNextLine(lines, index)
    const isFollowed = next && !next.isBold && (next.page > line.page || getPitch(next, line) > 0.5)
    const isSentence = /[.,;!]$/.test(getText(line)) || marker.test(getText(line))
    const isBeside = before && before.page === line.page && Math.abs(before.y - line.y) < line.size / 2
    if (isAlone && isFollowed && !isSentence && !isBeside && !levels.has(line))
      levels.set(line, Math.min(6, sizes.length + 1))
  }
  return levels
}

/** The distance of a line to the one before, in parts of its size. It is endless across pages and upwards. */
function getPitch(line: PdfLine, before: PdfLine): number {
  const distance = (before.y - line.y) / line.size
  return line.page === before.page && distance > 0 ? distance : Number.POSITIVE_INFINITY
}

const linePitch = 1.75

function writeHeading(lines: readonly PdfLine[], start: number, level: number, writer: BlockWriter): number {
  const first = lines[start]
  let end = start + 1
  while (
    lines[end]?.size === first?.size &&
    lines[end]?.isBold === first?.isBold &&
    isNextLine(lines, end) &&
    lines[end]?.cells.length === 1
  )
    end++
  writer.add('heading', joinTexts(lines.slice(start, end)), level)
  return end
}

/** Return whether a line directly follows the one before. */
function isNextLine(lines: readonly PdfLine[], index: number): boolean {
  const [line, before] = [lines[index], lines[index - 1]]
  return line !== undefined && before !== undefined && getPitch(line, before) < linePitch
}

function writeCode(lines: readonly PdfLine[], start: number, writer: BlockWriter): number {
  let end = start + 1
  while (lines[end]?.isMonospaced && (isNextLine(lines, end) || lines[end]?.page !== lines[end - 1]?.page))
    end++
  const code = lines.slice(start, end)
  const left = code.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY)
  const texts = code.map(
    (line) => ' '.repeat(Math.min(80, Math.round((line.x - left) / (line.size * 0.6)))) + getText(line),
  )
  writer.add('code', formatCodeBlock(texts.join('\n')))
  return end
}

/** Return the index of the line after the table, or null without one. */
function writeTable(found: ReturnType<typeof readTable>, writer: BlockWriter): number | null {
  if (found) writer.add('table', found.table)
  return found?.end ?? null
}

function writeParagraph(
  lines: readonly PdfLine[],
  start: number,
  writer: BlockWriter,
  continues: Continues,
): number {
  let end = start + 1
  while (continues(end) && !findPlainList(lines, end, continues)) end++
  writer.add('text', escapeMarkdown(joinTexts(lines.slice(start, end))))
  return end
}

/** How far the lines of a list without markers are further in than the text before it, in parts of their size. */
const [minIndent, maxIndent] = [1, 6]
const maxItemLines = 3

interface PlainList {
  items: PdfLine[][]
  /** The index of the line after it. */
  end: number
}

function writePlainList(list: PlainList | null, writer: BlockWriter): number | null {
  for (const item of list?.items ?? []) writer.addListLine(0, '-', escapeMarkdown(joinTexts(item)))
  return list?.end ?? null
}

/**
 * Find a list whose items have no marker: they are further in than the text before them, at one place, and
 * each starts after a gap or where its first word had room on the line before. Return null without two such
 * items.
 */
function findPlainList(lines: readonly PdfLine[], start: number, continues: Continues): PlainList | null {
  const [first, before] = [lines[start], lines[start - 1]]
  if (!first || !before || before.page !== first.page) return null
  const indent = (first.x - before.x) / first.size
  if (indent < minIndent || indent > maxIndent) return null
  const isInList = (line: PdfLine, last: PdfLine) =>
    line.size === first.size &&
    Math.abs(line.x - first.x) < first.size / 4 &&
    getPitch(line, last) < maxGap &&
    line.cells.length === 1 &&
    !line.isMonospaced &&
    !marker.test(getText(line))
  let end = start + 1
  while (end < lines.length && isInList(lines[end] as PdfLine, lines[end - 1] as PdfLine)) end++
  if (end - start < 2) return null
  const right = findRightEdge(lines, first)
  const starts: number[] = [start]
  for (let at = start + 1; at < end; at++) {
    const [line, last] = [lines[at] as PdfLine, lines[at - 1] as PdfLine]
    const text = getText(line)
    const wordWidth = ((line.endX - line.x) / text.length) * (text.indexOf(' ') + 1 || text.length)
    if (!continues(at) || last.endX + wordWidth < right) starts.push(at)
  }
  const items = starts.map((at, n) => lines.slice(at, starts[n + 1] ?? end))
  if (items.length < 2 || items.some(({ length }) => length > maxItemLines)) return null
  return { items, end }
}

const maxGap = 3

/** Return where the lines end that start about where a line does, so that other columns do not count. */
function findRightEdge(lines: readonly PdfLine[], { page, x, size }: PdfLine): number {
  spend(lines.length)
  return lines.reduce((right, line) => {
    const isInColumn = line.page === page && line.x > x - size * 8 && line.x < x + size * 8
    return isInColumn ? Math.max(right, line.endX) : right
  }, 0)
}

/**
 * Join lines with spaces. A hyphen that divides a word goes before a small letter, and stays before any
 * other, where it may be part of the word.
 */
function joinTexts(lines: readonly PdfLine[]): string {
  const texts = lines.map(getText)
  return texts
    .map((text, index) => {
      const next = texts[index + 1]
      if (next === undefined || !/\p{L}[-\u2010]$/u.test(text.slice(-3)) || conjunction.test(next))
        return next === undefined ? text : `${text} `
      return /\p{Ll}.$/u.test(text.slice(-3)) && /^\p{Ll}/u.test(next) ? text.slice(0, -1) : text
    })
    .join('')
}

/** After it, a hyphen stands for a part that both words share: “Auf- und Abbau”. */
const conjunction = /^(?:and|or|to|und|oder|bzw|et|ou|y|o|e|en|of)(?![\p{L}\d])/u

function writeList(
  lines: readonly PdfLine[],
  start: number,
  writer: BlockWriter,
  continues: Continues,
  isHeading: (line: PdfLine) => boolean,
): number {
  /** Where the items of the open levels start, and the text of the last item. */
  const levels: number[] = []
  let textX = 0
  let at = start
  while (at < lines.length) {
    const line = lines[at] as PdfLine
    const slack = line.size / 2
    // The marker of an inner item can be drawn instead of written.
    const isInner = at > start && isNextLine(lines, at) && line.x > textX + slack * 2
    if (at > start && (line.isMonospaced || isHeading(line) || !(isInner || marker.test(getText(line)))))
      break
    while (levels.length > 0 && (levels.at(-1) as number) > line.x + slack) levels.pop()
    if (levels.length === 0 || (levels.at(-1) as number) < line.x - slack) levels.push(line.x)
    let end = at + 1
    while (continues(end) && isBelowItem(lines[end] as PdfLine, line)) end++
    writeItem(joinTexts(lines.slice(at, end)), levels.length - 1, writer)
    textX = line.textX
    at = end
  }
  return at
}

/** Return whether a line is below the text of an item, not below its marker and not further in. */
function isBelowItem({ x }: PdfLine, item: PdfLine): boolean {
  const isMarked = item.textX > item.x
  return (
    x > (isMarked ? item.x + item.size / 4 : item.x - item.size / 4) &&
    x < item.textX + item.size * (isMarked ? 1 : 2)
  )
}

function writeItem(text: string, depth: number, writer: BlockWriter): void {
  const [sign = ''] = marker.exec(text) ?? []
  // Markdown has no letters as markers.
  const isLetter = /^\(?[a-np-z]/i.test(sign)
  const isBox = /^[☐☑☒]/.test(sign)
  const content = escapeInline(text.slice(isLetter || isBox ? 0 : sign.length).trim())
  writer.addListLine(depth, /^\(?\d/.test(sign) ? `${sign.replace(/\D/g, '')}.` : '-', toMarkdown(content))
}
