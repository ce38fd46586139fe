import { spend, spendBytes } from '#rules/budget.ts'
import type { PdfRun } from './pdf-content.ts'

// Joins the pieces of text of a page to lines and cells, and leaves out what repeats on its pages.

/** A part of a line that is far from its neighbours, such as a cell of a table. */
export interface PdfCell {
  text: string
  x: number
  endX: number
}
export interface PdfLine {
  cells: PdfCell[]
  /** Where the text after the marker of a list starts. */
  textX: number
  x: number
  endX: number
  y: number
  size: number
  isBold: boolean
  isMonospaced: boolean
  page: number
}

// Gaps, in parts of the font's size.
const spaceGap = 0.15
const cellGap = 1

/** Return the lines of a page in the order in which it draws them. */
export function readLines(runs: readonly PdfRun[], page: number): PdfLine[] {
  spend(runs.length * 55)
  const groups: PdfRun[][] = []
  for (const run of runs) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    // A raised character, such as the mark of a footnote, belongs to the line.
    const isSameLine = last !== undefined && Math.abs(run.y - last.y) < 0.45 * Math.max(run.size, last.size)
    if (group && isSameLine) group.push(run)
    else groups.push([run])
  }
  return groups.flatMap((group) => toLine(group, page) ?? [])
}

/** A cell whose text is joined when it is complete. */
interface GrowingCell extends Omit<PdfCell, 'text'> {
  texts: string[]
  length: number
}

/** Bytes of memory of a line, and of a cell beside its text. */
const [lineBytes, cellBytes] = [150, 100]

function toLine(group: readonly PdfRun[], page: number): PdfLine | null {
  const runs = [...group].sort((a, b) => a.x - b.x)
  const cells: GrowingCell[] = []
  let textX: number | null = null
  for (const { text, x, endX, size } of runs) {
    const cell = cells.at(-1)
    const gap = cell ? x - cell.endX : 0
    if (textX === null && cell && cells.length === 1 && text.trim() !== '' && isMarkerOf(cell)) textX = x
    if (!cell || (gap > cellGap * size && text.trim() !== ''))
      cells.push({ texts: [text], x, endX, length: text.length })
    else {
      const needsSpace = gap > spaceGap * size && !/\s$/.test(cell.texts.at(-1) ?? '') && !/^\s/.test(text)
      if (needsSpace) cell.texts.push(' ')
      cell.texts.push(text)
      cell.length += text.length
      // The space between two cells belongs to neither.
      if (text.trim() !== '') cell.endX = Math.max(cell.endX, endX)
    }
  }
  const writtenCells = cells
    .map(({ texts, x, endX }) => ({
      x,
      endX,
      text: texts
        .join('')
        // A soft hyphen is shown at the end of a line only.
        .replace(/\u00ad\s*$/, '-')
        .replace(/[\s\u00ad]+/g, (space) => (space === '\u00ad' ? '' : ' '))
        .trim(),
    }))
    .filter(({ text }) => text !== '')
  const [first, second, ...others] = writtenCells
  // A marker is often at a tab before its text.
  const isMarked = first !== undefined && second !== undefined && isMarker(first.text)
  const visibleRuns = runs.filter(({ text }) => text.trim() !== '')
  const largestRun = visibleRuns.reduce<PdfRun | undefined>(
    (a, b) => (a && a.text.length >= b.text.length ? a : b),
    undefined,
  )
  if (!first || !largestRun) return null
  spendBytes(writtenCells.reduce((bytes, { text }) => bytes + cellBytes + text.length * 2, lineBytes))
  return {
    cells: isMarked
      ? [{ text: `${first.text} ${second.text}`, x: first.x, endX: second.endX }, ...others]
      : writtenCells,
    textX:
      textX ??
      first.x +
        ((marker.exec(first.text)?.[0].length ?? -1) + 1) * ((first.endX - first.x) / first.text.length),
    x: first.x,
    endX: writtenCells.reduce((right, cell) => Math.max(right, cell.endX), Number.NEGATIVE_INFINITY),
    y: largestRun.y,
    size: Math.round(largestRun.size * 2) / 2,
    isBold: visibleRuns.every(({ isBold }) => isBold),
    isMonospaced: visibleRuns.every(({ isMonospaced }) => isMonospaced),
    page,
  }
}

export const marker = /^(?:[•◦▪▫●○■□☐☑☒‣⁃➢➔✓∙·–-]|o(?= )|\(?\d{1,3}[.)]|\(?[a-z][.)])(?=\s|$)/i

const maxMarkerLength = 20
const isMarkerOf = ({ texts, length }: GrowingCell) =>
  length <= maxMarkerLength && isMarker(texts.join('').trim())

const isMarker = (text: string) => text === 'o' || marker.exec(text)?.[0] === text

export const countCharacters = ({ cells }: PdfLine) => cells.reduce((sum, { text }) => sum + text.length, 0)

export const getText = ({ cells }: PdfLine) => cells.map(({ text }) => text).join(' ')

/** The heights of a page between which its article is, as parts of its height. */
const [bottomMargin, topMargin] = [0.09, 0.91]
const pageNumber =
  /^(?:page |seite |página |pagina )?[\divx]{1,5}(?: ?(?:\/|of|von|de|di|sur|\|) ?\d{1,5})?$/i

/**
 * Leave out headers and footers: what repeats in the margins of pages except for numbers, and page numbers.
 */
export function leaveOutFurniture(
  lines: readonly PdfLine[],
  edges: readonly { bottom: number; height: number }[],
): PdfLine[] {
  spend(lines.reduce((steps, line) => steps + 35 + countCharacters(line) * 3, 0))
  const isInMargin = ({ y, page }: PdfLine) => {
    const { bottom, height } = edges[page] ?? { bottom: 0, height: 1 }
    const place = (y - bottom) / height
    return place < bottomMargin || place > topMargin
  }
  const pagesByText = new Map<string, Set<number>>()
  const toKey = (line: PdfLine) => getText(line).replace(/\d+/g, '#')
  for (const line of lines) {
    if (!isInMargin(line)) continue
    const pages = pagesByText.get(toKey(line)) ?? new Set()
    pagesByText.set(toKey(line), pages.add(line.page))
  }
  return lines.filter(
    (line) =>
      !isInMargin(line) || (!pageNumber.test(getText(line)) && (pagesByText.get(toKey(line))?.size ?? 0) < 2),
  )
}
